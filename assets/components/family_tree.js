// Families in columns of years; below a certain width, in groups by their way of reading.
window.lab.component("family_tree", (element, tools) => {
  const lab = window.lab, families = JSON.parse(tools.given("families") || "[]"), ways = JSON.parse(tools.given("ways") || "{}");
  const body = tools.card(), HIGH = 38, GAP = 10, WIDE = 106;
  const years = [...new Set(families.map((each) => each.year))].sort();
  let chosen = "", buttons = new Map();

  function choose(name) {
    chosen = name;
    tools.keep(name);
    mark();
  }
  function mark() {
    const line = new Set();
    for (let at = families.find((each) => each.name === chosen); at && !line.has(at.name); at = families.find((each) => each.name === at.parent)) line.add(at.name);
    for (const [name, { node, link }] of buttons) {
      node.setAttribute("aria-pressed", String(name === chosen));
      node.classList.toggle("ancestor", line.has(name) && name !== chosen);
      link?.classList.toggle("on", line.has(name));
    }
  }
  const button = (family, withYear) => lab.el("button", { type: "button", class: "family " + family.way, onclick: () => choose(family.name) },
    lab.el("span", {}, lab.say(family.title)), withYear ? lab.el("small", {}, String(family.year)) : null);

  // Each way of reading has rows of its own; a family takes the first row of its way that is free in its year.
  function rowsOf() {
    const place = new Map();
    let top = 0;
    for (const way of Object.keys(ways)) {
      const taken = [], mine = families.filter((each) => each.way === way).sort((a, b) => a.year - b.year);
      for (const family of mine) {
        const wanted = place.get(family.parent);
        const free = (row) => !taken[row]?.has(family.year);
        let row = wanted !== undefined && wanted >= top && free(wanted - top) ? wanted - top : 0;
        while (!free(row)) row++;
        (taken[row] ??= new Set()).add(family.year);
        place.set(family.name, top + row);
      }
      if (mine.length) top += taken.length;
    }
    return { place, count: top };
  }

  function wide(width) {
    const { place, count } = rowsOf(), step = (width - WIDE) / Math.max(years.length - 1, 1);
    const x = (family) => years.indexOf(family.year) * step, y = (family) => 30 + place.get(family.name) * (HIGH + GAP);
    const links = lab.svg("svg", { width, height: 30 + count * (HIGH + GAP), "aria-hidden": "true" });
    const stage = lab.el("div", { class: "stage", style: `height:${30 + count * (HIGH + GAP)}px` }, links);
    years.forEach((year, i) => stage.append(lab.el("span", { class: "year", style: `left:${i * step}px;width:${WIDE}px` }, String(year))));
    for (const family of families) {
      const parent = families.find((each) => each.name === family.parent);
      let link = null;
      if (parent) {
        const [a, b, c, d] = [x(parent) + WIDE, y(parent) + HIGH / 2, x(family), y(family) + HIGH / 2];
        const path = c > a ? `M${a} ${b}C${(a + c) / 2} ${b},${(a + c) / 2} ${d},${c} ${d}`
          : `M${x(parent) + WIDE / 2} ${b + Math.sign(d - b) * HIGH / 2}L${c + WIDE / 2} ${d - Math.sign(d - b) * HIGH / 2}`;
        links.append(link = lab.svg("path", { d: path }));
      }
      const node = button(family, false);
      Object.assign(node.style, { left: x(family) + "px", top: y(family) + "px", width: WIDE + "px", height: HIGH + "px" });
      stage.append(node);
      buttons.set(family.name, { node, link });
    }
    return stage;
  }
  function narrow() {
    return lab.el("div", { class: "list" }, Object.entries(ways).map(([way, text]) => {
      const mine = families.filter((each) => each.way === way).sort((a, b) => a.year - b.year);
      return mine.length ? lab.el("div", { class: "group" }, lab.el("h3", { class: way }, lab.say(text)), mine.map((family) => {
        const node = button(family, true);
        buttons.set(family.name, { node });
        return node;
      })) : null;
    }));
  }
  const legend = () => lab.el("p", { class: "legend" }, Object.entries(ways).filter(([way]) => families.some((each) => each.way === way)).map(
    ([way, text]) => lab.el("span", { class: way }, lab.say(text))));

  let width = 0;
  function lay() {
    width = body.clientWidth;
    buttons = new Map();
    body.replaceChildren(...(width < (WIDE + 4) * years.length ? [narrow()] : [legend(), wide(width)]));
    mark();
  }
  const seen = new ResizeObserver(() => { if (body.clientWidth && body.clientWidth !== width) lay(); });
  seen.observe(body);
  tools.onLeave(() => seen.disconnect());
  lay();
  return (value) => { chosen = typeof value === "string" ? value : ""; mark(); };
});
