// The input as a sum, in two dimensions: the arrows of one token add up to the point where its sum lies; the sums of
// the others are dots. Pointing at a token here or elsewhere shows its arrows.
window.lab.component("input_sum", (element, tools) => {
  const lab = window.lab;
  const MOST = 760, // pixels: the width of the picture
    EDGE = 34,
    TIP = 7,
    LINE = 15,
    ROUND = 6; // a dot that no name may cover
  const body = tools.card();
  const legend = lab.el("ul", { class: "legend" });
  const svg = lab.svg("svg", { role: "img", tabindex: 0 });
  const box = lab.el("div", { class: "box" }, svg);
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const none = lab.el("div", { class: "empty" });
  const whole = lab.el("div", {}, legend, box, say);
  body.append(whole, none);
  let value = null,
    sums = [], // where each token's sum lies
    dots = [],
    at = 0,
    frame = null,
    linked = null,
    group = null;

  const colour = (part) => `var(--lab-head-${part + 1})`;
  const name = (token) => `“${lab.visible(token)}”`;
  const place = ([x, y]) => [
    frame.width / 2 + (x - frame.x) * frame.times,
    frame.height / 2 - (y - frame.y) * frame.times,
  ];
  // From the origin on, each part begins where the one before it ends.
  function corners(token) {
    const found = [[0, 0]];
    for (const part of value.parts) {
      const [x, y] = found.at(-1);
      found.push([x + part.points[token][0], y + part.points[token][1]]);
    }
    return found;
  }
  function measure() {
    const all = value.tokens.flatMap((_, token) => corners(token));
    const ends = [0, 1].map((axis) => [
      Math.min(...all.map((point) => point[axis])),
      Math.max(...all.map((point) => point[axis])),
    ]);
    const [wide, high] = ends.map(([low, top]) => top - low || 1e-9);
    const width = Math.min(MOST, box.clientWidth),
      height = Math.round(Math.max(260, width * 0.56));
    frame = {
      width,
      height,
      x: (ends[0][0] + ends[0][1]) / 2,
      y: (ends[1][0] + ends[1][1]) / 2,
      times: Math.min((width - 2 * EDGE) / wide, (height - 2 * EDGE) / high),
    };
    for (const [key, number] of Object.entries({ width, height })) svg.setAttribute(key, number);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }
  function arrow(from, to, part) {
    const [x, y] = place(from),
      [u, v] = place(to);
    const angle = Math.atan2(v - y, u - x),
      size = Math.min(TIP, Math.hypot(u - x, v - y));
    const side = (turn) => `${u - size * Math.cos(angle + turn)},${v - size * Math.sin(angle + turn)}`;
    return lab.svg(
      "g",
      { class: "arrow" },
      lab.svg("line", { x1: x, y1: y, x2: u, y2: v, stroke: colour(part) }),
      lab.svg("polygon", { points: `${u},${v} ${side(0.4)} ${side(-0.4)}`, fill: colour(part) }),
    );
  }
  // Where names begin, by token: right or left of a dot where no dot and no other name is in the way. That of the token
  // that is meant always stands.
  function labelled() {
    const centres = sums.map(place),
      taken = [],
      from = new Map();
    for (const token of new Set([at, ...sums.keys()])) {
      const [x, y] = centres[token],
        wide = (lab.wide(lab.visible(value.tokens[token]), 7.3) + 4) * (token === at ? 1.2 : 1);
      const free = (left) =>
        left > 0 &&
        left + wide < frame.width &&
        taken.every((one) => left > one.left + one.wide || left + wide < one.left || Math.abs(y - one.y) > LINE) &&
        centres.every(
          ([u, v], other) =>
            other === token || u + ROUND < left || u - ROUND > left + wide || v > y + ROUND || v < y - LINE - ROUND,
        );
      const sides = [x + 6, x - 6 - wide],
        held = sides[0] + wide < frame.width ? sides[0] : Math.max(1, sides[1]),
        left = sides.find(free) ?? (token === at ? held : null);
      if (left === null) continue;
      taken.push({ left, wide, y });
      from.set(token, left);
    }
    return from;
  }
  function draw() {
    if (!value || !box.clientWidth) return;
    measure();
    const steps = corners(at),
      named = labelled(),
      [ox, oy] = place([0, 0]);
    dots = sums.map((point, token) => {
      const [x, y] = place(point),
        text = lab.visible(value.tokens[token]);
      return lab.svg(
        "g",
        { class: token === at ? "sum on" : "sum", "data-token": token },
        lab.svg("title", {}, text),
        lab.svg("circle", { cx: x, cy: y, r: token === at ? 5 : 4 }),
        named.has(token) ? lab.svg("text", { x: named.get(token), y: y - 5 }, text) : null,
      );
    });
    dots.push(dots.splice(at, 1)[0]); // above the others
    svg.replaceChildren(
      lab.svg("path", { class: "origin", d: `M${ox - 6},${oy}h12M${ox},${oy - 6}v12` }),
      ...dots.slice(0, -1),
      ...value.parts.map((_, part) => arrow(steps[part], steps[part + 1], part)),
      dots.at(-1),
    );
    legend.replaceChildren(
      ...value.parts.map((part, i) => {
        const mark = lab.el("i", {});
        mark.style.background = colour(i);
        const length = lab.word("components.sum.length", { n: lab.number(part.lengths[at]) });
        return lab.el("li", {}, mark, `${lab.say(part.name)} · ${length}`);
      }),
    );
    const names = value.parts.map((part) => lab.say(part.name)).join(" + ");
    say.textContent = lab.word("components.sum.reading", { token: name(value.tokens[at]), parts: names });
    svg.setAttribute("aria-label", say.textContent);
  }
  function choose(token) {
    if (token === at) return;
    at = token;
    draw();
  }
  const tokenOf = (node) => node?.closest?.("[data-token]")?.dataset.token;
  svg.addEventListener("mouseover", (event) => {
    const token = tokenOf(event.target);
    if (token !== undefined && Number(token) !== at) linked.point({ at: value.places[token] });
  });
  svg.addEventListener("click", (event) => {
    const token = tokenOf(event.target);
    if (token !== undefined) linked.lock({ at: value.places[token] });
  });
  svg.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    if (linked.locked) linked.lock(null);
    linked.point({ at: value.places[(at + way + sums.length) % sums.length] });
  });
  svg.addEventListener("blur", () => linked?.point(null));
  lab.sized(box, draw, tools);

  return (given) => {
    value = given?.parts?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    sums = value.tokens.map((_, token) => corners(token).at(-1));
    at = value.meant;
    draw();
    if (group !== value.group) {
      group = value.group;
      linked = lab.linked(
        group,
        (now) => {
          const token = value?.places.indexOf(now?.at ?? now?.row) ?? -1;
          if (token >= 0) choose(token);
        },
        tools,
      );
    }
  };
});
