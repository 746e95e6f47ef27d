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
    live = lab.el("output", { class: "unseen", "aria-live": "polite" }),
    note = lab.el("p", { class: "note" });
  body.append(legend, picture, live, note);
  let last = -1, // the token that the keyboard stands at
    told = () => {};
  picture.addEventListener("keydown", (event) => {
    const to = { ArrowRight: last + 1, ArrowLeft: last - 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    told(to);
  });
  picture.addEventListener("focusout", () => {
    lab.unnote();
    picture.querySelector(".at.on")?.classList.remove("on");
  });

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
    const held = picture.contains(document.activeElement);
    const svg = lab.svg("svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      preserveAspectRatio: "none",
      role: "img",
      tabindex: 0,
      "aria-label": lab.word("generate.feedback.keys"),
    });
    const facts = (at) =>
      lab.word("generate.feedback.at", { n: at + 1, surprise: surprise[at].toFixed(2), mu: mu[at].toFixed(2) });
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
      node.addEventListener("mousemove", (event) => lab.note([facts(at)], event.clientX, event.clientY));
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
    const bands = [...svg.querySelectorAll(".at")];
    told = (to) => {
      if (!bands.length) return;
      last = Math.max(0, Math.min(bands.length - 1, to));
      bands.forEach((node, at) => node.classList.toggle("on", at === last));
      const box = bands[last].getBoundingClientRect();
      lab.note([facts(last)], box.left, box.bottom - 12);
      live.textContent = facts(last);
    };
    last = Math.min(last, bands.length - 1);
    picture.replaceChildren(ends, svg);
    if (held) svg.focus({ preventScroll: true });
  };
});
