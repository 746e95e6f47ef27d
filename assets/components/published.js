// The published models as a list to be searched: what each states, what it has, and why the two differ.
window.lab.published = (facts, choose) => {
  const lab = window.lab;
  const field = lab.el("input", {
    type: "search",
    placeholder: lab.word("parameters.search.hint"),
    "aria-label": lab.word("parameters.search"),
  });
  const list = lab.el("ul", { tabindex: 0, "aria-label": lab.word("parameters.search") });
  const rows = facts.published.map((each) => {
    const put = (i, word) =>
      lab.el(
        "button",
        {
          type: "button",
          class: "plain",
          "aria-label": `${each.name}: ${lab.word(word)}`,
          onclick: () => choose(i, each.name),
        },
        lab.word(word),
      );
    const node = lab.el(
      "li",
      {},
      lab.el("div", {}, lab.el("strong", {}, each.name), lab.el("p", {}, lab.say(each.why))),
      put(0, "parameters.search.left"),
      put(1, "parameters.search.right"),
    );
    const known = [each.name, lab.say(facts.models[each.model].title), each.model, lab.say(each.why)]
      .join(" ")
      .toLowerCase();
    return { node, known };
  });
  const none = lab.el("li", { class: "none" }, lab.word("parameters.search.none"));
  function show() {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter(({ known }) => wanted.every((word) => known.includes(word)));
    list.replaceChildren(...(found.length ? found.map(({ node }) => node) : [none]));
  }
  field.addEventListener("input", show);
  show();
  return lab.el("div", { class: "published" }, field, list);
};
