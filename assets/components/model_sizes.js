// The sizes of a model in an address: read, brought within their ranges and written; and the stops of their sliders.
(() => {
  "use strict";
  const SIZES = [
    "vocabulary",
    "width",
    "embedding_width",
    "depth",
    "heads",
    "feed",
    "context",
    "kv_heads",
    "head_width",
  ];

  window.lab.modelSizes = (facts) => {
    function read(text) {
      const published = facts.published.find((each) => each.name === text);
      if (published) return { name: published.name, model: published.model, ...published.sizes };
      const [model, ...numbers] = String(text).split(".");
      const known = facts.published.find((each) => each.model === model);
      if (!(model in facts.models) || !(known || numbers.length)) return null;
      const side = { ...known?.sizes };
      SIZES.forEach((size, i) => {
        side[size] = within(size, numbers[i], side[size], model);
      });
      return { name: "", model, ...side };
    }
    // A model that has a size has a range of its own for it.
    const rangeOf = (model, size) => facts.models[model].ranges[size] || facts.ranges[size];
    function within(size, text, otherwise, model) {
      const number = Math.round(Number(text)),
        range = rangeOf(model, size);
      if (text === undefined || text === "" || !Number.isFinite(number)) return otherwise ?? range[0];
      if (optional(size) && number === 0) return 0;
      return Math.min(range[1], Math.max(range[0], number));
    }
    const optional = (size) => ["feed", "kv_heads", "head_width"].includes(size); // 0: it follows from other sizes
    const write = (side) => side.name || [side.model, ...SIZES.map((size) => side[size])].join(".");
    const knows = (side, size) => facts.models[side.model].sizes.includes(size);

    // Round numbers and the published ones, closer together where they are small.
    function stops(size) {
      const range = facts.sliders[size],
        all = new Set(facts.published.map((each) => each.sizes[size]));
      for (let n = range[0], step; n <= range[1]; n += step) {
        all.add(n);
        const digit = 10 ** Math.floor(Math.log10(n));
        step =
          size === "depth"
            ? n < 24
              ? 1
              : n < 48
                ? 4
                : 16
            : size === "vocabulary"
              ? digit / (n / digit < 5 ? 5 : 2)
              : n < 128
                ? 16
                : n < 1024
                  ? 64
                  : n < 4096
                    ? 256
                    : 1024;
      }
      return [...all].filter((n) => n >= range[0] && n <= range[1]).sort((a, b) => a - b);
    }

    return { SIZES, read, rangeOf, within, optional, write, knows, stops };
  };
})();
