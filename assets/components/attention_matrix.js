// One attention map, drawn large: a row for each token that looks. Where cells are small not every token is named, but
// those pointed at always are.
(() => {
  "use strict";
  const lab = window.lab;
  const LINE = 11, // pixels that a name takes
    AXIS = 62, // pixels at least for the names of tokens, and of the two axes
    EDGE = 6, // behind the last cell: the half of its name that small cells have no room for
    LARGEST = 48; // cell, pixels

  lab.mono = (size, weight = 500) =>
    `${weight} ${size}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;

  // `picture` is the map as an image, coarse perhaps, `there` and `below` the row and the column pointed at, `row` and
  // `col` those whose tokens are; rows are `tall` at least, and otherwise cells are square; axes are `named` where rows
  // look at columns. Gives back how a place on the canvas becomes {row, col}.
  lab.attentionMatrix = (canvas, { map, picture, width, there, below, row, col, tall = 0, named = true }) => {
    const rows = map.lookers.length,
      cols = map.tokens.length;
    const most = Math.max(rows, cols);
    // Names have what the cells leave them.
    const side = Math.min(110, Math.max(AXIS, width * 0.16, width - EDGE - LARGEST * most));
    const cell = Math.max(1, Math.min(LARGEST, (width - side - EDGE) / most));
    const size = cell >= 4 ? Math.floor(cell) : cell; // whole pixels, where they are not too few
    const high = Math.max(size, tall),
      right = cols * size,
      down = rows * high;
    const pen = lab.canvas(canvas, side + right + EDGE, side + down + EDGE);
    const source = document.createElement("canvas");
    source.width = picture.width;
    source.height = picture.height;
    source.getContext("2d").putImageData(picture, 0, 0);
    pen.imageSmoothingEnabled = size < 1;
    pen.drawImage(source, side, side, right, down);
    pen.strokeStyle = lab.colour("line");
    pen.strokeRect(side - 0.5, side - 0.5, right + 1, down + 1);
    pen.strokeStyle = lab.colour("ink");
    pen.lineWidth = 1.5;
    if (there !== undefined) pen.strokeRect(side, side + there * high, right, high);
    if (there !== undefined && below !== undefined) pen.strokeRect(side + below * size, side, size, down);
    pen.font = lab.mono(Math.min(15, Math.max(LINE, size * 0.6)));
    pen.textBaseline = "middle";
    if (named) axes(pen, side);
    names(pen, map.lookers, high, row, (text, t, room) => {
      pen.textAlign = "right";
      pen.fillText(lab.shortened(pen, text, room), side - 6, side + (t + 0.5) * high);
    });
    names(pen, map.tokens, size, col, (text, t, room) => {
      pen.save();
      pen.textAlign = "left";
      pen.translate(side + (t + 0.5) * size, side - 6);
      pen.rotate(-Math.PI / 2);
      pen.fillText(lab.shortened(pen, text, room), 0, 0);
      pen.restore();
    });
    // In the corner, which row and column leave free.
    function axes(pen, side) {
      pen.save();
      pen.font = lab.mono(LINE);
      pen.fillStyle = lab.colour("quiet");
      pen.textAlign = "right";
      pen.fillText(lab.word("components.key"), side - 6, side - 22);
      pen.fillText(lab.word("components.query"), side - 6, side - 8);
      pen.restore();
    }
    function names(pen, tokens, size, meant, write) {
      const every = Math.max(1, Math.ceil((LINE + 1) / size));
      tokens.forEach((token, t) => {
        if (t !== meant && (t % every || (meant !== undefined && Math.abs(t - meant) < every))) return;
        pen.fillStyle = lab.colour(t === meant ? "accent" : "ink");
        write(lab.visible(token), t, side - 10);
      });
    }
    return (x, y) => {
      const col = Math.floor((x - side) / size),
        row = Math.floor((y - side) / high);
      return row < 0 || col < 0 || row >= rows || col >= cols ? null : { row, col };
    };
  };
})();
