// What the components of the Parameters page show of two models, worked out by counting.js.
(() => {
  "use strict";
  const lab = window.lab;
  const { LETTERS, PARTS, exact, sum, terms, value, count, sums } = lab.counting;

  const title = (facts, side) => facts.models[side.model].title;
  const family = (facts, side) => facts.models[side.model].family; // a published model's name says the rest
  const known = (facts, side) => facts.published.find((each) => each.name === side.name);
  const named = (facts, side) => (side.name ? `${lab.say(family(facts, side))} (${side.name})` : title(facts, side));

  function stacked(facts, sides) {
    return {
      unit: { word: "parameters.unit" },
      rows: sides.map((side) => {
        const found = count(facts, side),
          paper = known(facts, side);
        return {
          name: named(facts, side),
          parts: PARTS.filter((part) => found.parts[part]).map((part) => ({
            name: { word: "parameters.part." + part },
            value: found.parts[part],
          })),
          note: noted(
            facts,
            side,
            paper
              ? paper.why
              : {
                  word: "parameters.own." + (found.params.with_pooler ? "pooler" : "bare"),
                  n: exact(found.params.with_pooler || found.params.bare_model),
                  whole: exact(found.whole),
                },
          ),
        };
      }),
    };
  }

  // Where published files hold less than what is learnt, it is said.
  const noted = (facts, side, first) => {
    const second = facts.models[side.model].apart;
    return second ? [first, second].map(lab.say).join(lab.language === "zh" ? "" : " ") : first;
  };

  // What each of ALBERT's two ideas saves a model that has them, beside the same model without.
  function saved(facts, side) {
    const all = terms(facts, side),
      plain = { ...side, embedding_width: side.width };
    const tables = all.filter((term) => term.part === "embeddings");
    const factors =
      facts.models[side.model].sizes.includes("embedding_width") &&
      tables.some((term) => term.sizes.includes("embedding_width"));
    const whole = sum(
      tables.filter((term) => !/\bembed\.project\b/.test(term.name)).map((term) => value(facts, term, plain)),
    );
    return {
      tables: factors ? whole - sum(tables.map((term) => value(facts, term, side))) : 0,
      blocks:
        (side.depth - 1) * sum(all.filter((term) => term.runs && !term.each).map((term) => value(facts, term, side))),
    };
  }
  function ideas(facts, sides) {
    const said = sides
      .map((side) => [side, saved(facts, side)])
      .filter(([, found]) => found.tables > 0 || found.blocks > 0)
      .map(([side, found]) => [
        "p",
        {
          word:
            "parameters.ideas." +
            (found.tables > 0 && found.blocks > 0 ? "both" : found.tables > 0 ? "tables" : "blocks"),
          name: named(facts, side),
          tables: exact(found.tables),
          blocks: exact(found.blocks),
        },
      ]);
    return said.filter((each, i) => i === 0 || JSON.stringify(each) !== JSON.stringify(said[0]));
  }

  const millions = (n) => n.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
  const UNITS = ["B", "kB", "MB", "GB", "TB"];
  const bytes = (n) => {
    const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(n) / 3)));
    return `${lab.number(n / 1000 ** power)}\u00a0${UNITS[power]}`;
  };
  const work = ({ work, writing }) => (writing ? `${millions(work)} + ${millions(writing)}` : millions(work));
  const MANY = 10; // times as large: from here on a factor says more than per cent
  function tiles(facts, [left, right]) {
    const a = count(facts, left),
      b = count(facts, right),
      saved = a.whole - b.whole;
    const alike = left.model === right.model,
      [first, second] = [left, right].map((side) => (alike && side.name ? side.name : title(facts, side)));
    const names = { left: first, right: second };
    const share = Math.abs(saved) / a.whole,
      less = saved >= 0,
      factor = b.whole / a.whole;
    const times = { value: exact(Math.round(factor)), unit: { word: "parameters.times" } },
      percent = { value: (100 * share).toFixed(1), unit: "%" };
    const headline =
      factor > MANY
        ? { name: { word: "parameters.larger", ...names }, ...times }
        : { name: { word: less ? "parameters.fewer" : "parameters.more", ...names }, ...percent };
    const part = (n) => (saved > 0 && n > 0 ? { share: n / saved } : {});
    const blocks = a.blocks - b.blocks,
      tables = (a.parts.embeddings || 0) - (b.parts.embeddings || 0);
    const alikeWork = a.work === b.work && a.writing === b.writing;
    const compared = {
      word: alikeWork ? (saved > 0 ? "parameters.work.same" : "parameters.work.as") : "parameters.work.other",
      left: names.left,
      n: work(a),
    };
    const once = !terms(facts, right).some((term) => term.runs && term.each);
    return {
      tiles: [
        {
          ...headline,
          note: {
            word: "parameters.instead",
            n: exact(b.whole),
            all: exact(a.whole),
            times: lab.number(less ? a.whole / b.whole : b.whole / a.whole),
          },
          share: Math.min(1, share),
        },
        {
          name: { word: blocks >= 0 ? "parameters.blocks.saved" : "parameters.blocks.added" },
          value: millions(Math.abs(blocks)),
          ...part(blocks),
          note: !b.blocks
            ? { word: "parameters.blocks.none" }
            : once
              ? { word: "parameters.blocks.shared", depth: right.depth }
              : { word: "parameters.blocks." + (b.writing ? "stacks" : "own"), depth: right.depth },
        },
        {
          name: { word: tables >= 0 ? "parameters.tables.saved" : "parameters.tables.added" },
          value: millions(Math.abs(tables)),
          ...part(tables),
          note: right.narrow_known
            ? { word: "parameters.tables.narrow", e: exact(right.embedding_width), h: exact(right.width) }
            : { word: "parameters.tables.full", h: exact(right.width) },
        },
        {
          name: { word: "parameters.memory" },
          value: bytes(4 * b.whole),
          note: {
            word: "parameters.memory.note",
            ...names,
            own: bytes(4 * b.whole),
            train: bytes(16 * b.whole),
            all: bytes(4 * a.whole),
          },
        },
        {
          name: { word: "parameters.work" },
          value: work(b),
          note: a.writing || b.writing ? { word: "parameters.work.stacks", note: compared } : compared,
        },
      ],
    };
  }

  // Whether a model's block is that of BERT: 4 · H² for attention, 8 · H² for the feed-forward part.
  function usual(facts, side) {
    const squares = (part) =>
      terms(facts, side).filter((term) => term.runs && term.part === part && term.sizes.length === 2);
    return [
      ["attention", 4],
      ["ffn", 8],
    ].every(
      ([part, times]) =>
        squares(part).every(({ sizes }) => sizes.every((size) => size === "width")) &&
        sum(squares(part).map((term) => term.times)) === times,
    );
  }
  const tokens = (term) => /embed\.(tokens|project)\b/.test(term.name) && term.sizes.length === 2;
  function formulas(facts, sides) {
    const row = (name, wanted, note) => ({
      name,
      note,
      cells: sides.map((side) => sums(facts, terms(facts, side).filter(wanted), side)),
    });
    return {
      names: sides.map((side) => title(facts, side)),
      ideas: [
        row({ word: "parameters.idea.tables" }, tokens, { word: "parameters.idea.tables.note" }),
        row({ word: "parameters.idea.blocks" }, (term) => term.runs, {
          word: "parameters.idea.blocks." + (sides.every((side) => usual(facts, side)) ? "note" : "kept"),
        }),
      ],
      parts: PARTS.map((part) => row({ word: "parameters.part." + part }, (term) => term.part === part)).filter(
        ({ cells }) => cells.some(({ total }) => total),
      ),
      wholes: sides.map((side) => count(facts, side).whole),
      letters: Object.entries(LETTERS)
        .filter(
          ([size]) =>
            size !== "keys" || sides.some((side) => terms(facts, side).some((term) => term.sizes.includes(size))),
        )
        .map(([size, letter]) => [letter, { word: "parameters.size." + size }]),
    };
  }

  // What a count may hold or leave out.
  function piece(term) {
    if (term.name.startsWith("generator.")) return "generator";
    if (term.part === "heads")
      return term.name.includes(".pooler.") ? "pooler" : term.name.startsWith("sequence.") ? "pair" : "head";
    if (term.runs) return "blocks";
    return ["tokens", "positions", "segments"].find((name) => term.name.includes(`embed.${name}`)) || "rest";
  }
  function pieces(facts, side) {
    const found = {};
    for (const term of terms(facts, side)) found[piece(term)] = (found[piece(term)] || 0) + value(facts, term, side);
    return found;
  }
  function ledger(facts, sides) {
    const berts = ["base", "large"].map((size) => [
      size,
      facts.published.find((each) => each.name === `bert-${size}-uncased`),
    ]);
    const known = berts
      .filter(([, each]) => each)
      .map(([size, each]) => [size, pieces(facts, { name: each.name, model: each.model, ...each.sizes })]);
    return {
      names: sides.map((side) => named(facts, side)),
      sides: sides.map((side) => pieces(facts, side)),
      berts: Object.fromEntries(known),
    };
  }

  lab.parameters = { stacked, tiles, formulas, ledger, ideas };
})();
