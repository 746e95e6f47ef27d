// Attention as lines between two columns of tokens, those that look on the left, a colour for each head: BertViz's head
// view (Vig 2019). A token that is pointed at is seen alone.
(() => {
  "use strict";
  const lab = window.lab;
  const COLOURS = 8,
    FAINT = 0.02; // a line below this cannot be seen

  const high = (count) => (count > 48 ? 12 : count > 24 ? 16 : 22);
  lab.headColour = (head) => lab.colour(`head-${(head % COLOURS) + 1}`);

  // `weight(head, row, col)`, `heads` those that are drawn, `row` or `col` the token that is pointed at.
  lab.attentionLines = (canvas, { map, weight, heads, width, row, col }) => {
    const rows = map.lookers.length,
      cols = map.tokens.length,
      step = high(Math.max(rows, cols));
    const side = Math.min(150, width * 0.3),
      far = width - side;
    const pen = lab.canvas(canvas, width, Math.max(rows, cols) * step + 8);
    const at = (t) => 4 + (t + 0.5) * step;
    for (const head of heads) {
      pen.strokeStyle = lab.headColour(head);
      pen.lineWidth = heads.length > 4 ? 1 : 1.6;
      for (let r = 0; r < rows; r++) {
        if (row !== undefined && r !== row) continue;
        for (let c = 0; c < cols; c++) {
          if (col !== undefined && row === undefined && c !== col) continue;
          const share = weight(head, r, c);
          if (share < FAINT) continue;
          pen.globalAlpha = Math.min(1, share);
          pen.beginPath();
          pen.moveTo(side + 4, at(r));
          pen.lineTo(far - 4, at(c));
          pen.stroke();
        }
      }
    }
    pen.globalAlpha = 1;
    pen.font = lab.mono(Math.min(14, step * 0.7));
    pen.textBaseline = "middle";
    marks(pen, row !== undefined ? far : side, (t, head) =>
      row !== undefined ? weight(head, row, t) : col !== undefined ? weight(head, t, col) : 0,
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
    function marks(pen, edge, share) {
      if (row === undefined && col === undefined) return;
      const wide = (side - 4) / heads.length,
        count = row !== undefined ? cols : rows;
      heads.forEach((head, n) => {
        pen.fillStyle = lab.headColour(head);
        for (let t = 0; t < count; t++) {
          pen.globalAlpha = 0.45 * Math.min(1, share(t, head));
          const x = edge === far ? far + 4 + n * wide : n * wide;
          pen.fillRect(x, at(t) - step / 2 + 1, wide, step - 2);
        }
      });
      pen.globalAlpha = 1;
    }
    return (x, y) => {
      const t = Math.floor((y - 4) / step);
      if (x < side && t >= 0 && t < rows) return { row: t };
      return x > far && t >= 0 && t < cols ? { col: t } : null;
    };
  };
})();
