// How surprising each token of a written text was: coloured by the probability that the model gave it, by its rank
// among all tokens, or by the entropy of the distribution from which it was drawn; and told.
(() => {
  "use strict";
  const lab = window.lab;

  // How many of the edges a token is beyond is how dark it is; and what the legend says of each level.
  const NB = "\u00a0";
  const WAYS = {
    p: {
      beyond: ({ p }) => [0.5, 0.1, 0.01, 0.001].filter((edge) => p < edge).length,
      names: () => [`>${NB}50${NB}%`, `>${NB}10${NB}%`, `>${NB}1${NB}%`, `>${NB}0.1${NB}%`, `≤${NB}0.1${NB}%`],
    },
    rank: {
      beyond: ({ rank }) => [1, 5, 20, 100].filter((edge) => rank > edge).length,
      names: () => ["1", "2–5", "6–20", "21–100", `>${NB}100`],
    },
    entropy: {
      beyond: ({ entropy }) => [0.5, 1, 2, 4].filter((edge) => entropy > edge).length,
      names: () => [`≤${NB}0.5`, "0.5–1", "1–2", "2–4", `>${NB}4 ${lab.word("run.unit")}`],
    },
  };
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
  const spans = (tokens, make, way = "p") =>
    whole(tokens).map((text, i) => {
      const node = make(tokens[i], i);
      node.classList.add("token", "s" + WAYS[way].beyond(tokens[i]));
      if (text === null) {
        node.classList.add("sliver"); // nothing to read stands in it
        if (node.matches("[role]")) node.setAttribute("aria-label", tokens[i].bytes || "…");
      } else node.textContent = lab.unturned(text).replace(/\n/g, "↵\n");
      return node;
    });
  // The ways to colour, and what each shade means in the chosen one; and which the address names.
  function legend(choose) {
    const shades = lab.el("span", { class: "shades" }),
      names = Object.keys(WAYS),
      view = lab.view("by");
    if (view.value && !names.includes(view.value)) view.refuse();
    const ways = lab.radios(lab.word("generate.by"), (chosen) => {
      view.set(chosen ? names[chosen] : "");
      draw(chosen);
      choose(names[chosen]);
    });
    function draw(chosen) {
      ways.draw(
        names.map((name) => lab.word("generate.by." + name)),
        chosen,
      );
      const meant = WAYS[names[chosen]].names();
      shades.replaceChildren(...meant.map((name, i) => lab.el("span", { class: "token s" + i }, name)));
    }
    const way = view.value || names[0];
    draw(names.indexOf(way));
    const title = lab.el("span", {}, lab.word("generate.by"));
    return { way, node: lab.el("div", { class: "surprise" }, title, ways.node, shades) };
  }
  const facts = (token, at) => [
    lab.visible(token.text),
    lab.word("generate.fact.p", { p: lab.percent(token.p), nats: lab.number(nats(token.p), 3) }),
    token.rank === undefined
      ? ""
      : lab.word("generate.fact.rank", {
          rank: lab.number(token.rank),
          entropy: lab.number(token.entropy, 3),
        }),
    token.picked
      ? lab.word("generate.fact.picked")
      : token.uniform === undefined
        ? ""
        : lab.word("generate.fact.uniform", { n: at + 1, uniform: token.uniform.toFixed(3) }),
  ];

  lab.surprise = { spans, legend, facts, nats, whole };
})();
