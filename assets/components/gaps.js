// Gaps: the best guesses for each; one that is clicked takes the gap's place.
window.lab.component("gaps", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  lab.filled = (text) => {
    const { gap, text: guess } = lab.fired,
      parts = text.split("[MASK]");
    if (gap >= parts.length - 1) return text;
    const head = parts.slice(0, gap + 1).join("[MASK]"),
      tail = parts.slice(gap + 1).join("[MASK]");
    return (guess.startsWith(" ") && head.endsWith(" ") ? head.slice(0, -1) : head) + guess + tail;
  };
  return (value) => {
    const gaps = value?.gaps || [];
    body.replaceChildren(
      gaps.length
        ? lab.el(
            "div",
            { class: "lists" },
            gaps.map((guesses, gap) =>
              lab.el(
                "section",
                {},
                lab.el("h3", {}, lab.word("generate.gap", { n: gap + 1 })),
                lab.el(
                  "ol",
                  {},
                  guesses.map(([text, p, begins]) => {
                    const fill = lab.el("span", { class: "fill" });
                    fill.style.width = `${100 * p}%`;
                    return lab.el(
                      "li",
                      {},
                      lab.el(
                        "button",
                        { type: "button", class: "other", onclick: () => tools.fire("pick", { gap, text }) },
                        lab.el("span", { class: "name" }, lab.guess(text, begins)),
                        lab.el("span", { class: "track" }, fill),
                        lab.el("span", { class: "number" }, lab.percent(p)),
                      ),
                    );
                  }),
                ),
              ),
            ),
          )
        : lab.el("div", { class: "empty" }, lab.say(value?.empty) || lab.word("components.empty")),
      gaps.length
        ? lab.el("p", { class: "note" }, lab.word("generate.gap.note", { even: lab.percent(value.even) }))
        : "",
      lab.begun(gaps) ? lab.el("p", { class: "note" }, lab.word("components.begun")) : "",
    );
  };
});
