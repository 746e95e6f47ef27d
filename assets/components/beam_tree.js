// Beam search as a tree, step by step: what was looked at, what was kept, and the texts it ended with.
window.lab.component("beam_tree", (element, tools) => {
  const lab = window.lab;
  const WIDE = 98,
    GAP = 26,
    HIGH = 46,
    BETWEEN = 8,
    SECONDS = 1.1;
  const body = tools.card();
  const scrub = lab.el("input", {
    type: "range",
    min: 1,
    step: 1,
    "aria-label": lab.word("generate.beam.jump"),
    oninput: () => player.jump(Number(scrub.value)),
  });
  const reading = lab.el("output", { class: "reading" });
  const player = lab.player(element, tools, {
    words: ["generate.beam.first", "generate.beam.back", "generate.beam.next", "generate.beam.last"],
    seconds: SECONDS,
    span: () => [1, steps.length],
    at: () => at,
    show,
  });
  const called = lab.word("generate.beam.tree");
  const tree = lab.el("div", { class: "tree", tabindex: 0, role: "group", "aria-label": called });
  const told = lab.el("p", { class: "told", "aria-live": "polite" });
  const texts = lab.word("generate.beam.ends");
  const ends = lab.el("div", { class: "ends", tabindex: 0, role: "group", "aria-label": texts });
  const note = lab.el("p", { class: "note" });
  const empty = lab.el("div", { class: "empty" });
  const stage = lab.el(
    "div",
    {},
    lab.el("div", { class: "controls player" }, player.buttons, scrub, reading),
    tree,
    told,
    note,
    ends,
  );
  body.append(stage, empty);
  let value = null,
    steps = [],
    nodes = [],
    links = [],
    at = 0,
    pointed = [0, 0];

  const y = (place) => place * (HIGH + BETWEEN);
  const x = (step) => step * (WIDE + GAP);
  const text = (candidate) => (typeof candidate.text === "string" ? candidate.text : lab.say(candidate.text));

  const fated = (candidate, step) => lab.word("generate.beam." + candidate.fate, { n: step + 1 });

  // The candidates from the prompt to the one at this place.
  function line(step, place) {
    const found = [];
    for (; step >= 0; step--) {
      found.unshift([step, place]);
      place = steps[step][place].parent;
    }
    return found;
  }
  function tell(step, place) {
    pointed = [step, place];
    const candidate = steps[step][place],
      on = new Set(line(step, place).map(String));
    nodes.forEach((column, s) => column.forEach((node, p) => node.classList.toggle("on", on.has(String([s, p])))));
    links.forEach((column, s) => column.forEach((link, p) => link.classList.toggle("on", on.has(String([s, p])))));
    told.textContent = lab.word(value.penalised ? "generate.beam.told.penalised" : "generate.beam.told", {
      text: line(step, place)
        .map(([s, p]) => text(steps[s][p]))
        .join(""),
      p: lab.percent(candidate.p),
      score: candidate.score.toFixed(2),
      fate: fated(candidate, step),
    });
  }
  function build() {
    const rows = Math.max(...steps.map((column) => column.length));
    const picture = lab.svg("svg", { width: x(steps.length) - GAP, height: y(rows) - BETWEEN, "aria-hidden": "true" });
    links = steps.map((column, s) =>
      column.map((candidate, p) => {
        const from = s ? y(candidate.parent) + HIGH / 2 : HIGH / 2,
          to = y(p) + HIGH / 2,
          [a, b] = [x(s) - GAP, x(s)];
        const link = lab.svg("path", {
          class: candidate.fate,
          d: s ? `M${a},${from}C${a + GAP / 2},${from} ${b - GAP / 2},${to} ${b},${to}` : "",
        });
        picture.append(link);
        return link;
      }),
    );
    nodes = steps.map((column, s) =>
      column.map((candidate, p) => {
        const score = candidate.score.toFixed(2),
          fate = fated(candidate, s);
        const node = lab.el(
          "button",
          {
            type: "button",
            class: ["node", candidate.fate, ...(candidate.greedy ? ["greedy"] : [])].join(" "),
            "aria-label": [
              `${lab.visible(text(candidate))} ${score}`,
              lab.percent(candidate.p),
              fate,
              ...(candidate.greedy ? [lab.word("generate.beam.way")] : []),
            ].join(", "),
            onclick: () => tell(s, p),
            onfocus: () => tell(s, p),
            onmouseenter: () => tell(s, p),
          },
          lab.el("span", {}, lab.spelt(text(candidate))),
          lab.el("small", {}, score),
        );
        node.style.left = `${x(s)}px`;
        node.style.top = `${y(p)}px`;
        return node;
      }),
    );
    const inner = lab.el("div", { class: "inner" }, picture, nodes.flat());
    inner.style.width = `${x(steps.length) - GAP}px`;
    inner.style.height = `${y(rows) - BETWEEN}px`;
    tree.replaceChildren(inner);
  }
  function list() {
    const row = (name, end, best) =>
      lab.el(
        "tr",
        { class: best ? "best" : "" },
        lab.el("th", { scope: "row" }, name),
        lab.el("td", { dir: "auto" }, end.text.trim() ? end.text : lab.word("generate.end")),
        lab.el("td", {}, end.logprob.toFixed(2)),
        lab.el("td", {}, String(end.length)),
        lab.el("td", {}, end.score.toFixed(3)),
      );
    const heads = ["ends", "text", value.penalised ? "penalised" : "logprob", "length", "score"];
    ends.replaceChildren(
      lab.el(
        "table",
        {},
        lab.el(
          "thead",
          {},
          lab.el(
            "tr",
            {},
            heads.map((name) => lab.el("th", { scope: "col" }, lab.word("generate.beam.head." + name))),
          ),
        ),
        lab.el(
          "tbody",
          {},
          value.ends.map((end, i) => row(String(i + 1), end, !i)),
          value.greedy ? row(lab.word("generate.beam.greedy"), value.greedy) : null,
        ),
      ),
    );
  }
  function show(n) {
    at = Math.max(1, Math.min(steps.length, n));
    scrub.value = at;
    reading.textContent = lab.word("generate.beam.at", { n: at, all: steps.length });
    [nodes, links].forEach((all) =>
      all.forEach((column, s) => column.forEach((each) => each.classList.toggle("later", s >= at))),
    );
    nodes.flat().forEach((node) => (node.tabIndex = node.classList.contains("later") ? -1 : 0));
    if (pointed[0] >= at) tell(...line(...pointed)[at - 1]);
    const edge = x(at) - GAP - tree.clientWidth;
    if (player.playing() || edge < tree.scrollLeft) tree.scrollLeft = Math.max(0, edge);
  }

  return (given) => {
    player.stop();
    value = given;
    steps = given?.steps || [];
    stage.hidden = !steps.length;
    empty.hidden = !!steps.length;
    empty.textContent = lab.say(given?.empty) || "";
    if (!steps.length) return;
    scrub.max = steps.length;
    build();
    list();
    note.textContent = lab.say(given.note);
    tell(...(given.ends[0]?.place || [steps.length - 1, 0]));
    show(steps.length);
  };
});
