// Attention as lines between two columns of tokens, those that look on the left, a colour for each head: BertViz's head
// view (Vig 2019). A token that is pointed at is seen alone.
(() => {
  "use strict";
  const lab = window.lab;
  const COLOURS = 8,
    FAINT = 0.02, // a line below this cannot be seen
    LONG = 48, // tokens of a text whose shares are all small: its strongest line is drawn full
    ABOVE = 1.5, // and its lines begin above uniform attention
    MOST = 6000, // lines that are drawn at once: of more the strongest
    SHADES = 12;

  const high = (count) => (count > 48 ? 12 : count > 24 ? 16 : 22);
  lab.headColour = (head) => lab.colour(`head-${(head % COLOURS) + 1}`);

  // The least byte of a line that is drawn, where at most so many may be; shares grow with their bytes.
  function least(maps, cells, faintest) {
    const counts = new Uint32Array(257);
    for (const bytes of maps) cells((i) => (counts[bytes[i]] += 1));
    let byte = 255,
      drawn = counts[255];
    while (byte > faintest && drawn + counts[byte - 1] <= MOST) drawn += counts[--byte];
    return {
      byte,
      drawn,
      all: counts.subarray(1).reduce((sum, count) => sum + count, 0),
      top: counts.findLastIndex(Boolean),
    };
  }

  // `bytes(head)` are the map of a head or undefined, `share(byte)` what a byte says; `heads` are those that are drawn,
  // `row` or `col` the token that is pointed at. Gives back what lies under a place and, of a longer text, how many
  // lines of how many are drawn and what the strongest is.
  lab.attentionLines = (canvas, { map, bytes, share, heads, width, row, col }) => {
    const rows = map.lookers.length,
      cols = map.tokens.length,
      step = high(Math.max(rows, cols));
    const side = Math.min(150, width * 0.3),
      far = width - side;
    const pen = lab.canvas(canvas, width, Math.max(rows, cols) * step + 8);
    const at = (t) => 4 + (t + 0.5) * step;
    const maps = heads.map((head) => bytes(head) || new Uint8Array(rows * cols));
    const weight = (n, r, c) => share(maps[n][r * cols + c]);
    const cells = (visit) => {
      const from = row ?? 0,
        to = row === undefined ? rows : row + 1;
      for (let r = from; r < to; r++)
        if (row === undefined && col !== undefined) visit(r * cols + col);
        else for (let i = r * cols; i < (r + 1) * cols; i++) visit(i);
    };
    const long = Math.max(rows, cols) > LONG;
    let faintest = 1;
    while (share(faintest) < (long ? Math.min(FAINT, ABOVE / cols) : FAINT)) faintest++;
    const few = least(maps, cells, faintest),
      full = long ? share(few.top) : 1;
    pen.lineWidth = heads.length > 4 ? 1 : 1.6;
    maps.forEach((numbers, n) => {
      // Lines of one shade are one path: to stroke thousands one by one takes a quarter of a second.
      const paths = Array.from({ length: SHADES + 1 }, () => null);
      cells((i) => {
        if (numbers[i] < few.byte) return;
        const path = (paths[Math.ceil(SHADES * Math.min(1, share(numbers[i]) / full))] ??= new Path2D());
        path.moveTo(side + 4, at(Math.floor(i / cols)));
        path.lineTo(far - 4, at(i % cols));
      });
      pen.strokeStyle = lab.headColour(heads[n]);
      paths.forEach((path, shade) => {
        pen.globalAlpha = shade / SHADES;
        if (path) pen.stroke(path);
      });
    });
    pen.globalAlpha = 1;
    pen.font = lab.mono(Math.min(14, step * 0.7));
    pen.textBaseline = "middle";
    marks(pen, row !== undefined ? far : side, (t, n) =>
      row !== undefined ? weight(n, row, t) : col !== undefined ? weight(n, t, col) : 0,
    );
    const column = (tokens, meant, x, align) =>
      tokens.forEach((token, t) => {
        pen.textAlign = align;
        pen.fillStyle = lab.colour(t === meant ? "accent" : "ink");
        pen.fillText(lab.shortened(pen, lab.visible(token), side - 14), x, at(t));
      });
    column(map.lookers, row, side - 6, "right");
    column(map.tokens, row === undefined ? col : undefined, far + 6, "left");

    // Behind the tokens at the other end: how much each head gives them, side by side.
    function marks(pen, edge, given) {
      if (row === undefined && col === undefined) return;
      const wide = (side - 4) / heads.length,
        count = row !== undefined ? cols : rows;
      heads.forEach((head, n) => {
        pen.fillStyle = lab.headColour(head);
        for (let t = 0; t < count; t++) {
          pen.globalAlpha = 0.45 * Math.min(1, given(t, n));
          const x = edge === far ? far + 4 + n * wide : n * wide;
          pen.fillRect(x, at(t) - step / 2 + 1, wide, step - 2);
        }
      });
      pen.globalAlpha = 1;
    }
    const hit = (x, y) => {
      const t = Math.floor((y - 4) / step);
      if (x < side && t >= 0 && t < rows) return { row: t };
      return x > far && t >= 0 && t < cols ? { col: t } : null;
    };
    return { hit, few: long || few.byte > faintest ? { ...few, share: full } : null };
  };
})();
