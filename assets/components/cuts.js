// One text as several tokenizers cut it. What is pointed at lights up in the text and in every row.
window.lab.component("cuts", (element, tools) => {
  const lab = window.lab;
  const body = tools.card(),
    PARTS = ".cut, .letter";
  // Those that the address names, else those that the page begins with.
  const asked = lab.view("kinds");
  const chosen = new Set((asked.value || tools.given("start") || "").split(",").filter(Boolean)),
    met = new Set();
  const picks = lab.el("div", { class: "picks", role: "group", "aria-label": lab.word("components.cuts.pick") });
  const source = lab.el("p", { class: "source", dir: "auto" });
  const note = lab.el("p", { class: "strip-note" }),
    stage = lab.el("div", { class: "rows" });
  body.append(picks, source, note, stage);
  // The token that is locked, as the address has it: its row, or nothing for the text itself, and its number.
  const holds = lab.view("locked");
  // It is one of the text that the address brings, which comes after the picture that the page opens with.
  const brings = lab.asked.has("text") || lab.packing.names().includes("text"),
    brought = lab.view("text"),
    awaited = (text) => drawn === null && brings && !brought.value.startsWith(text);
  let value = null,
    letters = [],
    chips = [],
    locked = null,
    drawn = null;

  function pick(row) {
    const on = chosen.has(row.name);
    return lab.el(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-pressed": String(on),
        onclick: () => {
          const others = value.rows.some((each) => each.name !== row.name && chosen.has(each.name));
          if (on && others) chosen.delete(row.name);
          else chosen.add(row.name);
          asked.set(
            value.rows
              .map((each) => each.name)
              .filter((name) => chosen.has(name))
              .join(","),
          );
          draw(value);
        },
      },
      lab.say(row.title),
    );
  }

  function chip(token, at) {
    const [text, id, hex, first, last, kind] = token;
    const shown = kind === "part" ? (hex.match(/../g) || []).join(" ") : text === "" ? "∅" : lab.visible(text);
    const node = lab.el(
      "span",
      { class: `cut c${at % 5} ${kind}`, role: "option", "aria-selected": "false", "data-id": id },
      shown,
    );
    node.lines = () => [
      `“${kind === "part" || kind === "unknown" ? lab.visible(range(first, last)) : lab.visible(text)}”`,
      lab.word("components.id", { id }),
      hex
        ? lab.word("components.bytes", { n: hex.length / 2, bytes: (hex.match(/../g) || []).slice(0, 16).join(" ") })
        : "",
      kind === "unknown"
        ? lab.word("components.cuts.unknown")
        : kind === "part"
          ? lab.word("components.cuts.part")
          : "",
    ];
    chips.push({ node, first, last });
    return node;
  }
  // The bytes of one character stand together, with the character below them.
  function chained(tokens) {
    const found = [];
    let group = null,
      until = -1,
      from = -1;
    tokens.forEach((token, at) => {
      const [, , , first, last, kind] = token;
      if (kind === "part" && group && first < until) {
        until = Math.max(until, last);
      } else {
        group = kind === "part" ? lab.el("span", { class: "joined" }) : null;
        if (group) found.push(group);
        [from, until] = [first, last];
      }
      if (!group) {
        found.push(chip(token, at));
        return;
      }
      group.append(chip(token, at));
      group.dataset.of = lab.visible(range(from, until));
    });
    return found;
  }
  const range = (first, last) =>
    letters
      .slice(first, last)
      .map((each) => each.raw)
      .join("");

  function lengths(counts) {
    const most = Math.max(1, ...counts);
    return lab.el(
      "span",
      {
        class: "lengths",
        role: "img",
        title: lab.word("components.cuts.lengths"),
        "aria-label": lab.word("components.cuts.lengths") + ": " + lab.listed(counts),
      },
      counts.map((n, i) => {
        const bar = lab.el("i", {
          title: lab.word("components.cuts.length", { n, length: i + 1 < counts.length ? i + 1 : `${i + 1}+` }),
        });
        bar.style.height = `${(100 * n) / most}%`;
        return bar;
      }),
    );
  }

  function row(each) {
    const tiles = each.measures.map((m) =>
      lab.el(
        "span",
        { class: "measure", title: lab.say(m.note) },
        lab.el("b", {}, typeof m.value === "number" ? (m.share ? lab.percent(m.value) : lab.number(m.value)) : m.value),
        lab.el("small", {}, lab.say(m.name)),
      ),
    );
    return lab.el(
      "section",
      { class: "row", "data-name": each.name },
      lab.el(
        "header",
        {},
        lab.el("h3", {}, lab.say(each.title)),
        lab.el(
          "button",
          {
            type: "button",
            class: "plain save",
            title: lab.word("components.cuts.save.note"),
            onclick: () => tools.fire("save", { name: each.name }),
          },
          lab.word("components.cuts.save"),
        ),
        lab.el("p", {}, lab.say(each.about)),
      ),
      lab.el(
        "div",
        {
          class: "tokens",
          dir: "auto",
          role: "listbox",
          tabindex: 0,
          "aria-label": lab.word("components.cuts.tokens", { title: each.title }),
        },
        chained(each.tokens),
        each.more > 0
          ? lab.el("span", { class: "more" }, lab.word("components.more", { n: each.more.toLocaleString(lab.locale) }))
          : null,
      ),
      lab.el("div", { class: "measures" }, tiles, lengths(each.lengths)),
      each.back.length
        ? lab.el(
            "p",
            { class: "back", dir: "auto" },
            lab.el("span", { class: "quiet" }, lab.word("components.cuts.back") + " "),
            each.back.map(([text, mark]) =>
              mark
                ? lab.el("mark", { class: mark, title: lab.word("components.back." + mark) }, lab.visible(text))
                : text,
            ),
          )
        : null,
      lab.el("p", { class: "said" }, lab.say(each.said)),
    );
  }

  function light(first, last) {
    letters.forEach((each, i) => each.node.classList.toggle("on", first !== null && i >= first && i < last));
    for (const each of chips)
      each.node.classList.toggle("on", first !== null && each.first < last && each.last > first);
  }
  function point(node) {
    const found = chips.find((each) => each.node === node),
      at = letters.findIndex((each) => each.node === node);
    if (!found && at < 0) return;
    const box = node.getBoundingClientRect();
    light(...(found ? [found.first, Math.max(found.last, found.first)] : [at, at + 1]));
    if (found) {
      node.classList.add("on");
      lab.note(node.lines(), box.left + box.width / 2 - 14, box.bottom - 10);
    }
  }
  body.addEventListener("mouseover", (event) => {
    if (locked === null) point(event.target);
  });
  body.addEventListener("mouseleave", () => {
    if (locked === null) light(null);
    lab.unnote();
  });
  body.addEventListener("click", (event) => {
    if (!event.target.matches(PARTS)) return;
    lock(locked === event.target ? null : event.target, event.target);
    const row = locked?.closest(".row");
    holds.set(
      locked ? `${row?.dataset.name ?? ""}.${[...(row ?? source).querySelectorAll(PARTS)].indexOf(locked)}` : "",
    );
  });
  function lock(node, at = node) {
    locked = null;
    point(at);
    locked = node;
    for (const chip of chips) chip.node.setAttribute("aria-selected", String(chip.node === locked));
  }
  function hold(first) {
    const [name, number] = holds.value.split("."),
      row = name ? [...stage.children].find((each) => each.dataset.name === name) : source;
    const node = row?.querySelectorAll(PARTS)[number];
    if (node) {
      lock(node);
      lab.unnote();
    } else if (first) holds.refuse();
    else holds.set("");
  }
  lab.walk(stage, {
    next: (mine, at, step) => mine[mine.indexOf(at) + step[0] + step[1]],
    point(node) {
      if (locked === null) point(node);
    },
    press: (node) => node.click(),
    leave() {
      if (locked === null) light(null);
    },
    say: (node) => node.lines(),
  });
  const free = (event) => {
    if (event.key === "Escape" && locked) {
      locked = null;
      light(null);
      holds.set("");
    }
  };
  document.addEventListener("keydown", free);
  tools.onLeave(() => document.removeEventListener("keydown", free));

  function draw(given) {
    value = given;
    const rows = given?.rows || [];
    locked = null;
    chips = [];
    letters = Array.from(given?.text || "").map((raw) => ({
      raw,
      node: lab.el("span", { class: "letter" }, lab.visible(raw)),
    }));
    source.replaceChildren(...letters.map((each) => each.node));
    source.hidden = !letters.length;
    // One that is brought later is shown at once.
    if (met.size) rows.forEach((each) => met.has(each.name) || chosen.add(each.name));
    rows.forEach((each) => met.add(each.name));
    if (rows.length && !rows.some((each) => chosen.has(each.name))) {
      if (asked.value) asked.refuse();
      rows.slice(0, 4).forEach((each) => chosen.add(each.name));
    }
    picks.replaceChildren(...rows.map(pick));
    note.textContent = lab.say(given?.note) || "";
    note.hidden = !note.textContent;
    stage.replaceChildren(...rows.filter((each) => chosen.has(each.name)).map(row));
    if (rows.length && !awaited(given.text)) {
      if (holds.value && (drawn ?? given.text) === given.text) hold(drawn === null);
      else if (holds.value) holds.set("");
      drawn = given.text;
    }
    requestAnimationFrame(() =>
      body.querySelectorAll(".source, .back").forEach((long) => {
        // what is scrolled can be reached
        if (long.scrollHeight > long.clientHeight) long.tabIndex = 0;
        else long.removeAttribute("tabindex");
      }),
    );
  }
  return draw;
});
