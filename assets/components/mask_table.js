// Who may look at whom, as a canvas. Row: who looks. Column: at whom. Of a model without attention: which tokens are
// pairs.
window.lab.component("mask_table", (element, tools) => {
  const lab = window.lab;
  const READS = 13,
    LEAST = 8; // pixels of a cell: whose name is read with ease, and with effort; a larger table is scrolled
  const NARROW = matchMedia("(max-width: 640px)"),
    TOUCHED = 18,
    SIDE = 64; // on a telephone: a cell that is read and touched, and room for its name
  const LOOKS = {
    one: "components.sees",
    none: "components.blind",
    yes: "components.looks.yes",
    no: "components.looks.no",
    count: "components.looks.count",
  };
  const PAIRS = {
    one: "components.pair.one",
    none: "components.pair.none",
    yes: "components.pairs.yes",
    no: "components.pairs.no",
    count: "components.pairs.count",
  };
  const body = tools.card(),
    title = element.querySelector(".card-title");
  const canvas = lab.el("canvas", { tabindex: 0, role: "img" });
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const sees = lab.el("span"),
    blind = lab.el("span");
  const key = (name) => lab.el("span", { class: "key " + name });
  const legend = lab.el("div", { class: "legend" }, key("seen"), sees, key("blind"), blind);
  const box = lab.el("div", { class: "stage" }, canvas);
  const none = lab.el("div", { class: "empty" });
  body.append(box, lab.el("div", { class: "foot" }, legend, say));
  body.after(none);

  let value = null,
    words = LOOKS,
    see = null,
    tokens = [],
    frame = null,
    at = null,
    linked = null,
    group = null;
  const kinds = () => value.kinds || [];

  // Beside something else a large table would be cut off: it takes the whole row, and what stands beside it the next.
  function claim() {
    const column = element.closest(".column");
    if (column && tokens.length) column.style.minWidth = `min(${tokens.length * READS + 150}px, 100%)`;
  }

  function geometry(width) {
    const n = tokens.length;
    const narrow = NARROW.matches; // not a card that stands beside another on a wide screen
    const side = Math.min(96, Math.max(narrow ? SIDE : 34, width * 0.14));
    const cell = Math.max(narrow ? TOUCHED : LEAST, Math.min(34, Math.floor((Math.min(width, 860) - side - 4) / n)));
    return { n, cell, side };
  }

  function draw() {
    const width = box.clientWidth;
    if (!value || !width || !tokens.length) return;
    frame = geometry(width);
    const { n, cell, side } = frame,
      total = side + n * cell + 1;
    box.classList.toggle("scrolled", total > width);
    const pen = lab.canvas(canvas, total, total);
    const seen = lab.colour("accent"),
      line = lab.colour("line"),
      ink = lab.colour("ink"),
      quiet = lab.colour("quiet");
    const gap = 1;
    pen.clearRect(0, 0, total, total);
    for (let t = 0; t < n; t++)
      for (let s = 0; s < n; s++) {
        const lit = at && (at.row === t || at.col === s || at.at === t || at.at === s);
        const x = side + s * cell,
          y = side + t * cell;
        if (see[t * n + s]) {
          pen.globalAlpha = !at ? 0.78 : lit ? 1 : 0.34;
          pen.fillStyle = seen;
          pen.beginPath();
          pen.roundRect(x, y, cell - gap, cell - gap, cell > 12 ? 4 : 0);
          pen.fill();
        } else {
          pen.globalAlpha = !at || lit ? 1 : 0.5;
          pen.fillStyle = line;
          pen.beginPath(); // a dot rather than a paler square, so that it does without colour
          pen.arc(x + cell / 2, y + cell / 2, Math.max(1, cell * 0.09), 0, 7);
          pen.fill();
        }
      }
    pen.globalAlpha = 1;
    const size = Math.min(14, Math.max(Math.min(9, cell), cell * 0.62));
    const mono = getComputedStyle(document.body).getPropertyValue("--lab-mono");
    pen.font = `500 ${size}px ${mono}`;
    pen.textBaseline = "middle";
    names(pen, total, { seen, ink, quiet });
  }

  // What looks stands at the left, what is looked at on top; where a table is scrolled, the names stay.
  function names(pen, total, colours) {
    const { n, cell, side } = frame,
      left = box.scrollLeft,
      top = box.scrollTop;
    const write = (t, lit, x, y, turn, align) => {
      pen.save();
      pen.translate(x, y);
      pen.rotate(turn);
      pen.textAlign = align;
      pen.fillStyle = lit ? colours.seen : kinds()[t] === "special" ? colours.quiet : colours.ink;
      pen.fillText(lab.shortened(pen, lab.visible(tokens[t]), side - 10), 0, 0);
      pen.restore();
    };
    pen.clearRect(left, 0, side, total);
    for (let t = 0; t < n; t++)
      write(t, at && (at.row === t || at.at === t), left + side - 6, side + (t + 0.5) * cell, 0, "right");
    pen.clearRect(0, top, total, side);
    for (let t = 0; t < n; t++)
      write(t, at && (at.col === t || at.at === t), side + (t + 0.5) * cell, top + side - 6, -Math.PI / 2, "left");
    pen.clearRect(left, top, side, side);
  }

  function read() {
    if (!at || !(at.row < tokens.length && at.col < tokens.length)) {
      say.textContent = "";
      return;
    }
    const n = tokens.length,
      name = (i) => `“${lab.visible(tokens[i])}”`;
    const yes = see[at.row * n + at.col];
    const count = see.subarray(at.row * n, at.row * n + n).reduce((sum, v) => sum + (v ? 1 : 0), 0);
    say.textContent =
      lab.word(yes ? words.yes : words.no, { from: name(at.row), to: name(at.col) }) +
      " · " +
      lab.word(words.count, { row: at.row + 1, n: count, all: n });
  }
  function cellAt(event) {
    if (!frame) return null;
    const place = canvas.getBoundingClientRect(),
      x = event.clientX - place.left,
      y = event.clientY - place.top;
    if (x < box.scrollLeft + frame.side || y < box.scrollTop + frame.side) return null; // a name
    const col = Math.floor((x - frame.side) / frame.cell),
      row = Math.floor((y - frame.side) / frame.cell);
    return row >= 0 && col >= 0 && row < frame.n && col < frame.n ? { row, col } : null;
  }
  canvas.addEventListener("mousemove", (event) => linked?.point(cellAt(event)));
  canvas.addEventListener("mouseleave", () => linked?.point(null));
  canvas.addEventListener("click", (event) => linked?.lock(cellAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") linked?.lock(null);
    if (!step || !tokens.length) return;
    event.preventDefault();
    const last = tokens.length - 1,
      clamp = (v) => Math.min(last, Math.max(0, v));
    const from = at?.row === undefined ? { row: -step[0], col: -step[1] } : at;
    if (linked.locked) linked.lock(linked.at);
    linked.point({ row: clamp(from.row + step[0]), col: clamp(from.col + step[1]) });
    if (at?.col === undefined) return;
    const { side, cell } = frame,
      x = at.col * cell,
      y = at.row * cell; // of the cell, from the end of the names
    if (x < box.scrollLeft || x + cell > box.scrollLeft + box.clientWidth - side)
      box.scrollLeft = x - (box.clientWidth - side) / 2;
    if (y < box.scrollTop || y + cell > box.scrollTop + box.clientHeight - side)
      box.scrollTop = y - (box.clientHeight - side) / 2;
  });

  box.addEventListener("scroll", draw, { passive: true });
  lab.sized(box, draw, tools);
  return (given) => {
    value = given;
    tokens = (given?.tokens || []).map(String);
    see = lab.bytes(given?.see);
    body.hidden = !tokens.length;
    none.hidden = !body.hidden;
    none.textContent = lab.say(given?.empty);
    if (given?.title) title.textContent = lab.say(given.title);
    words = given?.pairs ? PAIRS : LOOKS;
    sees.textContent = lab.word(words.one);
    blind.textContent = lab.word(words.none);
    claim();
    canvas.setAttribute("aria-label", lab.word("components.table", { n: tokens.length }));
    const wanted = given?.group || "table-" + (element.dataset.n ||= String((lab.counter = (lab.counter || 0) + 1)));
    if (group !== wanted) {
      group = wanted;
      linked = lab.linked(
        group,
        (now) => {
          at = now;
          draw();
          read();
        },
        tools,
      );
    }
    draw();
    read();
  };
});
