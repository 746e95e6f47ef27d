// The likeliest next tokens in columns: logit, what each sampler makes of it, probability, cumulative probability. What
// is cut off is grey, below a line.
window.lab.component("candidates", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const head = lab.el("div", { class: "candidate head", "aria-hidden": "true" });
  const list = lab.el("ol", { class: "bars" }),
    none = lab.el("div", { class: "empty" });
  const pane = lab.el("div", { class: "pane" }, head, list);
  body.append(pane, none);
  const rows = new Map(); // by token, so that lengths glide instead of jumping
  lab.nextToken.describe(JSON.parse(tools.given("samplers") || "[]"));

  const cell = (value, title) =>
    lab.el("span", { class: value === null ? "step gone" : "step", "data-title": title }, value?.toFixed(2) ?? "✕");
  function row(bar, titles) {
    if (!rows.has(bar.key)) {
      const fill = lab.el("span", { class: "fill" }),
        mark = lab.el("span", { class: "expected" });
      const name = lab.el("button", { type: "button", class: "name", dir: "auto" }),
        steps = lab.el("span", { class: "steps" }),
        number = lab.el("span", { class: "number" }),
        cumulative = lab.el("span", { class: "number cumulative" });
      const node = lab.el("li", {}, name, steps, lab.el("span", { class: "track" }, fill, mark), number, cumulative);
      node.onclick = () => tools.fire("pick", { key: bar.key });
      rows.set(bar.key, { node, name, steps, fill, mark, number, cumulative });
    }
    const it = rows.get(bar.key),
      called = lab.say(bar.name);
    it.name.textContent = bar.token === false ? called : lab.visible(called) || "∅";
    it.steps.replaceChildren(...[bar.logit, ...bar.steps].map((value, i) => cell(value, titles[i])));
    it.mark.style.left = `${100 * bar.expected}%`;
    it.fill.style.width = `${100 * bar.value}%`;
    it.number.textContent = bar.cut ? "0" : lab.percent(bar.value);
    it.cumulative.textContent = bar.cumulative === null ? "–" : lab.percent(bar.cumulative);
    it.cumulative.dataset.title = lab.word("generate.column.cumulative");
    const own = lab.word("generate.before", { p: lab.percent(bar.expected) });
    it.node.title = [bar.cut ? lab.word("components.cut") : "", own].filter(Boolean).join(" · ");
    it.node.className = ["candidate", ...["cut", "chosen", "apart"].filter((fact) => bar[fact])].join(" ");
    return it.node;
  }

  function draw(value) {
    const bars = value?.bars || [],
      titles = [lab.word("generate.column.logit"), ...(value?.chain || []).map(lab.nextToken.titled)];
    const ends = [lab.word("generate.column.probability"), lab.word("generate.column.cumulative")];
    head.replaceChildren(
      lab.el("span", {}, lab.word("generate.column.token")),
      lab.el("span", { class: "steps" }, ...titles.map((title) => lab.el("span", { class: "step" }, title))),
      ...ends.map((title) => lab.el("span", {}, title)),
    );
    const nodes = bars.map((bar) => row(bar, titles));
    nodes.forEach((node, i) => node.classList.toggle("line", i > 0 && bars[i].cut && !bars[i - 1].cut));
    if (nodes.length !== list.children.length || nodes.some((node, i) => list.children[i] !== node))
      list.replaceChildren(...nodes);
    for (const [key, { node }] of rows) if (!node.isConnected) rows.delete(key);
    head.hidden = !bars.length;
    none.hidden = bars.length > 0;
    none.textContent = lab.word("components.empty");
    pane.style.setProperty("--scrolled", `${Math.min(12, pane.offsetHeight - pane.clientHeight)}px`);
  }

  let given = null;
  lab.nextToken.hear(() => draw(lab.nextToken.instead("bars", given)), tools);
  return (value) => {
    given = value;
    lab.nextToken.take(value);
    draw(lab.nextToken.instead("bars", value));
  };
});
