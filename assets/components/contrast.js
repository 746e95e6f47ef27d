// Contrastive search: the text, and for the token that is chosen its candidates with the two terms of their score.
window.lab.component("contrast", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const stage = lab.el("div", {
    class: "stage",
    dir: "auto",
    role: "group",
    "aria-label": lab.word("generate.contrast.text"),
  });
  const late = lab.el("p", { class: "late" }),
    told = lab.el("p", { class: "note", "aria-live": "polite" }),
    terms = lab.el("div", {
      class: "table",
      tabindex: 0,
      role: "group",
      "aria-label": lab.word("generate.contrast.terms"),
    }),
    texts = lab.el("div", {
      class: "table",
      tabindex: 0,
      role: "group",
      "aria-label": lab.word("generate.contrast.texts"),
    });
  const whole = lab.el("div", {}, stage, late, told, terms, texts),
    empty = lab.el("div", { class: "empty" });
  body.append(whole, empty);
  let steps = [],
    at = 0;

  const table = (heads, rows) =>
    lab.el(
      "table",
      {},
      lab.el(
        "thead",
        {},
        lab.el(
          "tr",
          {},
          heads.map((head) => lab.el("th", { scope: "col" }, lab.word("generate.contrast.head." + head))),
        ),
      ),
      lab.el("tbody", {}, rows),
    );
  const cell = (text, attributes = {}) => lab.el("td", attributes, text);
  const bar = (share, kind, text) => {
    const fill = lab.el("span", { class: "fill " + kind });
    fill.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return lab.el("td", { class: "term" }, lab.el("span", { class: "track" }, fill), lab.el("span", {}, text));
  };

  function show(n) {
    at = n;
    stage.querySelectorAll(".token").forEach((node, i) => node.setAttribute("aria-pressed", String(i === at)));
    const { candidates, taken } = steps[at],
      likeliest = candidates.reduce((best, each, i) => (each.p > candidates[best].p ? i : best), 0);
    told.textContent = lab.word(taken === likeliest ? "generate.contrast.same" : "generate.contrast.other", {
      n: at + 1,
      token: lab.visible(lab.say(candidates[taken].text)),
      likeliest: lab.visible(lab.say(candidates[likeliest].text)),
    });
    const rows = candidates.map((each, i) =>
      lab.el(
        "tr",
        { class: i === taken ? "taken" : "" },
        lab.el("th", { scope: "row", dir: "auto" }, lab.visible(lab.say(each.text)) || "∅"),
        bar(each.p, "own", lab.percent(each.p)),
        bar(each.penalty, "penalty", each.penalty.toFixed(3)),
        cell(lab.word("generate.contrast.like", { token: lab.visible(lab.say(each.like)), n: each.place })),
        cell(each.score.toFixed(3), { class: "number" }),
      ),
    );
    terms.replaceChildren(table(["token", "p", "penalty", "like", "score"], rows));
  }

  return (value) => {
    steps = value?.steps || [];
    whole.hidden = !steps.length;
    empty.hidden = !!steps.length;
    empty.textContent = lab.say(value?.empty) || lab.word("generate.contrast.none");
    if (!steps.length) return;
    late.textContent = lab.say(value.note);
    late.hidden = !late.textContent;
    const tokens = steps.map(({ candidates, taken, bytes }) => ({
      text: typeof candidates[taken].text === "string" ? candidates[taken].text : "",
      bytes,
      p: candidates[taken].p,
    }));
    const node = (token, i) =>
      lab.el("button", {
        type: "button",
        "aria-pressed": "false",
        class: steps[i].candidates.some((each) => each.p > token.p) ? "turned" : "",
        onclick: () => show(i),
      });
    stage.replaceChildren(
      lab.el("span", { class: "prompt" }, value.prompt || lab.word("generate.begin")),
      ...lab.surprise.spans(tokens, node).map((each, i) => {
        if (!steps[i].bytes) each.textContent = lab.word("generate.end");
        return each;
      }),
    );
    texts.replaceChildren(
      table(
        ["way", "text", "repeated", "distinct"],
        value.rows.map(([name, ...rest]) =>
          lab.el(
            "tr",
            {},
            lab.el("th", { scope: "row" }, lab.say(name)),
            rest.map((text, i) => cell(text, i ? { class: "number" } : { dir: "auto" })),
          ),
        ),
      ),
    );
    show(Math.min(at, steps.length - 1));
  };
});
