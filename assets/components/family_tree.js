// Families in columns of years; below a certain width, in groups by their way of reading.
window.lab.component("family_tree", (element, tools) => {
  const lab = window.lab, families = JSON.parse(tools.given("families") || "[]"), ways = JSON.parse(tools.given("ways") || "{}");
  const body = tools.card(), HIGH = 38, GAP = 10, BETWEEN = 14, NAME = 84; // a family's height, the gaps, and what its name needs
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

  // A line through the points whose corners are round.
  function path(points) {
    const near = ([x, y], [u, v]) => { const far = Math.hypot(u - x, v - y) || 1, r = Math.min(5, far / 2); return [x + (u - x) * r / far, y + (v - y) * r / far]; };
    const corners = points.slice(1, -1).map((at, i) => `L${near(at, points[i])}Q${at},${near(at, points[i + 2])}`);
    return `M${points[0]}${corners.join("")}L${points.at(-1)}`;
  }

  function wide(width) {
    const { place, count } = rowsOf(), box = Math.min(112, Math.floor(width / years.length) - BETWEEN), step = (width - box) / Math.max(years.length - 1, 1);
    const x = (family) => years.indexOf(family.year) * step, y = (family) => 30 + place.get(family.name) * (HIGH + GAP);
    // Down the gap behind the parent's year and along the child's row: or above it, where another family stands there.
    function way(parent, child) {
      const [a, b, c, d] = [x(parent) + box, y(parent) + HIGH / 2, x(child), y(child) + HIGH / 2], half = BETWEEN / 2;
      if (parent.year === child.year) return [[a - box / 2, b + Math.sign(d - b) * HIGH / 2], [a - box / 2, d - Math.sign(d - b) * HIGH / 2]];
      const between = families.some((each) => place.get(each.name) === place.get(child.name) && each.year > parent.year && each.year < child.year);
      if (!between) return [[a, b], [a + half, b], [a + half, d], [c, d]];
      const above = d - (HIGH + GAP) / 2;
      return [[a, b], [a + half, b], [a + half, above], [c - half, above], [c - half, d], [c, d]];
    }
    const links = lab.svg("svg", { width, height: 30 + count * (HIGH + GAP), "aria-hidden": "true" });
    const stage = lab.el("div", { class: "stage", style: `height:${30 + count * (HIGH + GAP)}px` }, links);
    years.forEach((year, i) => stage.append(lab.el("span", { class: "year", style: `left:${i * step}px;width:${box}px` }, String(year))));
    for (const family of families) {
      const parent = families.find((each) => each.name === family.parent);
      let link = null;
      if (parent) links.append(link = lab.svg("path", { d: path(way(parent, family)) }));
      const node = button(family, false);
      Object.assign(node.style, { left: x(family) + "px", top: y(family) + "px", width: box + "px", height: HIGH + "px" });
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
    body.replaceChildren(...(width < (NAME + BETWEEN) * years.length ? [narrow()] : [legend(), wide(width)]));
    mark();
  }
  const seen = new ResizeObserver(() => { if (body.clientWidth && body.clientWidth !== width) lay(); });
  seen.observe(body);
  tools.onLeave(() => seen.disconnect());
  lay();
  return (value) => { chosen = typeof value === "string" ? value : ""; mark(); };
});
