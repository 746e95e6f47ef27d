// Parameters worked out from the formulas that were read off the models: nothing is asked of the server.
(() => {
  "use strict";
  const lab = window.lab;
  const LETTERS = {
    vocabulary: "V",
    context: "C",
    embedding_width: "E",
    width: "H",
    keys: "K",
    inner: "I",
    feed: "F",
    heads: "A",
    depth: "L",
  };
  const ORDER = Object.keys(LETTERS); // the order of factors: V · E, but E · H
  const PARTS = [
    "embeddings",
    "char_cnn",
    "highway",
    "projection",
    "attention",
    "ffn",
    "conv",
    "lstm",
    "norms",
    "heads",
  ];
  const exact = (n) => Math.round(n).toLocaleString(lab.locale);
  const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

  const terms = (facts, side) => facts.models[side.model][side.feed ? "feed" : "plain"];
  // The width of all heads together, and of all keys, follows from a head's own where the model has such a size.
  const ownHeads = (facts, side) => side.head_width && terms(facts, side).some((term) => term.sizes.includes("inner"));
  const sized = (facts, side, size) => {
    if (size !== "keys" && size !== "inner") return side[size];
    const head = ownHeads(facts, side) ? side.head_width : side.width / side.heads;
    return head * (size === "keys" && side.kv_heads ? side.kv_heads : side.heads);
  };
  const value = (facts, term, side) =>
    term.sizes.reduce((n, size) => n * sized(facts, side, size), term.times) * (term.each ? side.depth : 1);

  // The same numbers as lab.analysis.count gives: in all, and part by part.
  function count(facts, side) {
    const all = terms(facts, side);
    const total = (wanted) => sum(all.filter(wanted).map((term) => value(facts, term, side)));
    const parts = {};
    for (const part of PARTS)
      if (total((term) => term.part === part)) parts[part] = total((term) => term.part === part);
    const whole = total(() => true),
      pooler = sum(facts.models[side.model].pooler.map((term) => value(facts, term, side)));
    const bare = whole - (parts.heads || 0);
    const matrices = all.filter((term) => term.runs && term.sizes.length === 2);
    const work = (stack) => sum(stack.map((term) => value(facts, { ...term, each: false }, side))) * side.depth;
    const decoder = (term) => term.name.startsWith("decoder.");
    return {
      params: { bare_model: bare, ...(pooler ? { with_pooler: bare + pooler } : {}), with_pretraining_heads: whole },
      parts,
      whole,
      blocks: total((term) => term.runs),
      work: work(matrices.filter((term) => !decoder(term))), // for a token that is read; and for one that is written:
      writing: work(matrices.filter(decoder)),
    };
  }

  // Equal products added up, the largest first: 4 · H², 4 · H.
  function products(facts, chosen, side) {
    const found = new Map();
    for (const term of chosen) {
      const sizes = [...term.sizes].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
      const key = sizes.join(),
        known = found.get(key) || { times: 0, sizes };
      known.times += term.times;
      found.set(key, known);
    }
    const number = (p) => p.sizes.reduce((n, size) => n * sized(facts, side, size), p.times);
    return [...found.values()]
      .map((p) => ({
        letters: [...(p.times > 1 || !p.sizes.length ? [String(p.times)] : []), ...powers(p.sizes)].join(" · "),
        numbers: [
          ...(p.times > 1 || !p.sizes.length ? [exact(p.times)] : []),
          ...p.sizes.map((size) => exact(sized(facts, side, size))),
        ].join(" × "),
        value: number(p),
      }))
      .sort((a, b) => b.value - a.value);
  }
  const powers = (sizes) =>
    [...new Set(sizes)].map((size) => {
      const n = sizes.filter((each) => each === size).length;
      return LETTERS[size] + (n > 1 ? "²" : "");
    });
  // What is there once, then what is there for each block.
  function sums(facts, chosen, side) {
    const once = chosen.filter((term) => !term.each),
      each = chosen.filter((term) => term.each);
    const groups = [];
    if (once.length) groups.push({ terms: products(facts, once, side) });
    if (each.length) groups.push({ times: side.depth, terms: products(facts, each, side) });
    return { groups, total: sum(chosen.map((term) => value(facts, term, side))) };
  }

  lab.counting = { LETTERS, PARTS, exact, sum, terms, value, count, sums };
})();
