// A ledger of both models: what is in a count and what is not, and why one model is printed at different sizes.
window.lab.component("ledger", (element, tools) => {
  const lab = window.lab,
    { exact } = lab.counting;
  const body = tools.card();
  const HEADS = ["pooler", "head", "pair", "generator"];
  const TABLES = ["tokens", "positions", "segments", "rest"];
  const PIECES = [...TABLES, "blocks", ...HEADS];
  // The ways in which sizes are commonly counted: what each leaves out.
  const WAYS = [
    ["whole", []],
    ["masked", ["pooler", "pair"]],
    ["pooler", ["head", "pair", "generator"]],
    ["bare", HEADS],
    ["blocks", [...TABLES, ...HEADS]],
  ];
  const view = lab.view("uncounted"),
    asked = view.value.split(".").filter(Boolean);
  let out = new Set(asked.filter((piece) => PIECES.includes(piece)));
  let shown = null;
  if (out.size < asked.length) view.refuse();

  // To four, three and two digits, as papers round.
  function rounded(n) {
    const [unit, letter] = n >= 1e9 ? [1e9, "B"] : n >= 1e6 ? [1e6, "M"] : [1e3, "k"];
    return [4, 3, 2].map((digits) => Number((n / unit).toPrecision(digits)).toString() + letter);
  }
  const total = (pieces, left) => PIECES.reduce((sum, piece) => sum + (left.has(piece) ? 0 : pieces[piece] || 0), 0);
  const printed = (n) => lab.el("span", { class: "printed" }, [...new Set(rounded(n))].join(" · "));

  function said(berts) {
    const found = {};
    for (const [size, pieces] of Object.entries(berts)) {
      for (const [way, left] of WAYS) found[`${size}_${way}`] = rounded(total(pieces, new Set(left)))[0];
      found[`${size}_said`] = rounded(total(pieces, new Set()))[2];
    }
    return found;
  }

  function keep() {
    view.set([...out].join("."));
    draw();
  }
  // A way that counts both models as another does is no way of its own: no pooler alone where neither has a pooler.
  function told(present) {
    const kept = (left) => present.filter((piece) => !left.includes(piece)).join();
    const [whole, bare] = [kept([]), kept(HEADS)];
    return WAYS.filter(
      ([way, left]) => way === "whole" || (kept(left) !== whole && (way === "bare" || kept(left) !== bare)),
    );
  }
  function draw() {
    const { names, sides } = shown;
    const present = PIECES.filter((piece) => sides.some((pieces) => pieces[piece]));
    const ticks = present.map((piece) => {
      const box = lab.el("input", { type: "checkbox" });
      box.checked = !out.has(piece);
      box.addEventListener("change", () => {
        if (box.checked) out.delete(piece);
        else out.add(piece);
        keep();
        element.querySelectorAll("input")[present.indexOf(piece)]?.focus();
      });
      return lab.el(
        "tr",
        { class: out.has(piece) ? "out" : null },
        lab.el(
          "th",
          { scope: "row" },
          lab.el("label", {}, box, lab.el("span", {}, lab.word("parameters.piece." + piece))),
        ),
        sides.map((pieces) => lab.el("td", {}, pieces[piece] ? exact(pieces[piece]) : "–")),
      );
    });
    const sums = lab.el(
      "tr",
      { class: "sum" },
      lab.el("th", { scope: "row" }, lab.word("parameters.ledger.sum")),
      sides.map((pieces) =>
        lab.el("td", {}, lab.el("strong", {}, exact(total(pieces, out))), printed(total(pieces, out))),
      ),
    );
    const ways = told(present).map(([way, left], i) => {
      const chosen = present.every((piece) => left.includes(piece) === out.has(piece));
      return lab.el(
        "tr",
        {},
        lab.el(
          "th",
          { scope: "row" },
          lab.el(
            "button",
            {
              type: "button",
              class: "plain",
              "aria-pressed": String(chosen),
              onclick: () => {
                out = new Set(left);
                keep();
                element.querySelectorAll("button")[i]?.focus({ preventScroll: true });
              },
            },
            lab.word("parameters.way." + way),
          ),
        ),
        sides.map((pieces) =>
          lab.el("td", {}, exact(total(pieces, new Set(left))), printed(total(pieces, new Set(left)))),
        ),
      );
    });
    const head = (text) =>
      lab.el(
        "thead",
        {},
        lab.el(
          "tr",
          {},
          lab.el("th", { scope: "col" }, text),
          names.map((name) => lab.el("th", { scope: "col" }, lab.say(name))),
        ),
      );
    body.replaceChildren(
      lab.el("p", {}, lab.word("parameters.ledger.lead")),
      lab.el(
        "div",
        { class: "ledgers" },
        lab.el(
          "div",
          { class: "table", tabindex: 0 },
          lab.el("table", {}, head(lab.word("parameters.ledger.counted")), lab.el("tbody", {}, ticks, sums)),
        ),
        lab.el(
          "div",
          { class: "table", tabindex: 0 },
          lab.el("table", {}, head(lab.word("parameters.ledger.ways")), lab.el("tbody", {}, ways)),
        ),
      ),
      lab.el("p", { class: "small" }, lab.word("parameters.ledger.note", said(shown.berts))),
    );
  }
  return (value) => {
    shown = value;
    if (value) draw();
  };
});
