// Mirostat over a text: how surprising each token was, and the bound that follows.
window.lab.component("feedback", (element, tools) => {
  const lab = window.lab;
  const body = tools.card(),
    HIGH = 110,
    WIDE = 640,
    TOP = 8;
  const kinds = ["surprise", "mu", "tau"];
  const legend = lab.el(
    "ul",
    { class: "legend" },
    kinds.map((kind) => lab.el("li", { class: kind }, lab.el("i"), lab.word("generate.feedback." + kind))),
  );
  const picture = lab.el("div", { class: "picture" }),
    note = lab.el("p", { class: "note" });
  body.append(legend, picture, note);

  return (value) => {
    element.classList.toggle("without", !value?.mu?.length);
    if (!value?.mu?.length) return;
    const { mu, surprise, tau } = value;
    const mean = surprise.length ? surprise.reduce((sum, bits) => sum + bits, 0) / surprise.length : null;
    note.textContent = lab.word("generate.feedback.note", {
      name: lab.say(value.title),
      tau: lab.number(tau),
      mean: mean === null ? "–" : mean.toFixed(2),
    });
    const most = Math.max(1, ...surprise, ...mu, tau),
      least = Math.min(0, ...mu);
    const x = (at) => ((at + 0.5) * WIDE) / mu.length,
      y = (bits) => TOP + ((most - bits) * (HIGH - 2 * TOP)) / (most - least);
    const svg = lab.svg("svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": lab.word("generate.feedback"),
    });
    const line = (kind, points) =>
      lab.svg("polyline", { class: kind, points: points.map((point) => point.join()).join(" ") });
    const band = (at) => {
      const node = lab.svg("rect", {
        class: "at",
        x: (at * WIDE) / mu.length,
        y: 0,
        width: WIDE / mu.length,
        height: HIGH,
      });
      node.addEventListener("mousemove", (event) =>
        lab.note(
          [lab.word("generate.feedback.at", { n: at + 1, surprise: surprise[at].toFixed(2), mu: mu[at].toFixed(2) })],
          event.clientX,
          event.clientY,
        ),
      );
      node.addEventListener("mouseleave", lab.unnote);
      return node;
    };
    const zero = y(0);
    const stems = surprise.map((bits, at) =>
      lab.svg("line", { class: "surprise", x1: x(at), x2: x(at), y1: zero, y2: y(bits) }),
    );
    const aim = [
      [0, y(tau)],
      [WIDE, y(tau)],
    ];
    svg.append(
      line("tau", aim),
      ...stems,
      line(
        "mu",
        mu.map((bits, at) => [x(at), y(bits)]),
      ),
      ...surprise.map((_, at) => band(at)),
    );
    const ends = lab.el("div", { class: "ends", "aria-hidden": "true" });
    ends.append(lab.el("span", {}, lab.number(most, 2)), lab.el("span", {}, lab.number(least, 2)));
    picture.replaceChildren(ends, svg);
  };
});
