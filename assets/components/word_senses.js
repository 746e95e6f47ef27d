// A word's vectors in two dimensions, coloured by sense: one panel for each model, with a slider over its layers.
window.lab.component("word_senses", (element, tools) => {
  const lab = window.lab,
    body = tools.card();
  const COLOURS = ["predicted", "replaced", "kept", "masked", "original", "wrong"],
    SIDE = 300,
    EDGE = 20;
  const legend = lab.el("ul", { class: "senses" }),
    panels = lab.el("div", { class: "panels" }),
    list = lab.el("ol", { class: "sentences" }),
    none = lab.el("p", { class: "none" });
  const told = lab.el("details", {}, lab.el("summary", {}, lab.word("components.senses.sentences")), list);
  body.append(legend, panels, told, none);
  let value = null,
    drawn = [];

  // Each sense has a shape, too: colours alone are not for everybody. A text of the visitor's own is a star.
  function shape(sense, x, y) {
    const colour = sense === null ? "var(--lab-ink)" : `var(--lab-${COLOURS[sense % COLOURS.length]})`;
    const corners = sense === null ? 10 : [0, 4, 3, 4, 6, 3][sense % 6];
    if (!corners) return lab.svg("circle", { cx: x, cy: y, r: 6, fill: colour });
    const turn = sense === null ? -90 : [0, 45, -90, 0, 0, 90][sense % 6];
    const points = Array.from({ length: corners }, (_, i) => {
      const angle = ((turn + (360 / corners) * i) * Math.PI) / 180,
        far = sense === null ? (i % 2 ? 4 : 10) : 7.5;
      return `${(x + far * Math.cos(angle)).toFixed(1)},${(y + far * Math.sin(angle)).toFixed(1)}`;
    });
    return lab.svg("polygon", { points: points.join(" "), fill: colour });
  }
  const named = (sense) => (sense === null ? lab.word("components.senses.own") : lab.say(value.senses[sense]));
  function sentence(one) {
    return [one.text.slice(0, one.from), lab.el("b", {}, one.text.slice(one.from, one.to)), one.text.slice(one.to)];
  }

  // Points that lie on one another are one mark with their number beside it.
  function heaps(points) {
    const found = new Map();
    points.forEach(([x, y], i) => {
      const key = `${Math.round(x)} ${Math.round(y)}`;
      if (!found.has(key)) found.set(key, { x, y, all: [] });
      found.get(key).all.push(i);
    });
    return [...found.values()];
  }
  function placed(points) {
    const ends = [0, 1].map((axis) => points.map((point) => point[axis]));
    const spread = Math.max(...ends.map((all) => Math.max(...all) - Math.min(...all))) || 1;
    const middle = ends.map((all) => (Math.max(...all) + Math.min(...all)) / 2);
    const times = (SIDE - 2 * EDGE) / spread;
    return points.map(([x, y]) => [SIDE / 2 + (x - middle[0]) * times, SIDE / 2 - (y - middle[1]) * times]);
  }

  function panel(given) {
    const svg = lab.svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img", tabindex: 0 });
    const title = lab.say(given.title);
    const slider = lab.el("input", { type: "range", min: 0, max: given.layers.length - 1, step: 1, value: given.at });
    slider.setAttribute("aria-label", `${title}: ${lab.word("components.senses.layer")}`);
    const reading = lab.el("output"),
      probe = lab.el("p", { class: "probe" }),
      said = lab.el("ul", { class: "said" });
    let marks = [],
      at = -1;
    slider.addEventListener("input", () => draw());
    const steps = lab.el("label", { class: "layer" }, slider, reading);
    slider.hidden = given.layers.length < 2;

    function draw() {
      const layer = given.layers[Number(slider.value)];
      reading.textContent = lab.say(layer.name);
      slider.setAttribute("aria-valuetext", reading.textContent);
      const found = heaps(placed(layer.points));
      marks = found.map((heap) => {
        const mark = lab.svg("g", { class: "mark" });
        const senses = [...new Set(heap.all.map((i) => value.texts[i].sense))];
        senses.forEach((sense, n) => mark.append(shape(sense, heap.x + 15 * (n - (senses.length - 1) / 2), heap.y)));
        if (heap.all.length > 1)
          mark.append(lab.svg("text", { x: heap.x, y: heap.y + 24, "text-anchor": "middle" }, `× ${heap.all.length}`));
        mark.addEventListener("mouseenter", (event) => point(heap.all, event.clientX, event.clientY));
        mark.addEventListener("mouseleave", () => point(null));
        return { heap, mark };
      });
      svg.replaceChildren(...marks.map(({ mark }) => mark));
      const reached = layer.probe === null ? "–" : lab.percent(layer.probe);
      const facts = {
        probe: reached,
        common: lab.percent(value.common),
        shares: lab.percent(layer.shares[0] + layer.shares[1]),
      };
      const spread = layer.shares[0] + layer.shares[1];
      const many = spread ? "components.senses.probe" : "components.senses.probe.same",
        few = spread ? "components.senses.few" : "components.senses.few.same";
      probe.textContent = lab.word(layer.probe === null ? few : many, facts);
      svg.setAttribute("aria-label", `${title}, ${reading.textContent}. ${probe.textContent}`);
      said.replaceChildren(
        ...Object.entries(layer.said).map(([i, sense]) =>
          lab.el("li", {}, `“${value.texts[i].text.slice(0, 60)}”`, " → ", lab.el("b", {}, named(sense))),
        ),
      );
      at = -1;
      light(null);
    }
    function light(all) {
      svg.classList.toggle("pointing", !!all);
      for (const { heap, mark } of marks) mark.classList.toggle("lit", !!all && heap.all.some((i) => all.includes(i)));
    }
    svg.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!way || !marks.length) return;
      event.preventDefault();
      at = (at + way + marks.length) % marks.length;
      const box = marks[at].mark.getBoundingClientRect();
      point(marks[at].heap.all, box.right, box.bottom);
    });
    svg.addEventListener("blur", () => point(null));
    const node = lab.el("figure", {}, lab.el("figcaption", {}, title), svg, steps, probe, said);
    return { node, draw, light };
  }

  function point(all, x, y) {
    drawn.forEach((each) => each.light(all));
    list.querySelectorAll("li").forEach((item, i) => item.classList.toggle("lit", !!all && all.includes(i)));
    if (!all) return lab.unnote();
    const shown = all.slice(0, 3).map((i) => `${named(value.texts[i].sense)}: ${value.texts[i].text}`);
    const rest = all.length > 3 ? lab.word("components.senses.more", { n: all.length - 3 }) : "";
    lab.note([...shown, rest], x, y);
  }

  return (given) => {
    value = given;
    const there = !!value?.panels?.length;
    for (const node of [legend, panels, told]) node.hidden = !there;
    none.hidden = there;
    none.textContent = lab.say(value?.empty);
    if (!there) return;
    const own = value.texts.some((one) => one.sense === null);
    legend.replaceChildren(
      ...[...value.senses.keys(), ...(own ? [null] : [])].map((sense) =>
        lab.el(
          "li",
          {},
          lab.svg("svg", { width: 22, height: 22, "aria-hidden": "true" }, shape(sense, 11, 11)),
          named(sense),
        ),
      ),
    );
    list.replaceChildren(
      ...value.texts.map((one) => lab.el("li", {}, lab.el("i", {}, `${named(one.sense)} `), sentence(one))),
    );
    drawn = value.panels.map(panel);
    panels.replaceChildren(...drawn.map((each) => each.node));
    drawn.forEach((each) => each.draw());
  };
});
