// Two models' sizes: presets, published names and sliders that move both. The value is "NAME*NAME", or sizes by dots.
window.lab.component("shapes", (element, tools) => {
  const lab = window.lab, { LETTERS, exact } = lab.counting;
  const facts = JSON.parse(tools.given("facts"));
  const SIZES = ["vocabulary", "width", "narrow", "depth", "heads", "feed", "context", "groups", "head_width"];
  const body = tools.card();
  let sides = [];

  // ---- reading and writing

  function read(text) {
    const published = facts.published.find((each) => each.name === text);
    if (published) return { name: published.name, model: published.model, ...published.sizes };
    const [model, ...numbers] = String(text).split(".");
    const side = { ...facts.published.find((each) => each.model === model)?.sizes };
    if (!(model in facts.models)) return null;
    SIZES.forEach((size, i) => { side[size] = within(size, numbers[i], side[size]); });
    return { name: "", model, ...side };
  }
  function within(size, text, otherwise) {
    const number = Math.round(Number(text)), range = facts.ranges[size];
    if (text === undefined || text === "" || !Number.isFinite(number)) return otherwise ?? range[0];
    if (optional(size) && number === 0) return 0;
    return Math.min(range[1], Math.max(range[0], number));
  }
  const optional = (size) => ["feed", "groups", "head_width"].includes(size); // 0: it follows from other sizes
  const write = (side) => side.name || [side.model, ...SIZES.map((size) => side[size])].join(".");
  const knows = (side, size) => facts.models[side.model].sizes.includes(size);
  const fitting = (width) => { // heads as usual: 64 numbers each, if the width allows
    for (let heads = Math.max(1, Math.round(width / 64)); heads > 1; heads--) if (width % heads === 0) return heads;
    return 1;
  };

  // ---- controls

  // Round numbers and the published ones, closer together where they are small.
  function stops(size) {
    const range = facts.sliders[size], all = new Set(facts.published.map((each) => each.sizes[size]));
    for (let n = range[0], step; n <= range[1]; n += step) {
      all.add(n);
      const digit = 10 ** Math.floor(Math.log10(n));
      step = size === "depth" ? (n < 24 ? 1 : n < 48 ? 4 : 16) : size === "vocabulary" ? digit / (n / digit < 5 ? 5 : 2)
        : n < 128 ? 16 : n < 1024 ? 64 : n < 4096 ? 256 : 1024;
    }
    return [...all].filter((n) => n >= range[0] && n <= range[1]).sort((a, b) => a - b);
  }

  const sliders = ["vocabulary", "width", "narrow", "depth"].map((size) => {
    const values = stops(size), word = { word: "parameters.size." + size };
    const range = lab.el("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": lab.say(word) });
    const both = lab.el("span", { class: "both" });
    const number = lab.el("input", { type: "number", min: facts.ranges[size][0], max: facts.ranges[size][1], "aria-label": lab.say(word) });
    range.addEventListener("input", () => move(size, values[Number(range.value)]));
    number.addEventListener("input", () => number.value !== "" && number.validity.valid && move(size, Number(number.value)));
    number.addEventListener("change", () => { move(size, within(size, number.value, shown(size))); });
    const node = lab.el("div", { class: "size" },
      lab.el("div", { class: "size-name" }, lab.el("b", {}, LETTERS[size]), lab.el("span", {}, lab.say(word)), both, number), range);
    const show = () => {
      const n = shown(size), others = new Set(sides.filter((side) => knows(side, size)).map((side) => side[size]));
      node.hidden = n === undefined;
      if (n === undefined) return;
      let at = values.findIndex((each) => each >= n);
      range.value = at < 0 ? values.length - 1 : at;
      range.setAttribute("aria-valuetext", exact(n));
      if (document.activeElement !== number) number.value = n;
      both.textContent = others.size > 1 ? [...others].map(exact).join(" | ") : "";
    };
    return { node, show };
  });
  const shown = (size) => sides.find((side) => knows(side, size))?.[size];

  const more = ["heads", "groups", "head_width", "feed", "context"].map((size) => {
    const word = { word: "parameters.size." + size };
    const number = lab.el("input", { type: "number", min: optional(size) ? 0 : facts.ranges[size][0], max: facts.ranges[size][1], "aria-label": lab.say(word) });
    number.addEventListener("change", () => move(size, within(size, number.value || "0", shown(size))));
    const node = lab.el("div", { class: "size" },
      lab.el("div", { class: "size-name" }, lab.el("b", {}, LETTERS[size] || { groups: "G", head_width: "D" }[size]), lab.el("span", {}, lab.say(word)), number),
      lab.el("p", {}, lab.say({ word: `parameters.size.${size}.note` })));
    return { node, show: () => {
      node.hidden = shown(size) === undefined;
      if (document.activeElement !== number && !node.hidden) number.value = shown(size);
    } };
  });

  const choices = [0, 1].map((i) => {
    const select = lab.el("select", { "aria-label": lab.word(i ? "parameters.second" : "parameters.first") },
      lab.el("optgroup", { label: lab.word("parameters.recipes") },
        Object.entries(facts.models).map(([model, { title }]) => lab.el("option", { value: model }, lab.say(title)))),
      Object.entries(facts.models).map(([model, { title }]) => lab.el("optgroup", { label: lab.word("parameters.published", { model: title }) },
        facts.published.filter((each) => each.model === model).map((each) => lab.el("option", { value: each.name }, each.name)))));
    select.addEventListener("change", () => {
      const published = facts.published.some((each) => each.name === select.value);
      sides[i] = published ? read(select.value) : { ...sides[i], name: "", model: select.value };
      changed();
    });
    return { node: select, show: () => { select.value = sides[i].name || sides[i].model; } };
  });

  const presets = facts.presets.map(([name, pair]) => {
    const button = lab.el("button", { type: "button", class: "plain", onclick: () => { sides = pair.split("*").map(read); changed(); } }, lab.say(name));
    return { node: button, show: () => button.setAttribute("aria-pressed", String(sides.map(write).join("*") === pair)) };
  });

  const search = lab.published(facts, (i, name) => { sides[i] = read(name); changed(); });

  body.append(
    lab.el("div", { class: "presets", role: "group", "aria-label": lab.word("parameters.presets") }, presets.map((each) => each.node)),
    lab.el("div", { class: "choices" }, choices[0].node, lab.el("span", {}, lab.word("parameters.beside")), choices[1].node),
    lab.el("details", { class: "search" }, lab.el("summary", {}, lab.word("parameters.search")), search),
    lab.el("div", { class: "sizes" }, sliders.map((each) => each.node)),
    lab.el("details", {}, lab.el("summary", {}, lab.word("parameters.further")), lab.el("div", { class: "sizes" }, more.map((each) => each.node))));

  // ---- what follows from a change

  function move(size, n) {
    sides = sides.map((side) => {
      const next = { ...side, name: "", [size]: n };
      if (size === "width") next.heads = fitting(n);
      if (next.groups && next.heads % next.groups) next.groups = 0;
      return next;
    });
    changed();
  }
  let settling = 0;
  function changed() {
    show();
    tools.keep(sides.map(write).join("*"));
    clearTimeout(settling);
    settling = setTimeout(() => tools.fire("settle"), 350);
  }
  function show() {
    for (const side of sides) side.narrow_known = knows(side, "narrow");
    [...presets, ...choices, ...sliders, ...more].forEach((each) => each.show());
    // In the order of the outputs: bars, tiles, formulas, ledger.
    const { stacked, tiles, formulas, ledger } = lab.counting;
    lab.worked = () => [stacked, tiles, formulas, ledger].map((work) => work(facts, sides)).map((value) => JSON.stringify(value));
    tools.fire("worked");
  }

  return (value) => {
    const given = String(value || "").split("*").map(read);
    const fallback = facts.presets[0][1].split("*").map(read);
    sides = [0, 1].map((i) => given[i] || fallback[i]);
    if (value !== sides.map(write).join("*")) tools.keep(sides.map(write).join("*")); // an address that was edited
    show();
  };
});
