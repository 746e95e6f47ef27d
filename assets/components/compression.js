// What a corpus costs as the vocabulary grows: a curve for each kind, and a slider that reads one size off all of them.
window.lab.component("compression", (element, tools) => {
  const lab = window.lab;
  const LINES = [
    { colour: "predicted", dash: "" },
    { colour: "replaced", dash: "7 3" },
    { colour: "kept", dash: "9 3 2 3" },
    { colour: "masked", dash: "" },
    { colour: "quiet", dash: "2 3" },
    { colour: "original", dash: "12 4" },
    { colour: "wrong", dash: "4 2" },
  ];
  const MEASURES = ["tokens", "bits", "lost"]; // the columns of a point behind its size
  const body = tools.card();
  const button = (text, on, act) =>
    lab.el("button", { type: "button", class: "plain", "aria-pressed": String(on), onclick: act }, text);
  const measures = lab.el("div", { class: "picks", role: "group" }),
    kinds = lab.el("div", {
      class: "picks kinds",
      role: "group",
      "aria-label": lab.word("components.compression.kind"),
    });
  const chart = lab.el("div", { class: "chart" }),
    ends = lab.el("p", { class: "ends" });
  const dial = lab.el("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": lab.word("components.compression.size"),
    oninput: () => {
      at = Number(dial.value);
      moved = true;
      show();
      keep();
    },
  });
  const reading = lab.el("output", {});
  const use = lab.el(
    "button",
    { type: "button", class: "plain", onclick: () => tools.fire("use", { size: value.sizes[at] }) },
    lab.word("components.compression.use"),
  );
  const tiles = lab.el("dl", { class: "tiles", "aria-live": "polite" }),
    about = lab.el("p", { class: "about" }),
    note = lab.el("p", { class: "about" });
  const state = lab.el("div", { class: "state" });
  const drawn = lab.el(
    "div",
    {},
    measures,
    kinds,
    chart,
    ends,
    lab.el("label", { class: "dial" }, lab.el("span", {}, lab.word("components.compression.size")), dial, reading, use),
    tiles,
    about,
  );
  body.append(state, drawn, note);
  const paint = lab.plot(chart, tools);
  let value = null,
    measure = 0,
    chosen = "",
    at = 5,
    moved = false,
    above = null; // the size that the slider above the page's tokenizers stands at
  // What the address names: a kind, a size and a measure.
  const view = lab.view("curve"),
    asked = view.value.split(".");
  const keep = () => view.set([chosen, value.sizes[at], MEASURES[measure]].join("."));

  // The point of a kind at a size: the one of that size, or the last where the curve has ended.
  const point = (kind, size) => kind.points.filter((each) => each[0] <= size).pop() || kind.points[0];
  const line = (i) => LINES[i % LINES.length];
  const sample = (i) =>
    lab.svg(
      "svg",
      { width: 26, height: 12, "aria-hidden": "true" },
      lab.svg("line", {
        x1: 1,
        x2: 25,
        y1: 6,
        y2: 6,
        stroke: `var(--lab-${line(i).colour})`,
        "stroke-width": 2.6,
        "stroke-dasharray": line(i).dash || null,
      }),
    );

  // A kind with one size only is the same whatever the slider says: its line goes across.
  function points(kind) {
    const last = value.sizes[value.sizes.length - 1];
    return kind.points.length > 1
      ? kind.points
      : [
          [value.sizes[0], ...kind.points[0].slice(1)],
          [last, ...kind.points[0].slice(1)],
        ];
  }
  function tile(name, number, unit, share, text) {
    const fill = lab.el("span");
    fill.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return lab.el(
      "div",
      { class: "tile" },
      lab.el("dt", {}, lab.word("components.compression." + name)),
      lab.el(
        "dd",
        {},
        lab.el("span", { class: "number" }, number),
        unit ? lab.el("span", { class: "unit" }, " " + unit) : null,
      ),
      lab.el("dd", { class: "meter", "aria-hidden": "true" }, fill),
      lab.el("dd", { class: "note" }, text),
    );
  }
  const whole = (n) =>
    (n >= 1e4
      ? Math.round(n / 10 ** (Math.floor(Math.log10(n)) - 2)) * 10 ** (Math.floor(Math.log10(n)) - 2)
      : Math.round(n)
    ).toLocaleString(lab.locale);

  function read() {
    const kind = value.kinds.find((each) => each.name === chosen) || value.kinds[0],
      [size, tokens, bits, lost] = point(kind, value.sizes[at]);
    const most = (column) => Math.max(...kind.points.map((each) => each[column])) || 1;
    const found = [
      tile("sequence", whole(1000 * tokens), "", tokens / most(1), lab.word("components.compression.sequence.note")),
    ];
    const model = value.model;
    if (model) {
      const all = model.parameters[0] + model.parameters[1] * size,
        table = model.width * size;
      const speed = (n) => model.rate / (model.operations[0] + model.operations[1] * n);
      const fastest = Math.max(...kind.points.map((each) => speed(each[0])));
      found.push(
        tile(
          "embedding",
          lab.percent(table / all),
          "",
          table / all,
          lab.word("components.compression.embedding.note", { all: all.toLocaleString(lab.locale) }),
        ),
        tile(
          "speed",
          whole(speed(size)),
          "",
          speed(size) / fastest,
          lab.word("components.compression.speed.note", { n: whole(speed(size) / tokens) }),
        ),
      );
    }
    found.push(
      tile("bits", lab.number(bits, 3), "", bits / 8, lab.word("components.compression.bits.note")),
      tile(
        "lost",
        lost ? lab.percent(lost) : lab.typeset("0\u00a0%"),
        "",
        lost,
        lab.word("components.compression.lost.note"),
      ),
    );
    tiles.replaceChildren(...found);
    const past = size < value.sizes[at] && kind.points.length > 1;
    ends.textContent = lab.say(kind.ends) || "";
    ends.classList.toggle("past", past);
    reading.textContent =
      past || kind.points.length === 1
        ? lab.word("components.compression.only", { n: size.toLocaleString(lab.locale) })
        : size.toLocaleString(lab.locale);
  }

  function show() {
    const some = !!value?.kinds?.length;
    drawn.hidden = !some;
    note.textContent = lab.say(value?.on) || "";
    state.replaceChildren(
      ...(value?.note ? [lab.el("p", {}, lab.say(value.note))] : []),
      ...(value?.ask
        ? [
            lab.el(
              "button",
              { type: "button", class: "plain", onclick: () => tools.fire("draw", {}) },
              lab.say(value.ask),
            ),
          ]
        : []),
    );
    state.hidden = !state.childNodes.length;
    if (!some) return;
    dial.max = value.sizes.length - 1;
    dial.value = at;
    dial.setAttribute("aria-valuetext", value.sizes[at].toLocaleString(lab.locale));
    if (!value.kinds.some((each) => each.name === chosen)) chosen = value.kinds[0].name;
    measures.replaceChildren(
      ...MEASURES.map((name, i) =>
        button(lab.word("components.compression.of." + name), i === measure, () => {
          measure = i;
          show();
          keep();
        }),
      ),
    );
    kinds.replaceChildren(
      ...value.kinds.map((kind, i) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(kind.name === chosen),
            onclick: () => {
              chosen = kind.name;
              show();
              keep();
            },
          },
          sample(i),
          lab.say(kind.title),
        ),
      ),
    );
    const series = value.kinds.map((kind, i) => ({
      name: kind.title,
      ...line(i),
      strong: kind.name === chosen,
      x: points(kind).map((each) => each[0]),
      y: points(kind).map((each) => each[measure + 1]),
    }));
    paint({
      series,
      x: lab.word("components.compression.size"),
      y: lab.word("components.compression.of." + MEASURES[measure]),
      logx: true,
      low: 0,
      keep: 0,
      at: value.sizes[at],
      until: value.sizes[value.sizes.length - 1],
    });
    about.textContent = lab.say(value.model?.note) || "";
    read();
  }
  return (given) => {
    value = given;
    if (!moved && asked.length === 3 && given?.kinds?.length) {
      [chosen, measure, moved] = [asked[0], Math.max(0, MEASURES.indexOf(asked[2])), true];
      at = Math.max(0, given.sizes.indexOf(Number(asked[1])));
    }
    const wanted = view.value.split(".")[0]; // while curves are being drawn it may be still to come
    if (wanted && given?.kinds?.length && !given.note && !given.kinds.some((each) => each.name === wanted))
      view.refuse();
    // It stands where the slider above does, until it is moved itself, and again once that one is.
    if (given?.at && (!moved || (above !== null && given.at !== above))) {
      at = Math.max(
        0,
        given.sizes.findLastIndex((each) => each <= given.at),
      );
      if (moved && given.kinds?.length) keep();
    }
    above = given?.at ?? above;
    show();
  };
});
