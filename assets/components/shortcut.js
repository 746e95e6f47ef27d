// Two objectives side by side: what a simple classifier reaches on each, beside chance, and how it judges a few pairs.
window.lab.component("shortcut", (element, tools) => {
  const lab = window.lab;
  // Which pairs are shown, as the address has them: their source and their seed.
  const view = lab.view("pairs");
  let value = null,
    parts = null;

  function make() {
    const body = tools.card();
    const sources = ["en", "zh", "own"].map((source) =>
      lab.el(
        "button",
        { type: "button", class: "plain", "data-source": source, onclick: () => ask(source, value.seed) },
        lab.word("desks.shortcut." + source),
      ),
    );
    const roll = lab.el(
      "button",
      { type: "button", class: "plain", "data-act": "roll", onclick: () => ask(value.source, value.seed + 1) },
      lab.word("desks.shortcut.roll"),
    );
    const sides = lab.el("div", { class: "sides" }),
      note = lab.el("p", { class: "desk-note" });
    body.append(
      lab.el("p", { class: "desk-lead" }, lab.word("desks.shortcut.lead")),
      lab.el("div", { class: "controls" }, sources, roll),
      sides,
      note,
    );
    return { sources, sides, note };
  }
  function ask(source, seed) {
    view.set(`${source}.${seed}`);
    parts.sides.classList.add("busy");
    tools.fire("roll", { source, seed });
  }
  function begin() {
    const asked = view.value.match(/^(en|zh|own)\.(\d{1,9})$/);
    if (view.value && !asked) view.refuse();
    else if (asked && asked[0] !== `${value.source}.${value.seed}`) ask(asked[1], Number(asked[2]));
  }

  function bar(reader, chance) {
    const fill = lab.el("span", { class: "fill" }),
      whisker = lab.el("span", { class: "whisker" }),
      line = lab.el("span", { class: "chance" });
    const low = Math.max(0, reader.right - reader.spread),
      high = Math.min(1, reader.right + reader.spread),
      beats = low > chance;
    fill.style.width = `${100 * reader.right}%`;
    whisker.style.left = `${100 * low}%`;
    whisker.style.width = `${100 * (high - low)}%`;
    line.style.left = `${100 * chance}%`;
    return lab.el(
      "div",
      { class: "reader " + (beats ? "beats" : "fails") },
      lab.el(
        "div",
        { class: "reader-name" },
        lab.el("span", {}, lab.say(reader.name)),
        lab.el(
          "strong",
          {},
          lab.typeset(`${(100 * reader.right).toFixed(0)}\u00a0%\u00a0±\u00a0${(100 * reader.spread).toFixed(0)}`),
        ),
      ),
      lab.el("div", { class: "track", "aria-hidden": "true" }, fill, whisker, line),
      lab.el(
        "div",
        { class: "verdict" },
        lab.word(beats ? "desks.shortcut.beats" : "desks.shortcut.fails", { chance: (100 * chance).toFixed(0) }),
      ),
    );
  }
  const stretch = (piece) => (piece[1] ? lab.el("mark", {}, piece[0]) : piece[0]);
  const example = (given) =>
    lab.el(
      "li",
      {},
      given.parts.map((part, number) =>
        lab.el(
          "p",
          { class: "part" },
          lab.el("span", { class: "number", "aria-hidden": "true" }, number + 1),
          lab.el("span", {}, part.map(stretch)),
        ),
      ),
      lab.el(
        "p",
        { class: "said " + (given.right ? "right" : "off") },
        given.right ? "✓ " : "✗ ",
        lab.word("desks.shortcut.said", {
          said: lab.say(given.said),
          sure: (100 * given.sure).toFixed(0),
          truth: lab.say(given.truth),
        }),
      ),
    );

  return (given) => {
    value = given;
    parts?.sides.classList.remove("busy");
    if (!given) {
      element.replaceChildren();
      parts = null;
      return;
    }
    if (!parts) {
      parts = make();
      begin();
    }
    for (const button of parts.sources)
      button.setAttribute("aria-pressed", String(button.dataset.source === given.source));
    parts.sides.replaceChildren(
      ...given.sides.map((side) =>
        lab.el(
          "section",
          {},
          lab.el("h3", {}, lab.say(side.name)),
          lab.el("p", { class: "asks" }, lab.say(side.asks)),
          side.readers.map((reader) => bar(reader, side.chance)),
          lab.el(
            "details",
            { open: true },
            lab.el("summary", {}, lab.word("desks.shortcut.examples", { n: side.examples.length })),
            lab.el("ol", {}, side.examples.map(example)),
          ),
        ),
      ),
    );
    parts.note.textContent = given.note.map(lab.say).join(" ");
  };
});
