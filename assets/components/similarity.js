// Similarities of the same things with one another: a square of signed numbers, one of several; pointing at a token
// elsewhere shows that token's own square.
window.lab.component("similarity", (element, tools) => {
  const lab = window.lab;
  const MOST = 40, // pixels of a cell
    LEAST = 3,
    WHOLE = 560, // of the square
    DARK = 0.63, // beyond which a cell is written on in the colour of the paper
    LINE = 12;
  const body = tools.card();
  const ways = lab.radios(lab.word("components.views"), (i) => {
    chosen = i;
    view?.set(i ? String(i + 1) : "");
    keys();
    show();
  });
  const title = lab.el("div", { class: "which", "aria-live": "polite" });
  const canvas = lab.el("canvas", { tabindex: 0, role: "img" });
  const ramp = lab.el("canvas", { "aria-hidden": "true" });
  const legend = lab.el("div", { class: "legend" }, lab.el("span", {}, "−1"), ramp, lab.el("span", {}, "1"));
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const none = lab.el("div", { class: "empty" });
  const box = lab.el("div", { class: "box" }, canvas);
  const whole = lab.el("div", {}, lab.el("div", { class: "above" }, ways.node, legend), title, box, say);
  body.append(whole, none);
  let value = null,
    view = null,
    chosen = 0,
    token = -1, // whose own square is shown
    frame = null,
    at = null, // the cell that is read
    linked = null,
    group = null;

  const count = () => value.names.length;
  const name = (i) => (typeof value.names[i] === "string" ? lab.visible(value.names[i]) : lab.say(value.names[i]));
  const square = () => value.squares[chosen];
  const ONE = 32767; // what stands for 1
  const whole16 = (base64) => new Int16Array(lab.bytes(base64).buffer);
  const numbers = () => {
    const size = count() ** 2;
    return token < 0 ? whole16(square().data) : whole16(value.each.data).subarray(token * size, (token + 1) * size);
  };
  const more = () => (token < 0 && square().below ? whole16(square().more) : null);
  const number = (whole) => (whole / ONE).toFixed(2).replace("-", "−");

  const names = () => value.names.map((_, i) => name(i));
  // What the longest of some names takes.
  function room(texts) {
    const pen = canvas.getContext("2d");
    pen.font = lab.mono(13);
    return 16 + Math.max(...texts.map((text) => pen.measureText(text).width));
  }
  function pictured(wholes, rows, cols, colours) {
    const picture = new ImageData(cols, rows),
      pixels = new Uint32Array(picture.data.buffer);
    for (let i = 0; i < rows * cols; i++) pixels[i] = colours[Math.round((1 + wholes[i] / ONE) * 128)];
    const source = Object.assign(document.createElement("canvas"), { width: cols, height: rows });
    source.getContext("2d").putImageData(picture, 0, 0);
    return source;
  }
  function large() {
    if (!value || !box.clientWidth) return;
    const n = count(),
      extra = more();
    const side = Math.min(box.clientWidth * 0.36, room([...names(), extra ? lab.say(square().below) : ""]));
    const cell = Math.max(LEAST, Math.min(MOST, (box.clientWidth - side - 2) / n, WHOLE / n));
    const top = Math.min(110, room(names())),
      gap = extra ? 8 : 0;
    const pen = lab.canvas(canvas, side + cell * n + 1, top + cell * (n + (extra ? 1 : 0)) + gap + 1);
    const colours = lab.matrixView.shades();
    frame = { side, top, cell, gap, extra };
    pen.imageSmoothingEnabled = false;
    pen.drawImage(pictured(numbers(), n, n, colours), side, top, cell * n, cell * n);
    if (extra) pen.drawImage(pictured(extra, 1, n, colours), side, top + cell * n + gap, cell * n, cell);
    letters(pen, n, extra);
    pen.lineWidth = 1.5;
    pen.strokeStyle = lab.colour("ink");
    if (at) pen.strokeRect(side + at.col * cell, top + at.row * cell + (at.row === n ? gap : 0), cell, cell);
  }
  function letters(pen, n, extra) {
    const { side, top, cell, gap } = frame;
    const every = Math.max(1, Math.ceil(LINE / cell));
    pen.font = lab.mono(Math.min(13, Math.max(LINE - 1, cell * 0.6)));
    pen.textBaseline = "middle";
    const row = (text, y, lit) => {
      pen.textAlign = "right";
      pen.fillStyle = lab.colour(lit ? "accent" : "ink");
      pen.fillText(lab.shortened(pen, text, side - 10), side - 6, y);
    };
    for (let i = 0; i < n; i += every) {
      row(name(i), top + (i + 0.5) * cell, at?.row === i);
      pen.save();
      pen.translate(side + (i + 0.5) * cell, top - 6);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "left";
      pen.fillStyle = lab.colour(at?.col === i ? "accent" : "ink");
      pen.fillText(lab.shortened(pen, name(i), top - 8), 0, 0);
      pen.restore();
    }
    if (extra) row(lab.say(square().below), top + cell * n + gap + cell / 2, at?.row === n);
    if (cell < 34) return;
    // As many digits as there is room for.
    const wholes = numbers();
    pen.font = lab.mono(11);
    pen.textAlign = "center";
    const digits = (whole, x, y) => {
      pen.fillStyle = lab.colour(Math.abs(whole) > DARK * ONE ? "card" : "ink");
      pen.fillText(number(whole), x, y);
    };
    for (let i = 0; i < n * n; i++)
      digits(wholes[i], side + ((i % n) + 0.5) * cell, top + (Math.floor(i / n) + 0.5) * cell);
    if (extra) for (let i = 0; i < n; i++) digits(extra[i], side + (i + 0.5) * cell, top + cell * n + gap + cell / 2);
  }
  const keys = () =>
    ways.draw(
      value.squares.map((each) => lab.say(each.name)),
      chosen,
    );
  function strip() {
    const pen = lab.canvas(ramp, 90, 12),
      colours = lab.matrixView.shades();
    pen.drawImage(
      pictured(
        Int16Array.from({ length: 90 }, (_, i) => (2 * (i / 89) - 1) * ONE),
        1,
        90,
        colours,
      ),
      0,
      0,
      90,
      12,
    );
  }
  function show() {
    title.textContent =
      token < 0
        ? lab.say(square().name)
        : lab.word("components.similar.token", { token: `“${lab.visible(value.each.tokens[token])}”` });
    large();
    read();
  }
  function lines() {
    const own = at.row === count();
    const whole = own ? more()?.[at.col] : numbers()[at.row * count() + at.col];
    return [`${own ? lab.say(square().below) : name(at.row)} · ${name(at.col)}`, number(whole)];
  }
  function read() {
    if (at && at.row === count() && !more()) at = null;
    say.textContent = at ? lines().join(": ") : lab.word("components.similar.keys");
    canvas.setAttribute("aria-label", `${title.textContent}. ${say.textContent}`);
  }
  function point(cell) {
    const same = cell?.row === at?.row && cell?.col === at?.col;
    at = cell;
    if (same) return;
    large();
    read();
  }
  function cellAt(event) {
    const place = canvas.getBoundingClientRect(),
      { side, top, cell, gap, extra } = frame;
    const col = Math.floor((event.clientX - place.left - side) / cell),
      down = event.clientY - place.top - top;
    const row = extra && down >= cell * count() + gap ? count() : Math.floor(down / cell);
    const last = count() + (extra ? 1 : 0);
    const inside = row === count() ? down < cell * last + gap : row < count();
    return row < 0 || col < 0 || col >= count() || !inside ? null : { row, col };
  }
  canvas.addEventListener("mousemove", (event) => {
    const cell = frame && cellAt(event);
    point(cell);
    return at ? lab.note(lines(), event.clientX, event.clientY) : lab.unnote();
  });
  canvas.addEventListener("mouseleave", () => {
    lab.unnote();
    point(null);
  });
  canvas.addEventListener("blur", () => point(null));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const clamp = (place, most) => Math.min(most, Math.max(0, place));
    const last = count() - (more() ? 0 : 1);
    point(at ? { row: clamp(at.row + step[0], last), col: clamp(at.col + step[1], count() - 1) } : { row: 0, col: 0 });
  });
  lab.sized(box, large, tools);

  return (given) => {
    value = given?.squares?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    view ||= value.view ? lab.view(value.view) : null;
    const asked = Number(view?.value || 1) - 1;
    if (value.squares[asked]) chosen = asked;
    else view?.refuse();
    chosen = Math.min(chosen, value.squares.length - 1);
    at = null;
    token = -1;
    if (value.group && group !== value.group) {
      group = value.group;
      linked = lab.linked(group, (now) => pointed(now), tools);
    }
    keys();
    strip();
    pointed(linked?.at);
    show();
  };
  function pointed(now) {
    const place = now?.at ?? now?.row,
      found = value?.each ? value.each.places.indexOf(place) : -1;
    if (!value || found === token) return;
    token = found;
    show();
  }
});
