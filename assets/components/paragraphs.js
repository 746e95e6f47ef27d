// What one paragraph costs in several languages: its tokens, one bar for each tokenizer.
window.lab.component("paragraphs", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const view = lab.view("spoken");
  let chosen = view.value;
  function draw(value) {
    const kinds = value?.kinds || [],
      rows = value?.rows || [];
    if (chosen && kinds.length && !kinds.some((each) => each.name === chosen)) {
      chosen = "";
      view.refuse();
    }
    const k = Math.max(
      0,
      kinds.findIndex((each) => each.name === chosen),
    );
    const most = Math.max(1e-9, ...rows.map((row) => row.tokens[k] || 0));
    const english = rows.find((row) => row.code === "en");
    const picks = lab.el(
      "div",
      { class: "picks", role: "group" },
      kinds.map((each, i) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(i === k),
            onclick: () => {
              chosen = each.name;
              view.set(chosen);
              draw(value);
            },
          },
          lab.say(each.title),
        ),
      ),
    );
    body.replaceChildren(
      picks,
      lab.el(
        "div",
        { class: "table", role: "table" },
        rows.map((row) => {
          const bar = lab.el("i"),
            lost = lab.el("i", { class: "lost" });
          bar.style.width = `${(100 * row.tokens[k] * (1 - row.unknown[k])) / most}%`;
          lost.style.width = `${(100 * row.tokens[k] * row.unknown[k]) / most}%`;
          return lab.el(
            "div",
            { class: "line", role: "row", title: row.text },
            lab.el("span", { class: "name", role: "cell" }, lab.say(row.name)),
            lab.el("span", { class: "track", role: "cell" }, bar, lost),
            lab.el("b", { role: "cell" }, lab.number(row.tokens[k])),
            lab.el(
              "span",
              { class: "quiet", role: "cell" },
              row.unknown[k]
                ? lab.word("components.paragraphs.unknown", { share: lab.percent(row.unknown[k]) })
                : lab.word("components.paragraphs.times", { n: lab.number(row.tokens[k] / english.tokens[k], 2) }),
            ),
            lab.el("span", { class: "text", dir: "auto", role: "cell" }, row.text),
          );
        }),
      ),
    );
  }
  return draw;
});
