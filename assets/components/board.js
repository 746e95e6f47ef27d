// Every objective's exercise on one text. A token lights up in every row; a row can be opened.
window.lab.component("board", (element, tools) => {
  const lab = window.lab;
  const KINDS = {
    o: "original",
    m: "masked",
    r: "replaced",
    k: "kept",
    s: "special",
    u: "unknown",
    p: "part",
    a: "asked",
  };
  const asked = lab.view("models"),
    body = tools.card(),
    filter = lab.el("select", {
      "aria-label": lab.word("board.models"),
      onchange: () => {
        wanted = filter.value;
        asked.set(wanted);
        narrow();
      },
    }),
    list = lab.el("div", { class: "rows" }),
    hint = lab.el("p", { class: "hint" }, lab.word("board.hint"));
  const choice = lab.el("label", { class: "models-of" }, lab.el("span", {}, lab.word("board.models")), filter);
  body.append(choice, hint, list);
  let value = null,
    lit = [],
    chosen = "",
    wanted = asked.value,
    frame = 0,
    timer = 0;

  function strip(given) {
    const nodes = given.text.map((number, i) => {
      const kind = KINDS[given.kind[i]],
        from = given.from[i],
        text = value.texts[number],
        below = given.below?.[i] ?? -1;
      const node = lab.el(
        "span",
        {
          class: "chip " + kind,
          "data-from": from,
          "data-text": number,
          "data-below": below,
          "data-word": given.ordered ? "board.turn" : "board.asked",
        },
        text === "" ? "∅" : lab.spelt(text),
      );
      if (text && !text.trim()) node.classList.add("blank");
      const whole = given.below
        ? lab.el(
            "span",
            { class: "stack" },
            node,
            lab.el("span", { class: "below" }, below < 0 ? "" : lab.spelt(value.texts[below])),
          )
        : node;
      return whole;
    });
    return lab.el(
      "div",
      { class: "strip" },
      given.label ? lab.el("span", { class: "strip-label" }, lab.say(given.label)) : null,
      lab.el(
        "div",
        { class: "chips" },
        nodes,
        given.more > 0 ? lab.el("span", { class: "more" }, lab.word("board.more", { n: given.more })) : null,
      ),
    );
  }
  function mask({ n, bits }) {
    const bytes = lab.bytes(bits),
      canvas = lab.el("canvas", {
        width: n,
        height: n,
        role: "img",
        "aria-label": lab.word("board.mask"),
        title: lab.word("board.mask"),
      });
    const pen = canvas.getContext("2d");
    pen.fillStyle = lab.colour("accent");
    for (let i = 0; i < n * n; i++) if (bytes[i >> 3] & (128 >> (i & 7))) pen.fillRect(i % n, Math.floor(i / n), 1, 1);
    return canvas;
  }
  function row(given) {
    const title = lab.say(given.title);
    const open = lab.el(
      "button",
      {
        type: "button",
        class: "open",
        "aria-label": lab.word("board.open", { title }),
        onclick: (event) => {
          event.stopPropagation();
          pick(given.name);
        },
      },
      title,
    );
    const node = lab.el(
      "div",
      { class: "row-of", "data-name": given.name, onclick: () => pick(given.name) },
      lab.el(
        "div",
        { class: "head" },
        mask(given.mask),
        lab.el(
          "div",
          {},
          open,
          given.models.length ? lab.el("div", { class: "models" }, lab.listed(given.models.map(lab.say))) : null,
          given.note ? lab.el("div", { class: "answer" }, lab.say(given.note)) : null,
        ),
      ),
      lab.el("div", { class: "strips" }, given.strips.map(strip)),
    );
    emphasise(node);
    node.hidden = wanted !== "" && !given.models.map(lab.say).includes(wanted);
    return node;
  }
  // Only what one model learns; the names of models come with the rows.
  function offer(groups) {
    const names = [
      ...new Set(
        groups
          .flatMap((group) => group.rows)
          .flatMap((each) => each.models)
          .map(lab.say),
      ),
    ].sort((a, b) => a.localeCompare(b));
    if (names.length && wanted && !names.includes(wanted)) {
      // a link to a model that there is not
      asked.refuse();
      wanted = "";
    }
    filter.replaceChildren(
      lab.el("option", { value: "" }, lab.word("board.models.all")),
      ...names.map((name) => lab.el("option", { value: name }, name)),
    );
    filter.value = wanted;
  }
  function narrow() {
    const learnt = new Map(
      (value?.groups || []).flatMap((group) => group.rows).map((each) => [each.name, each.models.map(lab.say)]),
    );
    list.querySelectorAll(".row-of").forEach((node) => {
      node.hidden = wanted !== "" && !learnt.get(node.dataset.name)?.includes(wanted);
    });
    list.querySelectorAll("section").forEach((section) => {
      section.hidden = !section.querySelector(".row-of:not([hidden])");
    });
  }

  function pick(name) {
    if (getSelection()?.toString()) return; // somebody marks text to copy it
    mark(name);
    tools.fire("pick", { name });
  }
  function mark(name) {
    chosen = name;
    list.querySelectorAll(".row-of").forEach(emphasise);
  }
  element.addEventListener("chosen", (event) => mark(event.detail)); // by something other than a row
  function emphasise(node) {
    const is = node.dataset.name === chosen;
    node.classList.toggle("chosen", is);
    node.querySelector(".open").setAttribute("aria-pressed", String(is));
  }

  function light(from) {
    for (const node of lit) node.classList.remove("on");
    lit = from < 0 ? [] : list.querySelectorAll(`.chip[data-from="${from}"]`);
    for (const node of lit) node.classList.add("on");
  }
  list.addEventListener("mouseover", (event) => {
    const node = event.target.closest(".chip");
    light(node ? Number(node.dataset.from) : -1);
    if (!node) {
      lab.unnote();
      return;
    }
    const kind = [...node.classList].find(
        (each) => each !== "chip" && each !== "original" && each !== "on" && each !== "blank",
      ),
      below = Number(node.dataset.below);
    const box = node.getBoundingClientRect();
    lab.note(
      [
        `“${lab.visible(value.texts[Number(node.dataset.text)])}”`,
        kind ? lab.word("components.kind." + kind) : "",
        below >= 0 ? lab.word(node.dataset.word, { text: lab.visible(value.texts[below]) }) : "",
      ],
      box.left + box.width / 2 - 14,
      box.bottom - 10,
    );
  });
  list.addEventListener("mouseleave", () => {
    light(-1);
    lab.unnote();
  });

  // While somebody types, the rows in sight are drawn first and the others once those are on the screen.
  function redrawn(groups) {
    const rows = groups.flatMap((group) => group.rows);
    const nodes = [...list.querySelectorAll(".row-of")],
      all = nodes.map((node, i) => () => node.replaceWith(row(rows[i])));
    if (nodes.length !== rows.length || nodes.some((node, i) => node.dataset.name !== rows[i].name)) return false;
    list.querySelectorAll("h3").forEach((title, i) => {
      title.textContent = lab.say(groups[i].title);
    });
    const inSight = nodes.map((node) => {
      const box = node.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    });
    all.filter((_, i) => inSight[i]).forEach((draw) => draw());
    frame = requestAnimationFrame(() => {
      timer = setTimeout(() => all.filter((_, i) => !inSight[i]).forEach((draw) => draw()));
    });
    return true;
  }

  return (given) => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    value = given;
    lit = [];
    const groups = given?.groups || [];
    hint.hidden = choice.hidden = !groups.length;
    if (!groups.length) {
      list.replaceChildren(lab.el("div", { class: "empty" }, lab.say(given?.empty) || ""));
      return;
    }
    offer(groups);
    mark(given.chosen ?? chosen);
    if (!redrawn(groups))
      list.replaceChildren(
        ...groups.map((group) => lab.el("section", {}, lab.el("h3", {}, lab.say(group.title)), group.rows.map(row))),
      );
    narrow();
  };
});
