// Formulas of two models under each other's like, with the numbers filled in.
window.lab.component("formulas", (element, tools) => {
  const lab = window.lab,
    { exact } = lab.counting;
  const body = tools.card();
  const head = lab.el("div"),
    rows = lab.el("div"),
    all = lab.el("div");
  const fold = lab.el("details", {}, lab.el("summary", {}, lab.word("parameters.every")), all);
  body.append(head, rows, fold);

  const term = (each) =>
    lab.el("span", { class: "term" }, lab.el("b", {}, each.letters), lab.el("span", {}, each.numbers));
  const joined = (terms) => terms.flatMap((each, i) => (i ? [lab.el("i", {}, "+"), term(each)] : [term(each)]));

  function cell(name, { groups, total }) {
    const parts = groups.flatMap((group, i) => [
      ...(i ? [lab.el("i", {}, "+")] : []),
      ...(group.times === undefined
        ? joined(group.terms)
        : [
            lab.el("span", { class: "term" }, lab.el("b", {}, "L"), lab.el("span", {}, exact(group.times))),
            lab.el("i", {}, "× ("),
            ...joined(group.terms),
            lab.el("i", {}, ")"),
          ]),
    ]);
    return lab.el(
      "div",
      { class: "cell" },
      lab.el("div", { class: "who" }, lab.say(name)),
      lab.el(
        "div",
        { class: "sum" },
        parts.length ? parts : lab.el("span", { class: "none" }, lab.word("parameters.none")),
      ),
      lab.el("div", { class: "total" }, "= " + exact(total)),
    );
  }
  const row = (each, names, big) =>
    lab.el(
      "section",
      { class: big ? "idea" : "part" },
      lab.el("h3", {}, lab.say(each.name)),
      each.note ? lab.el("p", {}, lab.say(each.note)) : null,
      lab.el(
        "div",
        { class: "cells" },
        each.cells.map((given, i) => cell(names[i], given)),
      ),
    );

  return (value) => {
    body.hidden = !value;
    if (!value) return;
    head.replaceChildren(
      lab.el(
        "p",
        { class: "letters" },
        value.letters.flatMap(([letter, name]) => [lab.el("b", {}, letter), " ", lab.say(name), "  "]),
      ),
    );
    rows.replaceChildren(...value.ideas.map((each) => row(each, value.names, true)));
    all.replaceChildren(
      ...value.parts.map((each) => row(each, value.names, false)),
      row({ name: { word: "parameters.whole" }, cells: [] }, value.names, false),
    );
    all.lastChild.lastChild.replaceChildren(
      ...value.wholes.map((whole, i) =>
        lab.el(
          "div",
          { class: "cell" },
          lab.el("div", { class: "who" }, lab.say(value.names[i])),
          lab.el("div", { class: "total" }, exact(whole)),
        ),
      ),
    );
  };
});
