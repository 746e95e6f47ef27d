// A small matrix of signed numbers: blue above zero, brown below, minus infinity hatched; its tokens beside it.
(() => {
  "use strict";
  const lab = window.lab;
  const TOP = 64, // room above the columns for their names
    MOST = 26; // pixels of a cell

  // Two ramps of 128 shades that meet at zero; the root keeps small numbers apart.
  function shades() {
    const pen = Object.assign(document.createElement("canvas"), { width: 257, height: 1 }).getContext("2d", {
      willReadFrequently: true,
    });
    const fade = pen.createLinearGradient(0, 0, 257, 0);
    const stops = ["below-high", "below-mid", "map-low", "map-mid", "map-high"];
    stops.forEach((name, at) => fade.addColorStop(at / (stops.length - 1), lab.colour(name)));
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 257, 1);
    return new Uint32Array(pen.getImageData(0, 0, 257, 1).data.buffer.slice(0));
  }
  const shade = (number, most) => 128 + Math.round(128 * Math.sign(number) * Math.sqrt(Math.abs(number) / most));

  const spelt = (x) => {
    if (x === -Infinity) return "−∞";
    const size = Math.abs(x),
      digits = size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.0005 || size === 0 ? 3 : 1;
    return (size >= 0.0005 || size === 0 ? x.toFixed(digits) : x.toExponential(digits)).replaceAll("-", "−");
  };

  // matrix: {rows, cols, data, names, across}: `names` are the tokens of the rows, `across` those of the columns, if
  // these are tokens. `at` is the row and the column that are meant, `line` whether it is the row or the column alone.
  lab.matrixView = (caption, pick) => {
    const name = lab.el("figcaption"),
      canvas = lab.el("canvas", { role: "img" });
    const node = lab.el("figure", { class: "matrix" }, name, canvas);
    let frame = null,
      shown = null;
    function cellAt(event) {
      if (!frame) return null;
      const place = canvas.getBoundingClientRect();
      const col = Math.floor((event.clientX - place.left - frame.side) / frame.wide),
        row = Math.floor((event.clientY - place.top - TOP) / frame.high);
      return row < 0 || col < 0 || row >= shown.rows || col >= shown.cols ? null : { row, col };
    }
    const across = (col) => (shown.across ? lab.visible(shown.across[col]) : String(col + 1));
    canvas.addEventListener("mousemove", (event) => {
      const cell = cellAt(event);
      if (!cell) return lab.unnote();
      const number = shown.data[cell.row * shown.cols + cell.col];
      const place = `${lab.visible(shown.names[cell.row])}, ${across(cell.col)}`;
      return lab.note([place, spelt(number)], event.clientX, event.clientY);
    });
    canvas.addEventListener("mouseleave", lab.unnote);
    if (pick) {
      canvas.tabIndex = 0;
      canvas.addEventListener("click", (event) => pick(cellAt(event)));
    }
    function draw(matrix, { width, high, at, colours }) {
      shown = matrix;
      const side = Math.min(96, Math.max(58, width * 0.24));
      const wide = Math.min(MOST * 1.7, (width - side - 2) / matrix.cols);
      frame = { side, wide, high };
      const pen = lab.canvas(canvas, side + wide * matrix.cols + 1, TOP + high * matrix.rows + 1);
      const most = matrix.data.reduce((top, x) => (Number.isFinite(x) ? Math.max(top, Math.abs(x)) : top), 1e-12);
      paint(pen, matrix, colours, most);
      letters(pen, matrix, at);
      border(pen, matrix, at);
      name.textContent = `${caption}  ${matrix.rows} × ${matrix.cols}`;
      canvas.setAttribute("aria-label", name.textContent);
    }
    function paint(pen, { rows, cols, data }, colours, most) {
      const picture = new ImageData(cols, rows),
        pixels = new Uint32Array(picture.data.buffer);
      for (let i = 0; i < rows * cols; i++) pixels[i] = Number.isFinite(data[i]) ? colours[shade(data[i], most)] : 0;
      const source = Object.assign(document.createElement("canvas"), { width: cols, height: rows });
      source.getContext("2d").putImageData(picture, 0, 0);
      const { side, wide, high } = frame;
      pen.fillStyle = lab.colour("original-soft");
      pen.fillRect(side, TOP, wide * cols, high * rows);
      pen.imageSmoothingEnabled = false;
      pen.drawImage(source, side, TOP, wide * cols, high * rows);
      pen.font = `${Math.min(11, high * 0.62)}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;
      pen.textBaseline = "middle";
      pen.textAlign = "center";
      const fits = (text) => pen.measureText(text).width <= wide - 3;
      const texts = Array.from(data, spelt);
      // All numbers or none: where the shortest alone fit, most of a matrix of both signs would seem to hold nothing.
      const whole = texts.every((text, i) => !Number.isFinite(data[i]) || fits(text));
      for (let i = 0; i < rows * cols; i++) {
        const text = texts[i];
        if (Number.isFinite(data[i]) ? !whole : !fits(text)) continue;
        const strong = Number.isFinite(data[i]) && Math.abs(data[i]) / most > 0.5;
        pen.fillStyle = lab.colour(strong ? "card" : "ink");
        pen.fillText(text, side + ((i % cols) + 0.5) * wide, TOP + (Math.floor(i / cols) + 0.5) * high + 0.5);
      }
    }
    function letters(pen, { rows, cols, names, across: tokens }, at) {
      const { side, wide, high } = frame;
      pen.font = `500 ${Math.min(13, high * 0.78)}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;
      pen.textAlign = "right";
      for (let row = 0; row < rows; row++) {
        pen.fillStyle = lab.colour(row === at.row ? "accent" : "ink");
        pen.fillText(lab.shortened(pen, lab.visible(names[row]), side - 8), side - 6, TOP + (row + 0.5) * high);
      }
      pen.textAlign = "left";
      const size = Math.min(13, high * 0.78, Math.max(9, wide));
      pen.font = `500 ${size}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;
      const every = Math.max(1, Math.ceil((tokens ? 11 : 26) / wide));
      for (let col = 0; col < cols; col++) {
        const meant = col === at.col;
        if (!meant && (col % every || Math.abs(col - at.col) < every)) continue;
        pen.save();
        pen.translate(side + (col + 0.5) * wide, TOP - 6);
        pen.rotate(-Math.PI / 2);
        pen.fillStyle = lab.colour(meant ? "accent" : tokens ? "ink" : "quiet");
        pen.fillText(tokens ? lab.shortened(pen, lab.visible(tokens[col]), TOP - 8) : String(col + 1), 0, 0);
        pen.restore();
      }
    }
    function border(pen, { rows, cols }, at) {
      const { side, wide, high } = frame;
      pen.lineWidth = 1;
      pen.strokeStyle = lab.colour("line");
      pen.strokeRect(side - 0.5, TOP - 0.5, wide * cols + 1, high * rows + 1);
      pen.lineWidth = 1.5;
      pen.strokeStyle = lab.colour("accent");
      if (at.row >= 0) pen.strokeRect(side, TOP + at.row * high, wide * cols, high);
      if (at.col >= 0) pen.strokeRect(side + at.col * wide, TOP, wide, high * rows);
      if (at.row < 0 || at.col < 0) return;
      pen.lineWidth = 3;
      pen.strokeRect(side + at.col * wide, TOP + at.row * high, wide, high);
    }
    return { node, draw, canvas };
  };
  lab.matrixView.shades = shades;
  lab.matrixView.top = TOP;
  lab.matrixView.number = spelt;
})();
