// Two models' sizes: presets, published names, a config.json, and sliders for each.
// The value is "NAME*NAME", or sizes by dots.
window.lab.component("shapes", (element, tools) => {
  const lab = window.lab,
    { LETTERS, exact } = lab.counting;
  const facts = JSON.parse(tools.given("facts"));
  const { SIZES, read, rangeOf, within, optional, write, knows, stops } = lab.modelSizes(facts);
  const body = tools.card(),
    MOST = 100001; // characters of a config, one more than the server reads
  let sides = [];

  const fitting = (width) => {
    // heads as usual: 64 numbers each, if the width allows
    for (let heads = Math.max(1, Math.round(width / 64)); heads > 1; heads--) if (width % heads === 0) return heads;
    return 1;
  };

  // ---- controls

  // One size of one model: its slider, where it has one, and its number.
  function control(size, i, values) {
    const label = `${lab.word(i ? "parameters.second" : "parameters.first")}: ${lab.word("parameters.size." + size)}`;
    const number = lab.el("input", {
      type: "number",
      "aria-label": label,
    });
    const range = values
      ? lab.el("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": label })
      : null;
    range?.addEventListener("input", () => move(i, size, values[Number(range.value)]));
    if (values)
      number.addEventListener(
        "input",
        () => number.value !== "" && number.validity.valid && move(i, size, Number(number.value)),
      );
    number.addEventListener("change", () => {
      move(i, size, within(size, number.value || (optional(size) ? "0" : ""), sides[i][size], sides[i].model));
    });
    const node = lab.el("div", { class: values ? "side" : "side plain" }, range, number);
    return {
      node,
      show: () => {
        node.hidden = !knows(sides[i], size);
        if (node.hidden) return;
        const [least, most] = rangeOf(sides[i].model, size);
        number.min = optional(size) ? 0 : least;
        number.max = most;
        const n = sides[i][size];
        if (document.activeElement !== number) number.value = n;
        if (!range) return;
        const at = values.findIndex((each) => each >= n);
        range.value = at < 0 ? values.length - 1 : at;
        range.setAttribute("aria-valuetext", exact(n));
      },
    };
  }
  function row(size, values, note) {
    const both = [0, 1].map((i) => control(size, i, values));
    const node = lab.el(
      "div",
      { class: "size" },
      lab.el(
        "div",
        { class: "size-name" },
        lab.el("b", {}, LETTERS[size] || { kv_heads: "G", head_width: "D" }[size]),
        lab.el("span", {}, lab.word("parameters.size." + size)),
      ),
      lab.el(
        "div",
        { class: "both" },
        both.map((each) => each.node),
      ),
      note ? lab.el("p", {}, lab.word(`parameters.size.${size}.note`)) : null,
    );
    return {
      node,
      show: () => {
        both.forEach((each) => each.show());
        node.hidden = !sides.some((side) => knows(side, size));
      },
    };
  }
  const sliders = ["vocabulary", "width", "embedding_width", "depth"].map((size) => row(size, stops(size), false));
  const more = ["heads", "kv_heads", "head_width", "feed", "context"].map((size) => row(size, null, true));
  // Two families of the same width and depth stay so while they are moved, unless somebody wants it otherwise.
  const together = lab.el("input", {
    type: "checkbox",
    onchange: () => {
      wanted = together.checked;
      view.set(String(wanted));
    },
  });
  const view = lab.view("together");
  let wanted = { true: true, false: false }[view.value] ?? null;
  const alike = () =>
    wanted ??
    (sides[0].model !== sides[1].model && sides[0].width === sides[1].width && sides[0].depth === sides[1].depth);

  const choices = [0, 1].map((i) => {
    const select = lab.el(
      "select",
      { "aria-label": lab.word(i ? "parameters.second" : "parameters.first") },
      lab.el(
        "optgroup",
        { label: lab.word("parameters.recipes") },
        Object.entries(facts.models).map(([model, { title }]) => lab.el("option", { value: model }, lab.say(title))),
      ),
      Object.entries(facts.models).map(([model, { title }]) =>
        lab.el(
          "optgroup",
          { label: lab.word("parameters.published", { model: title }) },
          facts.published
            .filter((each) => each.model === model)
            .map((each) => lab.el("option", { value: each.name }, each.name)),
        ),
      ),
    );
    select.addEventListener("change", () => {
      const published = facts.published.some((each) => each.name === select.value);
      sides[i] = read(published ? select.value : write({ ...sides[i], name: "", model: select.value }));
      changed();
    });
    return {
      node: select,
      show: () => {
        select.value = sides[i].name || sides[i].model;
      },
    };
  });

  // A config.json of either side: the server says which recipe and sizes it describes.
  function config(i) {
    const field = lab.el("input", {
      type: "file",
      accept: ".json,application/json",
      "aria-label": `${lab.word(i ? "parameters.second" : "parameters.first")}: config.json`,
      onchange: async () => {
        const file = field.files[0];
        if (file) tools.fire("config", { side: i, text: await file.slice(0, MOST).text() });
        field.value = "";
      },
    });
    return lab.el(
      "label",
      { class: "config" },
      lab.el("span", { class: "plain" }, lab.word("parameters.config")),
      field,
    );
  }

  const presets = facts.presets.map(([name, pair]) => {
    const button = lab.el(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          sides = pair.split("*").map(read);
          changed();
        },
      },
      lab.say(name),
    );
    return {
      node: button,
      show: () => button.setAttribute("aria-pressed", String(sides.map(write).join("*") === pair)),
    };
  });

  const search = lab.published(facts, (i, name) => {
    sides[i] = read(name);
    changed();
  });

  body.append(
    lab.el(
      "div",
      { class: "presets", role: "group", "aria-label": lab.word("parameters.presets") },
      presets.map((each) => each.node),
    ),
    lab.el(
      "div",
      { class: "choices" },
      choices[0].node,
      lab.el("span", {}, lab.word("parameters.beside")),
      choices[1].node,
    ),
    lab.el("div", { class: "configs" }, [0, 1].map(config)),
    lab.el("details", { class: "search" }, lab.el("summary", {}, lab.word("parameters.search")), search),
    lab.el("label", { class: "together" }, together, lab.el("span", {}, lab.word("parameters.together"))),
    lab.el(
      "div",
      { class: "sizes" },
      sliders.map((each) => each.node),
    ),
    lab.el(
      "details",
      {},
      lab.el("summary", {}, lab.word("parameters.further")),
      lab.el(
        "div",
        { class: "sizes" },
        more.map((each) => each.node),
      ),
    ),
  );

  // ---- what follows from a change

  function move(which, size, n) {
    sides = sides.map((side, i) => {
      if (i !== which && !alike()) return side;
      const next = { ...side, name: "", [size]: within(size, n, n, side.model) };
      if (size === "width") next.heads = fitting(n);
      if (next.kv_heads && next.heads % next.kv_heads) next.kv_heads = 0;
      return next;
    });
    changed();
  }
  let settling = 0,
    shown = ""; // as the address has it
  function changed() {
    show();
    tools.keep(shown);
  }
  function show() {
    for (const side of sides) side.narrow_known = knows(side, "embedding_width");
    together.checked = alike();
    [...presets, ...choices, ...sliders, ...more].forEach((each) => each.show());
    // In the order of the outputs: bars, tiles, formulas, ledger, ideas.
    const { stacked, tiles, formulas, ledger, ideas } = lab.parameters;
    const values = [stacked, tiles, formulas, ledger, ideas].map((work) => JSON.stringify(work(facts, sides)));
    lab.worked = () => values; // worked out here: Gradio keeps silent about what fails in a function of its own
    tools.fire("worked");
    // The server is asked once all stands still, also for what comes from elsewhere; what the page opens with it knows.
    const before = shown;
    shown = sides.map(write).join("*");
    if (!before || shown === before) return;
    clearTimeout(settling);
    settling = setTimeout(() => tools.fire("settle"), 350);
  }

  // Whether a number of an address had to be brought within its range.
  const bounded = (text, i) =>
    !sides[i].name &&
    text
      .split(".")
      .slice(1)
      .some((n, at) => n !== String(sides[i][SIZES[at]]));
  return (value) => {
    const given = String(value || "")
      .split("*")
      .map(read);
    const fallback = facts.presets[0][1].split("*").map(read);
    sides = [0, 1].map((i) => given[i] || fallback[i]);
    const now = sides.map(write).join("*");
    if (given.length !== 2 || given.some((side) => !side)) lab.complain("frame.link.value", { key: "models", value });
    else if (String(value).split("*").some(bounded)) lab.complain("frame.link.bound", { key: "models", value, now });
    if (value !== now) tools.keep(now); // an address that was edited
    show();
  };
});
