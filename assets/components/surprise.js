// How surprising each token of a written text was: coloured by the probability that the model gave it, and told.
(() => {
  "use strict";
  const lab = window.lab;

  const LEVELS = [0.5, 0.1, 0.01, 0.001];
  const level = (p) => LEVELS.filter((edge) => p < edge).length;
  const nats = (p) => -Math.log(Math.max(p, 1e-12));
  const hex = (text) => Uint8Array.from((text || "").match(/../g) || [], (pair) => parseInt(pair, 16));

  // A character may be spread over several tokens: it stands in the first of them, the others are slivers.
  function whole(tokens) {
    const texts = tokens.map((token) => token.text);
    for (let i = 0; i < tokens.length; i++) {
      if (!texts[i].includes("\ufffd")) continue;
      const bytes = [];
      for (let j = i; j < Math.min(tokens.length, i + 4) && tokens[j].bytes; j++) {
        bytes.push(...hex(tokens[j].bytes));
        try {
          texts[i] = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
          for (let k = i + 1; k <= j; k++) texts[k] = null;
          i = j;
          break;
        } catch {
          /* not whole yet */
        }
      }
      if (texts[i]?.includes("\ufffd"))
        texts[i] = (tokens[i].bytes.match(/../g) || []).map((pair) => `‹${pair.toUpperCase()}›`).join("");
    }
    return texts;
  }
  const spans = (tokens, make) =>
    whole(tokens).map((text, i) => {
      const node = make(tokens[i], i);
      node.classList.add("token", "s" + level(tokens[i].p));
      if (text === null) {
        node.classList.add("sliver"); // nothing to read stands in it
        if (node.matches("[role]")) node.setAttribute("aria-label", tokens[i].bytes || "…");
      } else node.textContent = text.replace(/\n/g, "↵\n");
      return node;
    });
  const legend = () =>
    lab.el(
      "div",
      { class: "surprise" },
      lab.el("span", {}, lab.word("generate.surprise")),
      [
        ["s0", ">\u00a050\u00a0%"],
        ["s1", ">\u00a010\u00a0%"],
        ["s2", ">\u00a01\u00a0%"],
        ["s3", ">\u00a00.1\u00a0%"],
        ["s4", "≤\u00a00.1\u00a0%"],
      ].map(([name, text]) => lab.el("span", { class: "token " + name }, text)),
    );
  const facts = (token, at) => [
    lab.visible(token.text),
    lab.word("generate.fact.p", { p: lab.percent(token.p), nats: lab.number(nats(token.p), 3) }),
    token.picked
      ? lab.word("generate.fact.picked")
      : token.uniform === undefined
        ? ""
        : lab.word("generate.fact.uniform", { n: at + 1, uniform: token.uniform.toFixed(3) }),
  ];

  lab.surprise = { spans, legend, facts, nats };
})();
