// Parameters worked out from the formulas that were read off the models: nothing is asked of the server.
(() => {
  "use strict";
  const lab = window.lab;
  const LETTERS = { vocabulary: "V", context: "C", narrow: "E", width: "H", keys: "K", inner: "I", feed: "F", heads: "A", depth: "L" };
  const ORDER = Object.keys(LETTERS); // the order of factors: V · E, but E · H
  const PARTS = ["embeddings", "char_cnn", "highway", "projection", "attention", "ffn", "conv", "lstm", "norms", "heads"];
  const exact = (n) => Math.round(n).toLocaleString(lab.language === "zh" ? "zh-CN" : "en");
  const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

  const terms = (facts, side) => facts.models[side.model][side.feed ? "feed" : "plain"];
  // The width of all heads together, and of all keys, follows from a head's own where the model has such a size.
  const ownHeads = (facts, side) => side.head_width && terms(facts, side).some((term) => term.sizes.includes("inner"));
  const sized = (facts, side, size) => {
    if (size !== "keys" && size !== "inner") return side[size];
    const head = ownHeads(facts, side) ? side.head_width : side.width / side.heads;
    return head * (size === "keys" && side.groups ? side.groups : side.heads);
  };
  const value = (facts, term, side) => term.sizes.reduce((n, size) => n * sized(facts, side, size), term.times) * (term.each ? side.depth : 1);

  // The same numbers as lab.engine.count gives: in all, and part by part.
  function count(facts, side) {
    const all = terms(facts, side);
    const total = (wanted) => sum(all.filter(wanted).map((term) => value(facts, term, side)));
    const parts = {};
    for (const part of PARTS) if (total((term) => term.part === part)) parts[part] = total((term) => term.part === part);
    const whole = total(() => true), pooler = sum(facts.models[side.model].pooler.map((term) => value(facts, term, side)));
    const bare = whole - (parts.heads || 0);
    return {
      params: { bare_model: bare, ...(pooler ? { with_pooler: bare + pooler } : {}), with_pretraining_heads: whole },
      parts, whole,
      blocks: total((term) => term.runs),
      work: sum(all.filter((term) => term.runs && term.sizes.length === 2).map((term) => value(facts, { ...term, each: false }, side))) * side.depth,
    };
  }

  // ---- written out

  // Equal products added up, the largest first: 4 · H², 4 · H.
  function products(facts, chosen, side) {
    const found = new Map();
    for (const term of chosen) {
      const sizes = [...term.sizes].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
      const key = sizes.join(), known = found.get(key) || { times: 0, sizes };
      known.times += term.times;
      found.set(key, known);
    }
    const number = (p) => p.sizes.reduce((n, size) => n * sized(facts, side, size), p.times);
    return [...found.values()].map((p) => ({
      letters: [...(p.times > 1 || !p.sizes.length ? [String(p.times)] : []), ...powers(p.sizes)].join(" · "),
      numbers: [...(p.times > 1 || !p.sizes.length ? [exact(p.times)] : []), ...p.sizes.map((size) => exact(sized(facts, side, size)))].join(" × "),
      value: number(p),
    })).sort((a, b) => b.value - a.value);
  }
  const powers = (sizes) => [...new Set(sizes)].map((size) => {
    const n = sizes.filter((each) => each === size).length;
    return LETTERS[size] + (n > 1 ? "²" : "");
  });
  // What is there once, then what is there for each block.
  function sums(facts, chosen, side) {
    const once = chosen.filter((term) => !term.each), each = chosen.filter((term) => term.each);
    const groups = [];
    if (once.length) groups.push({ terms: products(facts, once, side) });
    if (each.length) groups.push({ times: side.depth, terms: products(facts, each, side) });
    return { groups, total: sum(chosen.map((term) => value(facts, term, side))) };
  }

  // ---- the values of the page's components

  const title = (facts, side) => facts.models[side.model].title;
  const known = (facts, side) => facts.published.find((each) => each.name === side.name);
  const named = (facts, side) => (side.name ? `${lab.say(title(facts, side))} (${side.name})` : title(facts, side));

  function stacked(facts, sides) {
    return { unit: { word: "parameters.unit" }, rows: sides.map((side) => {
      const found = count(facts, side), paper = known(facts, side);
      return {
        name: named(facts, side),
        parts: PARTS.filter((part) => found.parts[part]).map((part) => ({ name: { word: "parameters.part." + part }, value: found.parts[part] })),
        note: noted(facts, side, paper ? paper.why : { word: "parameters.own." + (found.params.with_pooler ? "pooler" : "bare"),
          n: exact(found.params.with_pooler || found.params.bare_model), whole: exact(found.whole) }),
      };
    }) };
  }

  // Where published files hold less than what is learnt, it is said.
  const noted = (facts, side, first) => {
    const second = facts.models[side.model].apart;
    return second ? [first, second].map(lab.say).join(lab.language === "zh" ? "" : " ") : first;
  };

  // What each of ALBERT's two ideas saves a model that has them, beside the same model without.
  function saved(facts, side) {
    const all = terms(facts, side), plain = { ...side, narrow: side.width };
    const tables = all.filter((term) => term.part === "embeddings");
    const factors = facts.models[side.model].sizes.includes("narrow") && tables.some((term) => term.sizes.includes("narrow"));
    const whole = sum(tables.filter((term) => !/\bembed\.project\b/.test(term.name)).map((term) => value(facts, term, plain)));
    return {
      tables: factors ? whole - sum(tables.map((term) => value(facts, term, side))) : 0,
      blocks: (side.depth - 1) * sum(all.filter((term) => term.runs && !term.each).map((term) => value(facts, term, side))),
    };
  }
  function ideas(facts, sides) {
    const said = sides.map((side) => [side, saved(facts, side)]).filter(([, found]) => found.tables > 0 || found.blocks > 0).map(([side, found]) => ["p", {
      word: "parameters.ideas." + (found.tables > 0 && found.blocks > 0 ? "both" : found.tables > 0 ? "tables" : "blocks"),
      name: named(facts, side), tables: exact(found.tables), blocks: exact(found.blocks) }]);
    return said.filter((each, i) => i === 0 || JSON.stringify(each) !== JSON.stringify(said[0]));
  }

  const millions = (n) => n.toLocaleString(lab.language === "zh" ? "zh-CN" : "en", { notation: "compact", maximumSignificantDigits: 3 });
  const bytes = (n) => (n >= 1e9 ? `${lab.number(n / 1e9)} GB` : n >= 1e6 ? `${lab.number(n / 1e6)} MB` : `${lab.number(n / 1e3)} kB`);
  function tiles(facts, [left, right]) {
    const a = count(facts, left), b = count(facts, right), saved = a.whole - b.whole;
    const names = { left: title(facts, left), right: title(facts, right) };
    const share = Math.abs(saved) / a.whole, less = saved >= 0;
    const part = (n) => (saved > 0 && n > 0 ? { share: n / saved } : {});
    const blocks = a.blocks - b.blocks, tables = (a.parts.embeddings || 0) - (b.parts.embeddings || 0);
    const once = !terms(facts, right).some((term) => term.runs && term.each);
    return { tiles: [
      { name: { word: less ? "parameters.fewer" : "parameters.more", ...names }, value: (100 * share).toFixed(1), unit: "%",
        note: { word: "parameters.instead", n: exact(b.whole), all: exact(a.whole), times: lab.number(less ? a.whole / b.whole : b.whole / a.whole) },
        share: Math.min(1, share) },
      { name: { word: blocks >= 0 ? "parameters.blocks.saved" : "parameters.blocks.added" }, value: millions(Math.abs(blocks)), ...part(blocks),
        note: once ? { word: "parameters.blocks.shared", depth: right.depth } : { word: "parameters.blocks.own", depth: right.depth } },
      { name: { word: tables >= 0 ? "parameters.tables.saved" : "parameters.tables.added" }, value: millions(Math.abs(tables)), ...part(tables),
        note: right.narrow_known ? { word: "parameters.tables.narrow", e: right.narrow, h: right.width } : { word: "parameters.tables.full", h: right.width } },
      { name: { word: "parameters.memory" }, value: bytes(4 * b.whole),
        note: { word: "parameters.memory.note", left: names.left, all: bytes(4 * a.whole), train: bytes(16 * b.whole) } },
      { name: { word: "parameters.work" }, value: millions(b.work),
        note: { word: a.work !== b.work ? "parameters.work.other" : saved > 0 ? "parameters.work.same" : "parameters.work.as", left: names.left, n: millions(a.work) } },
    ] };
  }

  const tokens = (term) => /embed\.(tokens|project)\b/.test(term.name) && term.sizes.length === 2;
  function formulas(facts, sides) {
    const row = (name, wanted, note) => ({ name, note, cells: sides.map((side) => sums(facts, terms(facts, side).filter(wanted), side)) });
    return {
      names: sides.map((side) => title(facts, side)),
      ideas: [
        row({ word: "parameters.idea.tables" }, tokens, { word: "parameters.idea.tables.note" }),
        row({ word: "parameters.idea.blocks" }, (term) => term.runs, { word: "parameters.idea.blocks.note" }),
      ],
      parts: PARTS.map((part) => row({ word: "parameters.part." + part }, (term) => term.part === part)),
      wholes: sides.map((side) => count(facts, side).whole),
      letters: Object.entries(LETTERS).filter(([size]) => size !== "keys" || sides.some((side) => terms(facts, side).some((term) => term.sizes.includes(size)))).map(([size, letter]) => [letter, { word: "parameters.size." + size }]),
    };
  }

  // What a count may hold or leave out.
  function piece(term) {
    if (term.name.startsWith("generator.")) return "generator";
    if (term.part === "heads") return term.name.includes(".pooler.") ? "pooler" : term.name.startsWith("sequence.") ? "pair" : "head";
    if (term.runs) return "blocks";
    return ["tokens", "positions", "segments"].find((name) => term.name.includes(`embed.${name}`)) || "rest";
  }
  function pieces(facts, side) {
    const found = {};
    for (const term of terms(facts, side)) found[piece(term)] = (found[piece(term)] || 0) + value(facts, term, side);
    return found;
  }
  function ledger(facts, sides) {
    const berts = ["base", "large"].map((size) => [size, facts.published.find((each) => each.name === `bert-${size}-uncased`)]);
    const known = berts.filter(([, each]) => each).map(([size, each]) => [size, pieces(facts, { name: each.name, model: each.model, ...each.sizes })]);
    return { names: sides.map((side) => named(facts, side)), sides: sides.map((side) => pieces(facts, side)), berts: Object.fromEntries(known) };
  }

  lab.counting = { count, saved, ideas, ledger, stacked, tiles, formulas, exact, LETTERS };
})();
