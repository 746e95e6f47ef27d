// The attention mask of a factorisation order, for one of the two streams: who sees whom, row by row.
(() => {
  "use strict";
  const lab = window.lab;

  // ``rows`` are the places in the order in which they stand; of a stream, ``may(t, s)`` says whether t sees s.
  lab.permutationTable = ({ tokens, rows, asked, chosen, name, may, stream, width }) => {
    const n = tokens.length,
      beside = width > 760,
      room = Math.max(240, (width - (beside ? 36 : 0)) / (beside ? 2 : 1));
    const side = Math.min(92, room * 0.2),
      cell = Math.max(8, Math.min(30, Math.floor((room - side - 2) / n))),
      total = side + n * cell;
    const picture = lab.svg("svg", {
      viewBox: `0 0 ${total} ${total}`,
      width: total,
      height: total,
      role: "img",
      "data-stream": stream,
      "aria-label": lab.word(`desks.permutation.${stream}`),
      "data-sees": tokens.map((_, t) => tokens.map((_, s) => (may(t, s) ? 1 : 0)).join("")).join(" "),
    });
    const clip = (text) => ([...text].length > side / 9 ? [...text].slice(0, side / 9 - 1).join("") + "…" : text);
    rows.forEach((t, r) => {
      const y = side + r * cell,
        none = stream === "query" && !asked.has(t);
      const label = { class: t === chosen ? "on" : asked.has(t) ? "asked" : "" };
      picture.append(
        lab.svg(
          "text",
          { ...label, x: side - 6, y: y + cell / 2, "text-anchor": "end", "dominant-baseline": "central" },
          clip(name(t)),
        ),
        lab.svg(
          "text",
          { ...label, transform: `translate(${y + cell / 2} ${side - 6}) rotate(-90)`, "dominant-baseline": "central" },
          clip(name(t)),
        ),
      );
      // A row that asks nothing is struck through: left empty, it was not to be seen on paper as white as itself.
      if (none)
        picture.append(
          lab.svg("line", { class: "none", x1: side, x2: side + n * cell - 1.5, y1: y + cell / 2, y2: y + cell / 2 }),
        );
      else
        rows.forEach((s, c) => {
          const x = side + c * cell,
            kind = may(t, s) ? (t === s ? "self" : "seen") : "blind";
          if (kind === "seen" || kind === "self")
            picture.append(
              lab.svg("rect", { class: kind, x, y, width: cell - 1.5, height: cell - 1.5, rx: Math.min(4, cell / 5) }),
            );
          else
            picture.append(
              lab.svg("circle", { class: "blind", cx: x + cell / 2, cy: y + cell / 2, r: Math.max(1, cell * 0.09) }),
            );
        });
      if (t === chosen)
        picture.append(
          lab.svg("rect", { class: "row", x: side - 2, y: y - 2, width: n * cell + 2, height: cell + 2.5, rx: 4 }),
        );
    });
    return lab.el(
      "figure",
      {},
      lab.el(
        "figcaption",
        {},
        lab.el("strong", {}, lab.word(`desks.permutation.${stream}`)),
        " ",
        lab.word(`desks.permutation.${stream}.about`),
      ),
      picture,
    );
  };
})();
