// Texts side by side, each token coloured by its probability. Where they were drawn from one prompt with the same
// uniform numbers, the place where one first differs is marked.
window.lab.component("columns", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  return (value) => {
    const columns = value?.columns || [];
    if (!columns.length) {
      body.replaceChildren(lab.el("div", { class: "empty" }, lab.say(value?.empty)));
      return;
    }
    const first = columns[0].tokens;
    const texts = columns.map((column, c) => {
      let same = 0;
      while (c && same < first.length && column.tokens[same]?.text === first[same].text) same++;
      const nodes = lab.surprise.spans(column.tokens, (token, at) =>
        lab.el("span", { "data-at": at, class: value.uniforms && c && at === same ? "parts" : "" }),
      );
      return lab.el(
        "section",
        {},
        lab.el("h3", {}, lab.say(column.title)),
        lab.el("p", { class: "note" }, lab.say(column.note)),
        lab.el(
          "p",
          { class: "stage", dir: "auto" },
          value.uniforms ? lab.el("span", { class: "prompt" }, value.prompt || lab.word("generate.begin")) : null,
          nodes.length ? nodes : lab.el("span", { class: "end" }, lab.word("generate.end")),
        ),
      );
    });
    body.replaceChildren(lab.el("div", { class: "columns" }, texts));
    const light = (at) =>
      body
        .querySelectorAll(".token")
        .forEach((node) => node.classList.toggle("on", at !== null && node.dataset.at === at));
    body.onmouseover = (event) => {
      const node = event.target.closest?.(".token");
      light(node ? node.dataset.at : null);
      if (!node) {
        lab.unnote();
        return;
      }
      const column = [...body.querySelectorAll("section")].indexOf(node.closest("section")),
        at = Number(node.dataset.at);
      const box = node.getBoundingClientRect();
      lab.note(
        lab.surprise.facts({ ...columns[column].tokens[at], uniform: value.uniforms?.[at] }, at),
        box.left,
        box.bottom - 12,
      );
    };
    body.onmouseleave = () => {
      light(null);
      lab.unnote();
    };
  };
});
