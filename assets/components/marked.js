// Running text with marked stretches.
window.lab.component("marked", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();

  function stretch([text, kind, tag]) {
    if (!kind) return document.createTextNode(lab.say(text));
    return lab.el(
      "mark",
      { class: kind, title: lab.word("components.kind." + kind) },
      kind === "written" ? lab.say(text) : lab.visible(lab.say(text)),
      tag ? lab.el("span", { class: "tag" }, lab.say(tag)) : null,
    );
  }

  return (value) => {
    const rows = value?.rows || [];
    body.replaceChildren(
      ...rows.map((row) =>
        lab.el(
          "div",
          { class: "marked-row" },
          row.label ? lab.el("div", { class: "row-label" }, lab.say(row.label)) : null,
          row.parts?.length ? lab.el("p", { class: "running", dir: "auto" }, row.parts.map(stretch)) : null,
          row.note ? lab.el("div", { class: "note" }, lab.say(row.note)) : null,
        ),
      ),
    );
    if (!rows.length)
      body.append(lab.el("div", { class: "empty" }, lab.say(value?.empty) || lab.word("components.empty")));
  };
});
