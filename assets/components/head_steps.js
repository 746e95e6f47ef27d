// One head, step by step: the matrices of a step, the formula with the numbers of one cell filled in, and its terms.
window.lab.component("head_steps", (element, tools) => {
  const lab = window.lab;
  const SECONDS = 2.2,
    NARROW = 620, // pixels: below, only what a step makes is drawn
    COLUMNS = 96; // of the table
  const SYMBOLS = {
    x: "X",
    read: "norm(X)",
    source: "E",
    q: "Q",
    k: "K",
    v: "V",
    turned_q: "RoPE(Q)",
    turned_k: "RoPE(K)",
    feature_q: "φ(Q)",
    feature_k: "φ(K)",
    products: "S = QKᵀ",
    scaled: "S / √d",
    bias: "B",
    biased: "S / √d + B",
    c2p: "C2P",
    with_c2p: "S / √d + C2P",
    p2c: "P2C",
    with_p2c: "S / √d + C2P + P2C",
    masked: "S + M",
    weights: "A",
    mixed: "A V",
    own: "A V W_O",
    added: "Attention(X)",
    ended: "norm(Attention)",
    sum: "X + Attention(X)",
    normed: "norm(X + Attention(X))",
    out: "X′",
  };
  const body = tools.card();
  const reading = lab.el("output", { class: "reading" });
  const player = lab.player(element, tools, {
    words: ["heads.first", "heads.back", "heads.next", "heads.last"],
    seconds: SECONDS,
    span: () => [0, steps().length - 1],
    at: () => at,
    show,
    jumped: () => view.set(at ? String(at + 1) : ""),
  });
  const controls = lab.el("div", { class: "controls player" }, player.buttons, reading);
  const list = lab.el("div", { class: "steps", role: "radiogroup" });
  const why = lab.el("p", { class: "why" }),
    split = lab.el("div", { class: "split", "aria-hidden": "true" }),
    stage = lab.el("div", { class: "stage" }),
    formula = lab.el("output", { class: "formula", "aria-live": "polite" }),
    table = lab.el("div", { class: "terms", tabindex: 0, role: "group" }),
    proof = lab.el("p", { class: "proof" }),
    empty = lab.el("div", { class: "empty" });
  const title = lab.el("div", { class: "head-title" }),
    cut = lab.el("p", { class: "proof" }),
    mask = lab.el("p", { class: "mask" });
  const full = lab.el("div", {}, title, cut, mask, controls, list, why, split, stage, formula, table, proof);
  body.append(full, empty);

  let value = null,
    matrices = {},
    views = [],
    colours = null,
    at = 0,
    linked = null,
    shown = "";
  const cell = { t: 0, s: 0, i: 0, j: 0 }; // a token that looks, one looked at, a place in the head, one in the width
  const view = lab.view("walk"); // the step, in the address

  const steps = () => value.steps;
  const axes = (name) => matrices[name];
  const row = (name, r) => axes(name).data.subarray(r * axes(name).cols, (r + 1) * axes(name).cols);
  const of = (name, r, c) => axes(name).data[r * axes(name).cols + c];
  const symbol = (name) =>
    name === "masked" && !value.softmax
      ? "φ(Q)φ(K)ᵀ"
      : name === "products" && !value.softmax
        ? "φ(Q)φ(K)ᵀ"
        : SYMBOLS[name].replace("S / √d", divided());
  // DeBERTa divides by the root of so many times d as there are kinds of scores, T5 not at all.
  const kinds = () => Math.round(value.scale ** -2 / axes("q").cols);
  const divided = () => (value.scale === 1 ? "S" : kinds() > 1 ? `S / √(${kinds()}d)` : "S / √d");

  // ---- drawing

  function draw() {
    if (!value) return;
    const step = steps()[at];
    choices();
    reading.textContent = lab.word("heads.step", { n: at + 1, all: steps().length });
    why.textContent = lab.word("heads.why." + reason(step));
    stage.replaceChildren();
    const narrow = stage.clientWidth < NARROW;
    const names = narrow ? [step.makes] : [...step.takes, step.makes];
    const most = Math.max(value.lookers.length, value.looked.length),
      high = most > 20 ? 13 : most > 12 ? 17 : 22;
    stage.style.minHeight = `${lab.matrixView.top + most * high + 34}px`;
    const room = (stage.clientWidth - 30 * (names.length - 1)) / names.length;
    views = names.map((name) => {
      const made = name === step.makes;
      const drawn = lab.matrixView(symbol(name), made ? (found) => found && meant(name, found) : null);
      if (made) drawn.canvas.addEventListener("keydown", moved);
      return { name, drawn, width: Math.max(150, room), high };
    });
    views.forEach(({ drawn, name }, i) => {
      if (i) stage.append(lab.el("span", { class: "sign", "aria-hidden": "true" }, sign(step, i)));
      drawn.node.classList.toggle("made", name === step.makes);
      stage.append(drawn.node);
    });
    heads(step);
    light();
  }
  const sign = (step, i) =>
    i === step.takes.length ? "→" : ["residual", "bias", "c2p", "p2c"].includes(step.name) ? "+" : "·";
  const reason = ({ name }) => {
    if (name === "bias") return "bias." + value.positions;
    if (name !== "scaled") return name;
    return value.scale === 1 ? "unscaled" : kinds() > 1 ? "scaled.kinds" : name;
  };

  // What is meant has changed: the frames, the formula and the terms.
  function light() {
    const step = steps()[at],
      { row: r, col: c } = place(step.makes);
    colours ||= lab.matrixView.shades();
    for (const { name, drawn, width, high } of views)
      drawn.draw(axes(name), { width, high, colours, at: name === step.makes ? place(name) : taken(step, name) });
    formula.textContent = lab.stepFormulas.formula(value, step, of, row, r, c);
    terms(lab.stepFormulas.written(step, of, row, symbol, r, c));
  }
  // Of what a step takes: the row or the column that goes into the cell.
  function taken(step, name) {
    const { row: r, col: c } = place(step.makes);
    const shift = value.behind.includes(step.makes) && !value.behind.includes(name) ? value.prefix : 0;
    if (step.name === "products") return { row: name === step.takes[0] ? r : c, col: -1 };
    if (step.name === "mixed") return name === "weights" ? { row: r, col: -1 } : { row: -1, col: c };
    const whole = ["q", "k", "v", "own", "softmax", "shares", "norm"].includes(step.name);
    return { row: r - shift, col: whole ? -1 : c };
  }
  const place = (name) => ({ row: cell[axes(name).down], col: cell[axes(name).over] });

  function terms({ rows, at: meantColumn }) {
    const many = rows[0].numbers.length,
      from = Math.max(0, Math.min(meantColumn - COLUMNS / 2, many - COLUMNS)),
      upTo = Math.min(many, from + COLUMNS);
    const column = (i) => (i === meantColumn ? "meant" : "");
    table.replaceChildren(
      lab.el(
        "table",
        {},
        lab.el(
          "tbody",
          {},
          rows.map(({ name, numbers }) =>
            lab.el(
              "tr",
              {},
              lab.el("th", { scope: "row" }, name),
              Array.from(numbers.slice(from, upTo), (x, i) =>
                lab.el("td", { class: column(from + i) }, lab.matrixView.number(x)),
              ),
            ),
          ),
        ),
      ),
    );
  }
  // All heads are made by one product that is split, and are merged by another.
  function heads(step) {
    split.classList.toggle("on", ["q", "k", "v", "own", "merged"].includes(step.name));
    split.replaceChildren(
      ...Array.from({ length: value.heads }, (_, h) => lab.el("i", { class: h === value.head ? "this" : "" }, h + 1)),
    );
  }
  function choices() {
    const focused = list.contains(document.activeElement);
    list.replaceChildren(
      ...steps().map((step, i) =>
        lab.el(
          "button",
          {
            type: "button",
            role: "radio",
            "aria-checked": String(i === at),
            tabindex: i === at ? 0 : -1,
            onclick: () => player.jump(i),
          },
          lab.word("heads.step." + step.name),
          ["norm", "rotary", "features"].includes(step.name) ? lab.el("small", {}, " " + symbol(step.makes)) : "",
        ),
      ),
    );
    if (focused) list.children[at].focus({ preventScroll: true });
  }

  // ---- walking

  function show(n) {
    at = Math.max(0, Math.min(steps().length - 1, n));
    draw();
  }
  list.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.key === " " && value) {
      event.preventDefault();
      player.toggle();
    }
    if (!way) return;
    event.preventDefault();
    player.jump(at + way);
  });

  // ---- the cell that is meant

  function meant(name, { row: r, col: c }) {
    const { rows, cols, down, over } = axes(name);
    cell[down] = Math.max(0, Math.min(rows - 1, r));
    cell[over] = Math.max(0, Math.min(cols - 1, c));
    light();
  }
  function moved(event) {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter") player.jump(at + 1);
    if (!way) return;
    event.preventDefault();
    const name = steps()[at].makes,
      now = place(name);
    meant(name, { row: now.row + way[0], col: now.col + way[1] });
  }
  // A token that is pointed at elsewhere is the one that looks.
  function pointed(now) {
    if (!value || !now) return;
    const t = (now.row ?? now.at) - value.rows_from;
    if (t < 0 || t >= value.lookers.length || t === cell.t) return;
    cell.t = t;
    light();
  }

  lab.sized(stage, () => draw(), tools);
  return (given) => {
    value = given?.steps ? given : null;
    full.hidden = !value;
    empty.hidden = !!value;
    empty.textContent = lab.say(given?.empty);
    colours = null;
    if (!value) {
      player.stop();
      shown = "";
      return;
    }
    const floats = (text) => new Float32Array(lab.bytes(text).buffer);
    matrices = Object.fromEntries(
      Object.entries(value.matrices).map(([name, given]) => {
        const names = given.down === "s" ? value.looked : value.lookers;
        return [name, { ...given, data: floats(given.data), names, across: given.over === "s" ? value.looked : null }];
      }),
    );
    for (const [name, map] of Object.entries(given.maps))
      value.maps[name] = { ...map, weight: floats(map.weight), bias: floats(map.bias) };
    for (const norm of Object.values(value.norms)) {
      norm.weight = floats(norm.weight);
      norm.bias = norm.bias && floats(norm.bias);
    }
    title.textContent = lab.say(value.title);
    cut.textContent = lab.say(value.note);
    mask.hidden = !value.mask;
    mask.textContent = value.mask ? lab.word("heads.mask." + value.mask) : "";
    linked ||= lab.linked(value.group, pointed, tools);
    const now = `${value.lookers}|${value.looked}`;
    if (now !== shown) {
      cell.t = value.asked;
      cell.s = row("weights", cell.t).reduce((best, x, i, all) => (x > all[best] ? i : best), 0);
      cell.i = cell.j = 0;
    }
    if (!shown && /^\d+$/.test(view.value)) at = Number(view.value) - 1;
    shown = now;
    proof.textContent = lab.word("heads.proof", { off: value.off ? value.off.toExponential(0) : "0" });
    list.setAttribute("aria-label", lab.word("heads.steps"));
    table.setAttribute("aria-label", lab.word("heads.terms"));
    show(Math.min(at, value.steps.length - 1));
  };
});
