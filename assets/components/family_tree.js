// Families in columns of years, those of quiet times together; where it is narrow, in groups by their way of reading.
window.lab.component("family_tree", (element, tools) => {
  const lab = window.lab,
    families = JSON.parse(tools.given("families") || "[]"),
    ways = JSON.parse(tools.given("ways") || "{}");
  const body = tools.card(),
    HIGH = 38,
    GAP = 10,
    BETWEEN = 22,
    NAME = 82,
    WIDEST = 170; // a family's height, the gaps, and what its name needs
  const columns = periods(),
    column = (family) => columns.findIndex((years) => years.includes(family.year));
  let chosen = "",
    buttons = new Map();

  // Years that follow each other share a column while there are few families in it.
  function periods() {
    const FEW = 5,
      found = [];
    const many = (years) => families.filter((each) => years.includes(each.year)).length;
    for (const year of [...new Set(families.map((each) => each.year))].sort()) {
      const last = found.at(-1);
      if (last && many([...last, year]) <= FEW) last.push(year);
      else found.push([year]);
    }
    return found;
  }

  function choose(name) {
    chosen = name;
    tools.keep(name);
    mark();
  }
  function mark() {
    const line = new Set();
    for (
      let at = families.find((each) => each.name === chosen);
      at && !line.has(at.name);
      at = families.find((each) => each.name === at.parent)
    )
      line.add(at.name);
    for (const [name, { node, link }] of buttons) {
      if (node.matches("button")) node.setAttribute("aria-pressed", String(name === chosen));
      node.classList.toggle("ancestor", line.has(name) && name !== chosen);
      link?.classList.toggle("on", line.has(name));
    }
  }
  const button = (family, withYear) =>
    family.only
      ? lab.el(
          "span",
          { class: "family only " + family.way },
          lab.el("span", {}, lab.say(family.title)),
          withYear ? lab.el("small", {}, String(family.year)) : null,
        )
      : lab.el(
          "button",
          { type: "button", class: "family " + family.way, onclick: () => choose(family.name) },
          lab.el("span", {}, lab.say(family.title)),
          withYear ? lab.el("small", {}, String(family.year)) : null,
        );

  // In a column those of one way of reading stand together, each in the row of its parent where that is free.
  function rowsOf() {
    const place = new Map(),
      order = Object.keys(ways),
      of = (years) => families.filter((each) => years.includes(each.year));
    const count = Math.max(...columns.map((years) => of(years).length));
    for (const years of columns) {
      const all = of(years),
        parent = (family) => all.find((each) => each.name === family.parent);
      const wanted = (family) => place.get(family.parent) ?? (parent(family) ? wanted(parent(family)) + 0.1 : -1);
      const mine = all.sort(
        (a, b) => order.indexOf(a.way) - order.indexOf(b.way) || wanted(a) - wanted(b) || a.year - b.year,
      );
      let next = 0;
      mine.forEach((family, i) => {
        const row = Math.min(Math.max(next, Math.floor(wanted(family))), count - (mine.length - i));
        place.set(family.name, row);
        next = row + 1;
      });
    }
    return { place, count };
  }

  // A line through the points whose corners are round.
  function path(points) {
    const near = ([x, y], [u, v]) => {
      const far = Math.hypot(u - x, v - y) || 1,
        r = Math.min(5, far / 2);
      return [x + ((u - x) * r) / far, y + ((v - y) * r) / far];
    };
    const corners = points.slice(1, -1).map((at, i) => `L${near(at, points[i])}Q${at},${near(at, points[i + 2])}`);
    return `M${points[0]}${corners.join("")}L${points.at(-1)}`;
  }

  function wide(width) {
    const { place, count } = rowsOf(),
      box = Math.min(WIDEST, Math.floor(width / columns.length) - BETWEEN),
      step = (width - box) / Math.max(columns.length - 1, 1);
    const x = (family) => column(family) * step,
      y = (family) => 30 + place.get(family.name) * (HIGH + GAP);
    // Down the gap behind the parent's column and along the child's row, or above it where another family stands there.
    function way(parent, child) {
      const [a, b, c, d] = [x(parent) + box, y(parent) + HIGH / 2, x(child), y(child) + HIGH / 2],
        half = BETWEEN / 2;
      if (column(parent) === column(child) && Math.abs(place.get(parent.name) - place.get(child.name)) > 1)
        return [
          [c, b],
          [c - half, b],
          [c - half, d],
          [c, d],
        ];
      if (column(parent) === column(child))
        return [
          [a - box / 2, b + (Math.sign(d - b) * HIGH) / 2],
          [a - box / 2, d - (Math.sign(d - b) * HIGH) / 2],
        ];
      const between = families.some(
        (each) =>
          place.get(each.name) === place.get(child.name) &&
          column(each) > column(parent) &&
          column(each) < column(child),
      );
      if (!between)
        return [
          [a, b],
          [a + half, b],
          [a + half, d],
          [c, d],
        ];
      const above = d - (HIGH + GAP) / 2;
      return [
        [a, b],
        [a + half, b],
        [a + half, above],
        [c - half, above],
        [c - half, d],
        [c, d],
      ];
    }
    const links = lab.svg("svg", { width, height: 30 + count * (HIGH + GAP), "aria-hidden": "true" });
    const stage = lab.el("div", { class: "stage", style: `height:${30 + count * (HIGH + GAP)}px` }, links);
    columns.forEach((years, i) =>
      stage.append(
        lab.el(
          "span",
          { class: "year", style: `left:${i * step}px;width:${box}px` },
          years.length > 1 ? `${years[0]}–${years.at(-1)}` : String(years[0]),
        ),
      ),
    );
    for (const family of families) {
      const parent = families.find((each) => each.name === family.parent);
      let link = null;
      if (parent) links.append((link = lab.svg("path", { d: path(way(parent, family)) })));
      const node = button(family, columns[column(family)].length > 1);
      Object.assign(node.style, {
        left: x(family) + "px",
        top: y(family) + "px",
        width: box + "px",
        height: HIGH + "px",
      });
      stage.append(node);
      buttons.set(family.name, { node, link });
    }
    return stage;
  }
  function narrow() {
    return lab.el(
      "div",
      { class: "list" },
      Object.entries(ways).map(([way, text]) => {
        const mine = families.filter((each) => each.way === way).sort((a, b) => a.year - b.year);
        return mine.length
          ? lab.el(
              "div",
              { class: "group" },
              lab.el("h3", { class: way }, lab.say(text)),
              mine.map((family) => {
                const node = button(family, true);
                buttons.set(family.name, { node });
                return node;
              }),
            )
          : null;
      }),
    );
  }
  const legend = () =>
    lab.el(
      "p",
      { class: "legend" },
      Object.entries(ways)
        .filter(([way]) => families.some((each) => each.way === way))
        .map(([way, text]) => lab.el("span", { class: way }, lab.say(text))),
    );

  let width = 0;
  function lay() {
    width = body.clientWidth;
    buttons = new Map();
    body.replaceChildren(...(width < (NAME + BETWEEN) * columns.length ? [narrow()] : [legend(), wide(width)]));
    mark();
  }
  const seen = new ResizeObserver(() => {
    if (body.clientWidth && body.clientWidth !== width) lay();
  });
  seen.observe(body);
  tools.onLeave(() => seen.disconnect());
  lay();
  return (value) => {
    chosen = typeof value === "string" ? value : "";
    mark();
  };
});
