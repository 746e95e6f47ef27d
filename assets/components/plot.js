// A chart of lines in a box: axes, series, dashed baselines, points of validation, and what is read off at the pointer.
(() => {
  const lab = window.lab;
  const STYLES = [
    { colour: "predicted", dash: "" },
    { colour: "replaced", dash: "7 3" },
    { colour: "kept", dash: "2 3" },
    { colour: "masked", dash: "9 3 2 3" },
    { colour: "original", dash: "12 4" },
    { colour: "wrong", dash: "4 2" },
  ];
  const TOP = 14,
    BOTTOM = 40,
    LEFT = 52;

  // Exponential smoothing that is fair to the first points (Kingma and Ba's correction).
  function smooth(ys, keep) {
    if (!keep) return ys;
    let mean = 0,
      weight = 0;
    return ys.map((y) => {
      if (!Number.isFinite(y)) return y;
      mean = keep * mean + (1 - keep) * y;
      weight = keep * weight + (1 - keep);
      return mean / weight;
    });
  }
  const compact = (v) =>
    Math.abs(v) >= 10000 ? v.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }) : lab.number(v, 3);

  // Draws into a box and returns how to draw again. spec: {series, baselines, x, y, height, logx, logy, keep, hidden,
  // until}.
  lab.plot = (box, tools) => {
    const svg = lab.svg("svg", { role: "img", tabindex: 0 });
    box.append(svg);
    let spec = null,
      scale = null,
      cursor = null;

    function draw() {
      const width = box.clientWidth;
      if (!spec || !width) return;
      const height = spec.height || Math.round(Math.min(380, Math.max(230, width * 0.36)));
      const series = spec.series
        .map((one, i) => ({ ...STYLES[i % STYLES.length], ...one, i }))
        .filter((one) => !spec.hidden?.has(one.i));
      const { x, y } = lab.plotDomain(spec, series),
        right = width - 16,
        floor = height - BOTTOM;
      const at = spec.logx ? Math.log10 : (v) => v;
      const px = (v) => LEFT + ((at(v) - at(x[0])) / (at(x[1]) - at(x[0]))) * (right - LEFT);
      const up = spec.logy ? Math.log10 : (v) => v;
      const py = (v) => floor - ((up(v) - up(y[0])) / (up(y[1]) - up(y[0]))) * (floor - TOP);
      scale = { px, py, series, right, floor, width, height };
      const parts = [];
      for (const v of spec.logy ? lab.logTicks(y[0], y[1]) : lab.ticks(y[0], y[1], Math.max(3, height / 62))) {
        if (py(v) < TOP - 4) continue;
        parts.push(
          lab.svg("line", { class: "grid", x1: LEFT, x2: right, y1: py(v), y2: py(v) }),
          lab.svg("text", { x: LEFT - 9, y: py(v) + 4.5, "text-anchor": "end" }, compact(v)),
        );
      }
      let free = -Infinity; // a number that has no room is left out
      const counted = series.every((one) => one.x.every(Number.isInteger)); // there is no half a layer
      for (const v of spec.logx ? lab.logTicks(x[0], x[1]) : lab.ticks(x[0], x[1], Math.max(3, width / 100)))
        if (!(counted && v % 1) && px(v) > free && (free = px(v) + 42))
          parts.push(lab.svg("text", { x: px(v), y: floor + 19, "text-anchor": "middle" }, compact(v)));
      const start = Math.max(0, Math.min(LEFT, width - long(lab.say(spec.y), 6.2))); // of the unit, all of it in sight
      parts.push(
        lab.svg("line", { class: "axis", x1: LEFT, x2: right, y1: floor, y2: floor }),
        lab.svg("text", { x: right, y: floor + 36, "text-anchor": "end" }, lab.say(spec.x)),
        lab.svg("text", { x: start, y: TOP - 2, class: "unit" }, lab.say(spec.y)),
      );
      parts.push(...baselines(series, px, py, right));
      for (const one of series) parts.push(...band(one, px, py));
      for (const one of series) parts.push(...(one.kind === "dots" ? [] : line(one, px, py)));
      parts.push(...lab.dots(series, { px, py, left: LEFT, right, floor, drawable }));
      if (Number.isFinite(spec.at)) parts.push(...marked(series, px, py, floor));
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.setAttribute("width", width);
      svg.setAttribute("height", height);
      svg.replaceChildren(...parts);
      fit(svg.querySelector(".unit"), width);
      svg.setAttribute(
        "aria-label",
        lab.word("components.chart", {
          names: lab.listed(spec.series.map((one) => `${lab.say(one.name)} ${lab.number(one.y[one.y.length - 1])}`)),
        }),
      );
      if (cursor !== null) hover(cursor);
    }

    // On a phone the unit may be longer than the chart is wide.
    function fit(unit, width) {
      if (unit.getComputedTextLength() <= width) return;
      unit.setAttribute("textLength", width);
      unit.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }

    // About how many pixels a text is long.
    const long = (text, letter = 7.5) => lab.wide(text, letter) + 8;

    // The name of a baseline stands above or below it, at the end, the start or the middle: where it covers least, and
    // rather many lines than another name.
    function baselines(series, px, py, right) {
      const labels = (spec.baselines || []).filter((b) => Number.isFinite(b.y)).sort((a, b) => b.y - a.y);
      const drawn = series
        .flatMap((one) =>
          one.x.map((x, i) => [px(one.x[Math.max(0, i - 1)]), py(one.y[Math.max(0, i - 1)]), px(x), py(one.y[i])]),
        )
        .filter((stroke) => stroke.every(Number.isFinite));
      drawn.push(...labels.map((b) => [LEFT, py(b.y), right, py(b.y)]));
      const named = [[LEFT, 0, LEFT + long(lab.say(spec.y), 6.2), TOP]]; // the unit stands on top
      const meets = (x1, y1, x2, y2) => (stroke) => {
        const [a, b, c, d] = stroke;
        return Math.max(a, c) > x1 && Math.min(a, c) < x2 && Math.max(b, d) > y1 && Math.min(b, d) < y2;
      };
      const covers = (box) => {
        const met = meets(...box);
        return named.filter(met).length * drawn.length + drawn.filter(met).length;
      };
      return labels.flatMap((b) => {
        const y = py(b.y),
          name = `${lab.say(b.name)} ${lab.number(b.y)}`;
        const wide = long(name);
        const places = [right, LEFT + wide, (LEFT + right + wide) / 2].flatMap((end) =>
          [y - 6, y + 15].map((foot) => ({ end, foot, box: [end - wide, foot - 12, end, foot + 4] })),
        );
        const best = places.reduce((one, other) => (covers(other.box) < covers(one.box) ? other : one));
        named.push(best.box);
        return [
          lab.svg("line", { class: "baseline", x1: LEFT, x2: right, y1: y, y2: y }),
          lab.svg("text", { class: "baseline-name", x: best.end, y: best.foot, "text-anchor": "end" }, name),
        ];
      });
    }

    const drawable = (one, i) =>
      Number.isFinite(one.y[i]) && (!spec.logx || one.x[i] > 0) && (!spec.logy || one.y[i] > 0);

    // From the least to the greatest of several: an area along a line, a whisker at a dot.
    function band(one, px, py) {
      const there = one.x.map((_, i) => i).filter((i) => drawable(one, i) && Number.isFinite(one.low?.[i]));
      const at = (ys, i) => `${px(one.x[i]).toFixed(1)} ${py(ys[i]).toFixed(1)}`;
      const stroke = `var(--lab-${one.colour})`;
      if (one.kind === "dots" || there.length === 1)
        return there.map((i) =>
          lab.svg("path", { class: "whisker", d: `M${at(one.low, i)}L${at(one.high, i)}`, stroke }),
        );
      if (!there.length) return [];
      const edge = [...there.map((i) => at(one.high, i)), ...there.toReversed().map((i) => at(one.low, i))];
      return [lab.svg("path", { class: "band", d: `M${edge.join("L")}Z`, fill: stroke })];
    }

    function line(one, px, py) {
      const colour = `var(--lab-${one.colour})`,
        good = [];
      const path = (ys) => {
        let d = "",
          pen = false;
        one.x.forEach((x, i) => {
          const fine = Number.isFinite(ys[i]) && (!spec.logx || x > 0) && (!spec.logy || ys[i] > 0);
          if (fine) d += `${pen ? "L" : "M"}${px(x).toFixed(1)} ${py(ys[i]).toFixed(1)}`;
          pen = fine;
        });
        return d;
      };
      if (one.ghost) return [lab.svg("path", { class: "line ghost", d: path(one.y), stroke: colour })];
      if (one.kind === "points") {
        good.push(lab.svg("path", { class: "line thin", d: path(one.y), stroke: colour, "stroke-dasharray": "3 3" }));
        one.x.forEach(
          (x, i) =>
            Number.isFinite(one.y[i]) &&
            (!spec.logx || x > 0) &&
            good.push(
              lab.svg("circle", {
                cx: px(x),
                cy: py(one.y[i]),
                r: 4.2,
                fill: "var(--lab-card)",
                stroke: colour,
                "stroke-width": 2.2,
              }),
            ),
        );
        return good;
      }
      if (spec.keep) good.push(lab.svg("path", { class: "line raw", d: path(one.y), stroke: colour }));
      good.push(
        lab.svg("path", {
          class: one.strong ? "line strong" : "line",
          d: path(smooth(one.y, spec.keep)),
          stroke: colour,
          "stroke-dasharray": one.dash || null,
        }),
      );
      const last = one.x.length - 1;
      if (last === 0 && Number.isFinite(one.y[0]))
        good.push(lab.svg("circle", { cx: px(one.x[0]), cy: py(one.y[0]), r: 4, fill: colour }));
      return good;
    }

    // The place that is read off: a line across, and on each curve the last point up to it.
    function marked(series, px, py, floor) {
      const found = [lab.svg("line", { class: "mark", x1: px(spec.at), x2: px(spec.at), y1: TOP, y2: floor })];
      for (const one of series) {
        const i = Math.max(
          0,
          one.x.findLastIndex((x) => x <= spec.at),
        );
        found.push(
          lab.svg("circle", {
            cx: px(one.x[i]),
            cy: py(one.y[i]),
            r: one.strong ? 6 : 3.6,
            fill: `var(--lab-${one.colour})`,
            stroke: "var(--lab-card)",
            "stroke-width": 2,
          }),
        );
      }
      return found;
    }

    // The step nearest to the pointer, and what every line says there.
    function nearest(place) {
      let best = null;
      for (const one of scale.series)
        for (const x of one.x) {
          const far = Math.abs(scale.px(x) - place);
          if (!best || far < best.far) best = { far, x };
        }
      return best?.x ?? null;
    }
    function hover(x, event) {
      svg.querySelectorAll(".cursor").forEach((node) => node.remove());
      cursor = x;
      if (x === null || !scale) return;
      const px = scale.px(x),
        lines = [`${lab.say(spec.x)} ${lab.number(x, 6)}`];
      svg.append(lab.svg("line", { class: "cursor", x1: px, x2: px, y1: TOP, y2: scale.floor }));
      for (const one of scale.series) {
        let near = -1,
          far = Infinity;
        one.x.forEach((v, i) => {
          const d = Math.abs(scale.px(v) - px);
          if (d < far) {
            far = d;
            near = i;
          }
        });
        if (near < 0 || far > 24 || one.ghost) continue;
        const y = (one.kind === "points" ? one.y : smooth(one.y, spec.keep))[near];
        if (!Number.isFinite(y)) continue;
        const [low, high] = [one.low?.[near], one.high?.[near]].map((v) => lab.number(v, 4));
        const spread = Number.isFinite(one.low?.[near]) ? ` (${low} – ${high})` : "";
        const name = one.names ? lab.say(one.names[near]) : lab.say(one.name);
        lines.push(`${name}  ${lab.number(y, 4)}${spread}`);
        svg.append(
          lab.svg("circle", {
            class: "cursor dot",
            cx: scale.px(one.x[near]),
            cy: scale.py(y),
            r: 5,
            fill: `var(--lab-${one.colour})`,
          }),
        );
      }
      const box = svg.getBoundingClientRect();
      if (event !== false) lab.note(lines, box.left + px, event?.clientY ?? box.top + 40);
    }
    svg.addEventListener(
      "mousemove",
      (event) => scale && hover(nearest(event.clientX - svg.getBoundingClientRect().left), event),
    );
    svg.addEventListener("mouseleave", () => {
      hover(null);
      lab.unnote();
    });
    svg.addEventListener("blur", () => {
      hover(null);
      lab.unnote();
    });
    svg.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way || !scale?.series.length) return;
      event.preventDefault();
      const xs = [...new Set(scale.series.flatMap((one) => one.x))].sort((a, b) => a - b);
      const now = cursor === null ? (way > 0 ? -1 : xs.length) : xs.indexOf(cursor);
      hover(xs[Math.min(xs.length - 1, Math.max(0, now + way))]);
    });
    lab.sized(box, draw, tools);
    return (given) => {
      spec = given;
      if (cursor !== null && !spec.series.some((one) => one.x.includes(cursor))) cursor = null;
      draw();
    };
  };
  lab.plot.styles = STYLES;
})();
