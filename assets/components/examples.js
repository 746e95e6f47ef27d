// Labelled examples as rows that can be clicked, with the true class and the one that a model named.
window.lab.component("examples", (element, tools) => {
  const lab = window.lab;
  const body = tools.card(),
    title = lab.el("p", { class: "what", "aria-live": "polite" }),
    list = lab.el("ul", { class: "examples" }),
    rest = lab.el("p", { class: "rest" });
  body.append(title, list, rest);

  const named = (kind, name) => lab.el("span", { class: `class ${kind}` }, lab.say(name));
  function row(example) {
    const verdict = lab.el(
      "span",
      { class: "verdict" },
      named("true", example.true),
      " → ",
      named(example.right ? "true" : "wrong", example.said),
      example.share === null ? "" : ` ${lab.percent(example.share)}`,
    );
    const { text, pair, options } = example;
    const texts = [text, pair].filter(Boolean).map((each) => lab.el("span", { class: "text" }, each));
    const pick = () => tools.fire("pick", { text, pair, options });
    return lab.el("li", {}, lab.el("button", { type: "button", dir: "auto", onclick: pick }, verdict, ...texts));
  }
  return (value) => {
    const examples = value?.examples || [];
    title.textContent = lab.say(value?.title);
    title.hidden = !title.textContent;
    list.replaceChildren(...examples.map(row));
    rest.textContent = examples.length
      ? value.more
        ? lab.word("components.examples.more", { n: value.more.toLocaleString(lab.locale) })
        : ""
      : lab.say(value?.empty);
  };
});
