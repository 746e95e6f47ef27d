// The co-occurrence matrix of a text; the cell that is pointed at tells what it is made of and what it weighs.
window.lab.component("cooccurrences", (element, tools) => {
  const lab = window.lab;
  // The cell that is read, as the address has it: its row and column, from 1.
  const view = lab.view("cell");
  let value = null,
    parts = null,
    at = null,
    drawn = "";
  const name = (i) => lab.visible(value.tokens[i]); // "a" and "·a" are two tokens

  function make() {
    const body = tools.card();
    const grid = lab.el("table", { role: "grid" }),
      say = lab.el("div", { class: "said", "aria-live": "polite" }),
      note = lab.el("p", { class: "desk-note" }),
      empty = lab.el("div", { class: "empty" });
    grid.addEventListener("keydown", walked);
    grid.addEventListener("mouseover", ({ target }) => target.dataset?.cell && point(place(target)));
    grid.addEventListener("click", ({ target }) => target.dataset?.cell && settle(place(target)));
    grid.addEventListener("mouseleave", () => point(kept()));
    const full = lab.el("div", {}, lab.el("div", { class: "box" }, grid), say, note);
    body.append(lab.el("p", { class: "desk-lead" }, lab.word("desks.cooccurrences.lead")), full, empty);
    return { grid, say, note, full, empty };
  }
  const place = (cell) => cell.dataset.cell.split(",").map(Number);
  const cell = ([i, j]) => parts.grid.querySelector(`[data-cell="${i},${j}"]`);

  // ---- the cell that is read

  function kept() {
    const asked = view.value
      .match(/^(\d{1,2})\.(\d{1,2})$/)
      ?.slice(1)
      .map((n) => n - 1);
    if (asked?.every((n) => n >= 0 && n < value.tokens.length)) return asked;
    if (view.value) view.refuse();
    return most();
  }
  // The pair that meets most often.
  function most() {
    let best = [0, 0];
    value.times.forEach((row, i) =>
      row.forEach((x, j) => {
        if (x > value.times[best[0]][best[1]]) best = [i, j];
      }),
    );
    return best;
  }
  function settle(to) {
    view.set(to.map((n) => n + 1).join("."));
    point(to);
  }
  function point(to) {
    for (const other of parts.grid.querySelectorAll(".at, .of")) other.classList.remove("at", "of");
    if (at) cell(at)?.setAttribute("tabindex", -1);
    at = to;
    cell(at).classList.add("at");
    cell(at).setAttribute("tabindex", 0);
    parts.grid.querySelector(`[data-row="${at[0]}"]`).classList.add("of");
    parts.grid.querySelector(`[data-column="${at[1]}"]`).classList.add("of");
    parts.say.replaceChildren(...read(...at));
  }
  function read(i, j) {
    const x = value.times[i][j],
      [one, two] = [i, j].map((n) => `“${name(n)}”`);
    const head = lab.el("strong", {}, lab.word("desks.cooccurrences.pair", { one, two }));
    const line = (key, data) => lab.el("div", {}, lab.word("desks.cooccurrences." + key, data));
    if (!x) return [head, line("never", {})];
    const sum = value.met[`${Math.min(i, j)},${Math.max(i, j)}`]
      .map((times, d) => (times ? `${times} · ${d ? `1/${d + 1}` : "1"}` : ""))
      .filter(Boolean)
      .join(" + ");
    const weight = Math.min(1, x / value.most) ** value.power;
    return [
      head,
      line("made", { sum, x: lab.number(x, 4) }),
      line("target", { log: lab.number(Math.log(x), 3).replace("-", "−") }),
      line("weight", { most: value.most, power: value.power, f: lab.number(weight, 3) }),
      line("share", { one, two, share: lab.percent(x / value.sums[i]), sum: lab.number(value.sums[i], 4) }),
    ];
  }
  function walked(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const clamp = (n) => Math.max(0, Math.min(value.tokens.length - 1, n));
    settle(at.map((n, side) => clamp(n + step[side])));
    cell(at).focus();
  }

  // ---- drawing

  function draw() {
    const n = value.tokens.length,
      top = Math.max(...value.times.flat(), Number.MIN_VALUE);
    const head = value.tokens.map((_, j) =>
      lab.el("th", { scope: "col", "data-column": j }, lab.el("span", {}, name(j))),
    );
    const number = (x, i, j) => {
      const node = lab.el(
        "td",
        { role: "gridcell", "data-cell": `${i},${j}`, tabindex: -1 },
        x ? (x < 10 ? x.toFixed(2) : x.toFixed(1)) : "·",
      );
      node.style.setProperty("--share", `${(100 * x) / top}%`);
      return node;
    };
    parts.grid.setAttribute("aria-label", lab.word("desks.cooccurrences.grid", { n }));
    parts.grid.replaceChildren(
      lab.el("thead", {}, lab.el("tr", {}, lab.el("td"), head)),
      lab.el(
        "tbody",
        {},
        value.times.map((row, i) =>
          lab.el(
            "tr",
            {},
            lab.el("th", { scope: "row", "data-row": i }, name(i)),
            row.map((x, j) => number(x, i, j)),
          ),
        ),
      ),
    );
    at = null;
    point(kept());
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
      if (now !== drawn && !first) view.set("");
      drawn = now;
      draw();
    },
  });
});
