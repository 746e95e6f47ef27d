// The logit lens: a row for each layer, in each cell the likeliest answer there. A cell's shade says how likely that
// is, how near the final answer or how unsure the layer. Another shade asks nobody.
window.lab.component("lens_table", (element, tools) => {
  const lab = window.lab;
  const SHADES = ["probability", "rank", "entropy"];
  const body = tools.card();
  const view = lab.view("lens"); // what the shades say, in the address
  const ways = lab.radios(lab.word("components.lens.colour"), (i) => {
    view.set(i ? SHADES[i] : "");
    window.dispatchEvent(new CustomEvent("lab:shaded"));
  });
  const shaded = () => value && paint(); // every lens of the page: the address names one shade
  window.addEventListener("lab:shaded", shaded);
  tools.onLeave(() => window.removeEventListener("lab:shaded", shaded));
  const legend = lab.el("div", { class: "legend" });
  const table = lab.el("table", { role: "grid", "aria-label": lab.word("components.lens.table") });
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const none = lab.el("div", { class: "empty" });
  const whole = lab.el(
    "div",
    {},
    lab.el("div", { class: "above" }, ways.node, legend),
    lab.el("div", { class: "scroll" }, table),
    lab.el("div", { class: "foot" }, say),
  );
  body.append(whole, none);
  if (view.value && !SHADES.includes(view.value)) view.refuse();
  let value = null,
    cells = [], // row by row
    heads = [],
    at = null, // the cell that is read
    linked = null,
    group = null;

  const shade = () => (SHADES.includes(view.value) ? view.value : SHADES[0]);
  const columns = () => value.columns.length;
  const answer = (number) => lab.say(value.answers[number]);
  const spelt = (text) => (typeof text === "string" ? lab.visible(text) || "∅" : lab.say(text));
  const top = (cell) => value.likeliest[cell * value.several];
  const own = (cell) => value.own[cell % columns()];

  // 0 is pale and 1 is dark.
  function dark(cell) {
    if (shade() === "entropy") return 1 - value.entropy[cell] / value.most;
    if (shade() === "rank") return 1 - Math.log(value.rank[cell]) / value.most; // `most` is the logarithm of how many
    return value.probability[cell * value.several];
  }
  function ends() {
    if (shade() === "probability") return [lab.percent(0), lab.percent(1)];
    if (shade() === "entropy")
      return [value.most, 0].map((n) => lab.word("components.lens.nats", { n: lab.number(n) }));
    return [Math.round(Math.exp(value.most)), 1].map((n) =>
      lab.word("components.lens.place", { n: n.toLocaleString(lab.locale) }),
    );
  }
  function paint() {
    cells.forEach((node, cell) => node.style.setProperty("--dark", Math.min(1, Math.max(0, dark(cell))).toFixed(3)));
    const [pale, strong] = ends();
    legend.replaceChildren(
      lab.el("span", {}, pale),
      lab.el("i", {}),
      lab.el("span", {}, strong),
      lab.el("b", {}, lab.word("components.lens.bold")),
    );
    ways.draw(
      SHADES.map((name) => lab.word("components.lens.by." + name)),
      SHADES.indexOf(shade()),
    );
  }

  function lines(cell) {
    const from = cell * value.several;
    return [
      `${lab.say(value.rows[Math.floor(cell / columns())])} · ${spelt(value.columns[cell % columns()])}`,
      ...Array.from(
        { length: value.several },
        (_, i) => `${lab.percent(value.probability[from + i])}  ${spelt(answer(value.likeliest[from + i]))}`,
      ),
      lab.word("components.lens.final", {
        token: `“${spelt(answer(own(cell)))}”`,
        rank: value.rank[cell].toLocaleString(lab.locale),
        share: lab.percent(value.final[cell]),
      }),
      lab.word("components.lens.entropy", {
        n: lab.number(value.entropy[cell]),
        most: lab.number(value.most),
      }),
    ];
  }
  function read(cell) {
    at = cell;
    say.textContent = cell === null ? lab.word("components.lens.table") : lines(cell).join(" · ");
  }
  function point(cell) {
    read(cell);
    const place = cell === null ? null : value.places?.[cell % columns()];
    linked?.point(place === null || place === undefined ? null : { at: place });
  }
  function light(now) {
    const place = now?.at ?? now?.row;
    heads.forEach((node, column) => node.classList.toggle("lit", value.places?.[column] === place && place >= 0));
  }
  const cellOf = (node) => {
    const found = cells.indexOf(node?.closest?.("td"));
    return found < 0 ? null : found;
  };
  table.addEventListener("mousemove", (event) => {
    const cell = cellOf(event.target);
    if (cell === null) return lab.unnote();
    if (cell !== at) point(cell);
    return lab.note(lines(cell), event.clientX, event.clientY);
  });
  table.addEventListener("mouseleave", () => {
    lab.unnote();
    point(null);
  });
  table.addEventListener("click", (event) => {
    const cell = cellOf(event.target);
    if (cell === null) return;
    focus(cell);
    if (value.places) linked?.lock({ at: value.places[cell % columns()] });
  });
  table.addEventListener("focusin", (event) => point(cellOf(event.target)));
  table.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -columns(), ArrowDown: columns(), ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const cell = cellOf(event.target);
    if (!step || cell === null) return;
    event.preventDefault();
    const aside = Math.abs(step) === 1 && Math.floor((cell + step) / columns()) !== Math.floor(cell / columns());
    if (cells[cell + step] && !aside) focus(cell + step);
  });
  function focus(cell) {
    cells.forEach((node, i) => (node.tabIndex = i === cell ? 0 : -1));
    cells[cell].focus();
  }

  function draw() {
    cells = [];
    heads = value.columns.map((text) =>
      lab.el("th", { scope: "col", class: value.tokens ? "token" : null, title: spelt(text) }, spelt(text)),
    );
    const last = value.rows.length - 1;
    const rows = value.rows.map((name, row) =>
      lab.el(
        "tr",
        { class: row === last ? "last" : null },
        lab.el("th", { scope: "row" }, lab.say(name)),
        value.columns.map((_, column) => {
          const cell = row * columns() + column,
            same = top(cell) === own(cell);
          const node = lab.el(
            "td",
            { role: "gridcell", tabindex: cells.length ? -1 : 0, class: same ? "same" : null },
            spelt(answer(top(cell))),
          );
          cells.push(node);
          return node;
        }),
      ),
    );
    table.replaceChildren(
      lab.el("thead", {}, lab.el("tr", {}, lab.el("td", {}, lab.say(value.corner)), heads)),
      lab.el("tbody", {}, ...rows),
    );
  }

  return (given) => {
    value = given?.rows?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    element.hidden = given?.empty === "";
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    if (value.group && group !== value.group) {
      group = value.group;
      linked = lab.linked(group, (now) => value && light(now), tools);
    }
    draw();
    paint();
    read(null);
    light(linked?.at);
  };
});
