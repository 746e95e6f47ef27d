// A context window that moves over a text: the training pairs of the token in its middle, with their negative samples.
window.lab.component("windows", (element, tools) => {
  const lab = window.lab;
  const METHODS = ["skip-gram", "cbow"];
  // As the address has them: the place of the centre, from 1, and the method.
  const view = lab.view("window");
  let value = null,
    parts = null,
    centre = 0,
    method = METHODS[0],
    drawn = "";
  const shown = (text) => lab.visible(text).replace(/^·(?=.)/, "");
  const name = (place) => shown(value.tokens[place]);
  const quoted = (place) => `“${name(place)}”`;

  // ---- what it is made of

  function make() {
    const body = tools.card();
    const strip = lab.el("div", { class: "strip", role: "group", "aria-label": lab.word("desks.windows.tokens") });
    strip.addEventListener("keydown", walked);
    const ways = lab.radios(lab.word("desks.windows.method"), (at) => {
      method = METHODS[at];
      show();
      keep();
    });
    const said = lab.el("p", { class: "said", "aria-live": "polite" }),
      pairs = lab.el("ul", { class: "pairs" }),
      legend = lab.el(
        "div",
        { class: "legend" },
        [
          ["true", "✓"],
          ["false", "✗"],
          ["hit", "abc"],
        ].map(([kind, mark]) =>
          lab.el("span", {}, lab.el("i", { class: "chip " + kind }, mark), lab.word("desks.windows." + kind)),
        ),
      ),
      distances = table("distances", "distance", "chance", "expected", "pairs"),
      noise = table("noise", "token", "count", "share", "drawn"),
      note = lab.el("p", { class: "desk-note" }),
      empty = lab.el("div", { class: "empty" });
    const full = lab.el(
      "div",
      {},
      lab.el("h3", {}, lab.word("desks.windows.tokens")),
      strip,
      lab.el("div", { class: "controls" }, ways.node),
      said,
      pairs,
      legend,
      lab.el("div", { class: "beside" }, distances.node, noise.node),
      note,
    );
    body.append(lab.el("p", { class: "desk-lead" }, lab.word("desks.windows.lead")), full, empty);
    return { strip, ways, said, pairs, distances, noise, note, full, empty };
  }
  function table(title, ...columns) {
    const body = lab.el("tbody");
    const head = columns.map((column) => lab.el("th", { scope: "col" }, lab.word("desks.windows." + column)));
    const node = lab.el(
      "section",
      {},
      lab.el("h3", {}, lab.word("desks.windows." + title)),
      lab.el("table", {}, lab.el("thead", {}, lab.el("tr", {}, head)), body),
    );
    const fill = (rows) =>
      body.replaceChildren(
        ...rows.map((row) =>
          lab.el(
            "tr",
            {},
            row.map((cell) => lab.el("td", {}, cell)),
          ),
        ),
      );
    return { node, fill };
  }

  const middle = () => Math.floor(value.tokens.length / 2);
  function keep() {
    view.set(centre !== middle() || method !== METHODS[0] ? `${centre + 1}.${method}` : "");
  }
  function begin() {
    const asked = view.value.match(/^(\d{1,2})\.(skip-gram|cbow)$/);
    if (asked && asked[1] >= 1 && asked[1] <= value.tokens.length) [centre, method] = [asked[1] - 1, asked[2]];
    else if (view.value) view.refuse();
  }

  // ---- drawing

  function show() {
    const around = value.around[centre];
    parts.ways.draw(
      METHODS.map((each) => lab.word("desks.windows." + each)),
      METHODS.indexOf(method),
    );
    strip(around);
    parts.said.textContent = lab.word(around.length ? "desks.windows.said." + method : "desks.windows.alone", {
      n: around.length,
      token: quoted(centre),
    });
    const samples = value.negatives[method][centre];
    parts.pairs.replaceChildren(
      ...(!around.length
        ? []
        : method === "cbow"
          ? [pair(around, samples)]
          : around.map((place, at) => pair([place], samples[at]))),
    );
  }
  function strip(around) {
    const held = parts.strip.contains(document.activeElement);
    parts.strip.replaceChildren(
      ...value.tokens.map((_, place) => {
        const near = around.includes(place),
          kind = place === centre ? "centre" : near ? "near" : "far";
        return lab.el(
          "button",
          {
            type: "button",
            class: "token " + kind,
            "aria-pressed": String(place === centre),
            "aria-label": lab.word("desks.windows.chip", {
              token: name(place),
              at: place + 1,
              n: value.tokens.length,
            }),
            tabindex: place === centre ? 0 : -1,
            onclick: () => go(place),
          },
          lab.el("span", {}, name(place)),
          lab.el("span", { class: "distance", "aria-hidden": "true" }, near ? Math.abs(place - centre) : "\u00a0"),
        );
      }),
    );
    if (held) parts.strip.children[centre].focus({ preventScroll: true });
  }
  function pair(places, samples) {
    const chip = (kind, text) => lab.el("span", { class: "chip " + kind }, text);
    return lab.el(
      "li",
      {},
      lab.el(
        "span",
        { class: "from" },
        method === "cbow" ? lab.el("span", { class: "mean" }, lab.word("desks.windows.mean")) : null,
        places.map((place) => chip("near", name(place))),
        lab.el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      ),
      lab.el(
        "span",
        { class: "asked" },
        chip("true", "✓ " + name(centre)),
        samples.map((text) => (text === null ? chip("hit", name(centre)) : chip("false", "✗ " + shown(text)))),
      ),
    );
  }
  function tables() {
    parts.distances.fill(
      value.distances.map(([distance, chance, expected, pairs]) => [
        distance,
        lab.percent(chance),
        lab.number(expected),
        pairs,
      ]),
    );
    const more = value.noise.more ? [[lab.word("desks.windows.more", { n: value.noise.more }), "", "", ""]] : [];
    parts.noise.fill([
      ...value.noise.rows.map(([text, count, share, noise]) => [
        lab.visible(text),
        count,
        lab.percent(share),
        lab.percent(noise),
      ]),
      ...more,
    ]);
  }

  // ---- moving

  function go(place) {
    centre = place;
    show();
    keep();
  }
  function walked(event) {
    const end = value.tokens.length - 1;
    const to = { ArrowLeft: centre - 1, ArrowUp: centre - 1, ArrowRight: centre + 1, ArrowDown: centre + 1 }[event.key];
    const place = { Home: 0, End: end }[event.key] ?? to;
    if (place === undefined) return;
    event.preventDefault();
    go(Math.max(0, Math.min(end, place)));
  }

  const forget = () => {
    value = parts = null;
    drawn = "";
  };
  return lab.desk(element, {
    make,
    forget,
    draw(given, made, first) {
      [value, parts] = [given, made];
      const now = given.tokens.join("\u0000");
      if (now !== drawn) {
        drawn = now;
        centre = middle();
        if (first) begin();
        else keep();
      }
      tables();
      show();
    },
  });
});
