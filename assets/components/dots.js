// The measured points of a chart, each with its name: beside it where there is room, else further up or down, at the
// end of a line.
(() => {
  "use strict";
  const lab = window.lab;
  const NEAR = [
    [9, 5, 0],
    [-9, 5, 1],
    [0, -11, 0.5],
    [0, 21, 0.5],
    [9, -9, 0],
    [9, 19, 0],
    [-9, -9, 1],
    [-9, 19, 1],
  ]; // pixels to the right and down, and which share of the name stands left of there
  const FAR = Array.from({ length: 9 }, (_, i) => 30 + 16 * i), // pixels up, and as many down
    ASIDE = [0.5, 0, 1], // which share of a far name stands left of its dot
    BEHIND = 14, // the right end of the axis, that a name may reach
    ROUND = 7; // a dot that no name may cover

  // `px` and `py` place a value between `left`, `right` and the `floor`; `drawable` says which of a series' points are.
  lab.dots = (series, { px, py, left, right, floor, drawable }) => {
    const shown = series
      .filter((one) => one.kind === "dots" || one.dots)
      .flatMap((one) => one.x.flatMap((x, i) => (drawable(one, i) ? [{ one, i, cx: px(x), cy: py(one.y[i]) }] : [])));
    const taken = shown
      .filter(({ one }) => one.kind === "dots")
      .map(({ cx, cy }) => [cx - ROUND, cy - ROUND, cx + ROUND, cy + ROUND]);
    const free = ({ box: [a, b, c, d] }) =>
      a > left &&
      c < right + BEHIND &&
      b > 0 &&
      d < floor &&
      !taken.some(([e, f, g, h]) => a < g && c > e && b < h && d > f);

    function named(name, cx, cy) {
      const wide = lab.wide(name, 7.3) + 4,
        box = (from, foot) => [from, foot - 12, from + wide, foot + 3],
        inside = (from) => Math.max(left + 1, Math.min(from, right + BEHIND - 1 - wide));
      const near = NEAR.map(([dx, dy, share]) => ({ box: box(cx + dx - share * wide, cy + dy) }));
      const far = FAR.flatMap((away) =>
        [-away, away + 8].flatMap((dy) =>
          ASIDE.map((share) => ({ box: box(inside(cx - share * wide), cy + dy), far: true })),
        ),
      );
      const place = [...near, ...far].find(free);
      if (!place) return [];
      const [from, top, , bottom] = place.box,
        end = bottom < cy ? bottom + 1 : top - 1;
      taken.push(place.box);
      const text = lab.svg("text", { class: "dot-name", x: from, y: bottom - 3 }, name);
      if (!place.far) return [text];
      return [lab.svg("path", { class: "leader", d: `M${cx} ${cy}L${from + wide / 2} ${end}` }), text];
    }
    return shown.flatMap(({ one, i, cx, cy }) => {
      const name = lab.say(one.names?.[i] ?? ""),
        dot = lab.svg("circle", { class: "measured", cx, cy, r: 4.6, fill: `var(--lab-${one.colour})` });
      return [...(name ? named(name, cx, cy) : []), dot];
    });
  };
})();
