// Curves along the layers of models of several depths; a slider chooses the depth, and asks nobody.
window.lab.component("by_depth", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const view = lab.view("depth"); // in the address
  const slider = lab.el("input", { type: "range", min: 0, step: 1, "aria-label": lab.word("components.depth") });
  const reading = lab.el("output", { class: "reading", "aria-live": "polite" });
  const legend = lab.el("div", { class: "legend", role: "group" });
  const charts = lab.el("div", { class: "charts" });
  const none = lab.el("div", { class: "empty" });
  const whole = lab.el(
    "div",
    {},
    lab.el("div", { class: "controls" }, slider, reading),
    lab.el("div", { class: "curve-head" }, legend),
    charts,
  );
  body.append(whole, none);
  const hidden = new Set();
  let value = null,
    at = 0,
    paints = [];

  function show() {
    const layers = value.depths[at];
    slider.value = at;
    reading.textContent = lab.word("components.depth.layers", { n: layers });
    slider.setAttribute("aria-valuetext", reading.textContent);
    value.measures.forEach((measure, m) => {
      const series = value.kinds.map((kind, k) => {
        const y = value.numbers[k][at][m];
        return { ...kind, x: y.map((_, layer) => layer + measure.first), y };
      });
      paints[m]({
        x: value.x,
        y: measure.y,
        logy: measure.logy,
        low: measure.low,
        high: measure.high,
        series,
        hidden,
        height: 260,
      });
    });
  }
  function names() {
    legend.replaceChildren(
      ...value.kinds.map((kind, k) => {
        const line = { x1: 1, x2: 25, y1: 6, y2: 6, stroke: `var(--lab-${kind.colour})`, "stroke-width": 2.6 };
        const sample = lab.svg(
          "svg",
          { width: 26, height: 12, "aria-hidden": "true" },
          lab.svg("line", { ...line, "stroke-dasharray": kind.dash || null }),
        );
        const toggle = () => {
          if (hidden.has(k)) hidden.delete(k);
          else hidden.add(k);
          names();
          show();
          legend.children[k].focus({ preventScroll: true });
        };
        return lab.el(
          "button",
          { type: "button", "aria-pressed": String(!hidden.has(k)), onclick: toggle },
          sample,
          lab.say(kind.name),
        );
      }),
    );
  }
  slider.addEventListener("input", () => {
    at = Number(slider.value);
    view.set(String(value.depths[at]));
    show();
  });

  return (given) => {
    value = given?.depths?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    slider.max = value.depths.length - 1;
    const asked = value.depths.indexOf(Number(view.value || value.at));
    if (asked < 0 && value.depths.length === value.all) view.refuse(); // else it may still come
    at = Math.max(0, asked < 0 ? value.depths.indexOf(value.at) : asked);
    if (paints.length !== value.measures.length) {
      charts.replaceChildren();
      paints = value.measures.map((measure) => {
        const box = lab.el("div", { class: "chart" });
        charts.append(lab.el("div", {}, lab.el("div", { class: "head-title" }, lab.say(measure.name)), box));
        return lab.plot(box, tools);
      });
    }
    names();
    show();
  };
});
