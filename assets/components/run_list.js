// Runs as rows: a tick to lay them over each other, a title that opens, the numbers, and a bin that asks first.
window.lab.component("run_list", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const list = lab.el("ul", { class: "runs" }),
    none = lab.el("div", { class: "empty" });
  const tags = lab.el("div", { class: "tags", role: "group", "aria-label": lab.word("run.list.tags") });
  body.append(tags, list, none);
  const ticked = new Set(),
    wanted = new Set(); // tags that a run must have
  let value = null,
    asking = null,
    leaving = null; // a run that was told to go

  function when(seconds) {
    if (!seconds) return "";
    const date = new Date(seconds * 1000),
      today = new Date().toDateString() === date.toDateString();
    const style = today
      ? { hour: "2-digit", minute: "2-digit" }
      : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
    return date.toLocaleString(lab.locale, style);
  }
  function tick(run) {
    const box = lab.el("input", {
      type: "checkbox",
      "aria-label": lab.word("run.list.tick", { title: run.title }),
      onchange: () => {
        if (box.checked) ticked.add(run.id);
        else ticked.delete(run.id);
        tools.fire("overlay", { ids: [...ticked] });
      },
    });
    box.checked = ticked.has(run.id);
    return box;
  }
  function bin(run) {
    if (!run.own) return lab.el("span", { class: "shipped" }, lab.word("run.list.shipped"));
    if (run.busy) {
      // It may have ended since the list was read: whoever tries has the list read anew.
      return lab.el(
        "button",
        {
          type: "button",
          class: "bin",
          "aria-disabled": "true",
          title: lab.word("run.list.busy"),
          "aria-label": lab.word("run.list.delete.which", { title: run.title }),
          onclick: () => tools.fire("show", { id: value.open }),
        },
        "✕",
      );
    }
    if (asking === run.id) {
      return lab.el(
        "span",
        { class: "sure" },
        lab.word("run.list.sure"),
        lab.el(
          "button",
          {
            type: "button",
            class: "plain yes",
            onclick: () => {
              asking = null;
              leaving = run.id;
              ticked.delete(run.id);
              tools.fire("discard", { id: run.id });
              tools.fire("overlay", { ids: [...ticked] });
            },
          },
          lab.word("run.list.yes"),
        ),
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            onclick: () => {
              asking = null;
              show();
            },
          },
          lab.word("run.list.no"),
        ),
      );
    }
    return lab.el(
      "button",
      {
        type: "button",
        class: "bin",
        title: lab.word("run.list.delete"),
        "aria-label": lab.word("run.list.delete.which", { title: run.title }),
        onclick: () => {
          asking = run.id;
          show();
          list.querySelector(".yes")?.focus();
        },
      },
      "✕",
    );
  }
  function row(run) {
    const open = run.id === value.open;
    const title = lab.el(
      "button",
      {
        type: "button",
        class: "title",
        "aria-current": open ? "true" : null,
        onclick: () => tools.fire("show", { id: run.id }),
      },
      lab.say(run.title),
    );
    return lab.el(
      "li",
      { class: open ? "open" : "", "data-run": run.id },
      value.pick === false ? null : tick(run),
      lab.el(
        "div",
        { class: "what" },
        title,
        lab.el(
          "div",
          { class: "facts" },
          run.facts.map((fact) => lab.el("span", {}, lab.say(fact))),
          (run.tags || []).map((tag) => lab.el("span", { class: "tag" }, "#" + tag)),
        ),
      ),
      lab.el("div", { class: "measured" }, lab.el("b", {}, lab.say(run.number)), lab.el("span", {}, lab.say(run.note))),
      lab.el(
        "div",
        { class: "when" },
        lab.el("span", { class: run.live ? "live" : "" }, lab.say(run.status)),
        lab.el("span", {}, when(run.when)),
      ),
      lab.el("div", { class: "do" }, bin(run)),
    );
  }
  function choose(all) {
    for (const tag of wanted) if (!all.includes(tag)) wanted.delete(tag);
    tags.hidden = !all.length;
    tags.replaceChildren(
      ...all.map((tag) =>
        lab.el(
          "button",
          {
            type: "button",
            "aria-pressed": String(wanted.has(tag)),
            onclick: () => {
              if (!wanted.delete(tag)) wanted.add(tag);
              show();
              [...tags.children].find((node) => node.textContent === "#" + tag)?.focus();
            },
          },
          "#" + tag,
        ),
      ),
    );
  }
  function show() {
    choose([...new Set((value?.runs || []).flatMap((run) => run.tags || []))].sort());
    // What is drawn stays, so that it can be unticked.
    const tagged = (run) => [...wanted].every((tag) => run.tags?.includes(tag));
    const runs = (value?.runs || []).filter((run) => ticked.has(run.id) || tagged(run));
    list.replaceChildren(...runs.map(row));
    none.hidden = runs.length > 0;
    none.textContent = lab.say(value?.empty) || lab.word("components.empty");
  }
  // An address may name other runs to compare: the one before, to which somebody goes back.
  const named = (event) => {
    const ids = (event.detail || "").split(",").filter(Boolean);
    if (value?.pick === false || (ids.length === ticked.size && ids.every((id) => ticked.has(id)))) return;
    ticked.clear();
    ids.forEach((id) => ticked.add(id));
    show();
  };
  window.addEventListener("lab:ticked", named);
  tools.onLeave(() => window.removeEventListener("lab:ticked", named));
  return (given) => {
    value = given;
    const there = new Set((given?.runs || []).map((run) => run.id));
    if (leaving && !there.has(leaving)) {
      lab.otherWindows.postMessage(leaving);
      leaving = null;
    }
    for (const id of given?.ticked || []) ticked.add(id);
    for (const id of ticked) if (!there.has(id)) ticked.delete(id);
    show();
  };
});
