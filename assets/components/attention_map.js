// Every head of every layer as a thumbnail, one of them large. Changing the head asks nobody, nor does changing the
// kind of maps of a model with two stacks.
window.lab.toHead = (id, name) =>
  document.querySelector(`#${id} .lab-attention_map`).dispatchEvent(new CustomEvent("lab:head", { detail: name }));
window.lab.component("attention_map", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const kinds = lab.radios(lab.word("components.maps."), (i) => {
    show(value.maps[i].kind);
    picked();
  });
  const grid = lab.el("div", { class: "heads", role: "grid", "aria-label": lab.word("components.heads") });
  const title = lab.el("div", { class: "head-title", "aria-live": "polite" });
  const WAYS = ["matrix", "lines"],
    STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const ways = lab.radios(lab.word("components.views"), (i) => look(WAYS[i]));
  kinds.node.classList.add("kinds");
  ways.node.classList.add("ways");
  const together = lab.attentionTogether(() => {
    looks();
    large();
  });
  const view = lab.view("view"), // matrix or lines, in the address
    several = lab.view("map"); // the mean or the rollout that is shown instead of a head, there too
  const canvas = lab.el("canvas", { tabindex: 0, role: "img" });
  // How many lines of how many are drawn.
  const strongest = lab.el("div", { class: "strongest", "aria-live": "polite" });
  const above = lab.el("div", { class: "above" }, title, ways.node);
  const box = lab.el("div", { class: "large" }, above, together.node, strongest, canvas);
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const aside = lab.el("div", { class: "looks" });
  body.append(
    lab.el("div", { class: "map" }, lab.el("div", { class: "wall" }, kinds.node, grid, aside), box),
    lab.el("div", { class: "foot" }, say),
  );

  let value = null,
    toned = "", // the shade that was drawn
    map = null,
    rows = 0,
    cols = 0,
    thumbs = [],
    layer = 0,
    head = 0;
  let hit = null, // what lies under a place on the canvas
    at = null,
    linked = null,
    held = "", // the cell or the token that is locked
    group = null; // at: what is pointed at, counted over all strips of the group

  // The square root is sent, so that small probabilities keep their digits in one byte.
  const SHARES = Float64Array.from({ length: 256 }, (_, byte) => (byte / 255) ** 2);
  const share = (byte) => {
    if (!map.signed) return SHARES[byte];
    const root = (byte - 128) / 127;
    return Math.abs(root) * root;
  };
  const within = (place, count) => (place >= 0 && place < count ? place : undefined);
  const rowAt = (place) => within(map.places ? map.places.indexOf(place) : place - map.rows_from, rows);
  const placeOf = (row) => (map.places ? map.places[row] : row + map.rows_from);
  const colAt = (place) => within(place - map.cols_from, cols);
  // The row that is pointed at in the map itself, else that of a token pointed at elsewhere.
  const row = () => rowAt(at?.row ?? at?.at);

  const fetch = (name) => ask("fetch", "wanted", `${name}@${value.of}`);
  const found = lab.attentionNumbers(fetch);
  const { all, named, numbers, ahead } = found;
  const keep = (one) => found.keep(one, value.maps.find((each) => each.kind === one.kind) || value.maps[0]);
  const called = (l, h) =>
    h < map.heads
      ? lab.word("components.head", { layer: l + 1, head: h + 1 })
      : lab.word("components.extra." + map.extras[h - map.heads], { layer: l + 1 });

  const wall = lab.attentionWall(grid, found, { called, pick: (l, h) => choose(l, h, true), ahead });

  // A single stack's maps have no name, unless a second stream stands beside them.
  const unnamed = (each) => !each.kind && value.maps.length > 1;
  function show(kind) {
    map = value.maps.find((each) => each.kind === kind) || value.maps[0];
    rows = map.lookers.length;
    cols = map.tokens.length;
    found.show(map, map.signed ? lab.matrixView.shades() : lab.heatmap.ramp());
    kinds.draw(
      value.maps.map((each) => lab.word("components.maps." + (unnamed(each) ? "content" : each.kind))),
      value.maps.indexOf(map),
    );
    thumbs = wall(map);
    choose(layer, head, false);
  }

  function choose(l, h, focus) {
    layer = Math.min(map.layers - 1, Math.max(0, l));
    head = Math.min(all() - 1, Math.max(0, h));
    together.only(Math.min(head, map.heads - 1));
    thumbs.forEach((thumb, i) => {
      const on = i === layer * all() + head;
      thumb.tabIndex = on ? 0 : -1;
      thumb.setAttribute("aria-pressed", String(on));
      if (on && focus) thumb.focus({ preventScroll: true });
      if (on && grid.scrollWidth > grid.clientWidth) {
        const [inside, around] = [thumb, grid].map((node) => node.getBoundingClientRect());
        if (inside.right > around.right || inside.left < around.left + 40)
          grid.scrollLeft += inside.left - around.left - around.width / 2;
      }
    });
    title.textContent = called(layer, head);
    looks();
    large();
    read();
    if (focus) picked();
  }
  function picked() {
    const one = head < map.heads;
    if (!map.signed) several.set(one ? "" : named(layer, head));
    if (one) tools.fire("pick", { kind: map.kind, layer, head });
  }
  // Chooses the mean or the rollout that the address names, if the maps have it, and says of which kind it is.
  function again(first) {
    const [, kind, l, name] = several.value.match(/^(?:(\w+)\.)?([1-9]\d{0,2})\.([a-z]+)$/) || [];
    const of = value.maps.find((each) => each.kind === (kind || "")),
      number = of && l <= of.layers ? of.extras.indexOf(name) : -1;
    if (number >= 0) {
      layer = l - 1;
      head = of.heads + number;
      return of.kind;
    }
    if (first) several.refuse();
    else several.set("");
  }

  // What is fired of itself must not stand in the way of what the click fires.
  function ask(event, key, text) {
    lab.attention = { ...lab.attention, [key]: text };
    tools.fire(event, lab.fired);
  }
  function large() {
    const width = box.clientWidth;
    if (!rows || !cols || !width) return;
    const missing = [head, ...(lined() ? together.heads : [])].find((h) => !numbers(layer, h));
    if (missing !== undefined) fetch(named(layer, missing));
    const there = rowAt(at?.row),
      below = colAt(at?.col);
    const pointed = { row: row(), col: colAt(at?.col ?? at?.at), there, below };
    if (lined()) lines(width, pointed.row);
    else hit = lab.attentionMatrix(canvas, { map, picture: found.picture(layer, head), width, ...pointed });
    if (!numbers(layer, head)) hit = null; // nothing to read yet
    strongest.hidden = !lined();
  }
  function lines(width, row) {
    const drawn = lab.attentionLines(canvas, {
      map,
      bytes: (h) => numbers(layer, h),
      share,
      heads: together.heads,
      width,
      row,
      col: row === undefined ? colAt(at?.col) : undefined,
    });
    hit = drawn.hit;
    const { drawn: some, all, share: most } = drawn.few || {};
    const counts = { n: lab.number(some, 9), all: lab.number(all, 9), share: lab.percent(most || 0) };
    strongest.textContent = drawn.few?.all ? lab.word("components.lines", counts) : "";
  }
  // Lines are drawn of heads; of means, rollouts and differences there are matrices alone.
  const lined = () => view.value === "lines" && !map.signed && head < map.heads;
  function looks() {
    const names = map.signed || head >= map.heads ? [] : WAYS;
    ways.draw(
      names.map((way) => lab.word("components.view." + way)),
      Number(lined()),
    );
    together.draw(lined() ? map.heads : 0);
  }
  function look(way) {
    view.set(way === "lines" ? way : "");
    looks();
    large();
  }
  const name = (token) => `“${lab.visible(token)}”`;
  // How much one token looks at another: the map's numbers are looked up once, for there may be many cells.
  function weights() {
    const chosen = numbers(layer, head);
    return (row, col) => share(chosen?.[row * cols + col] ?? 0);
  }
  const weight = (row, col) => weights()(row, col);

  function beside() {
    const whole = head < map.heads ? "components.habits" : "components.habits.several";
    aside.style.visibility = "";
    lab.attentionAside(aside, { map, row: row(), weight: weights(), name, whole });
  }
  // What is counted over the whole map can wait until the map is painted.
  let later = 0;
  function read() {
    const there = numbers(layer, head);
    cancelAnimationFrame(later);
    later = requestAnimationFrame(() => setTimeout(() => map && numbers(layer, head) && beside()));
    if (!there) aside.style.visibility = "hidden"; // and keeps its room
    const from = rowAt(at?.row),
      to = colAt(at?.col);
    say.textContent = !there
      ? lab.word("components.coarse")
      : from === undefined || to === undefined
        ? lab.word("components.heads")
        : lab.word("components.pair", {
            from: name(map.lookers[from]),
            to: name(map.tokens[to]),
            share: lab.attentionShare(map, weight(from, to)),
          });
  }
  function cellAt(event) {
    const place = canvas.getBoundingClientRect();
    return hit?.(event.clientX - place.left, event.clientY - place.top) ?? null;
  }
  const everywhere = (cell) =>
    cell && {
      ...("row" in cell ? { row: placeOf(cell.row) } : {}),
      ...("col" in cell ? { col: cell.col + map.cols_from } : {}),
    };
  canvas.addEventListener("mousemove", (event) => {
    const cell = cellAt(event);
    linked?.point(everywhere(cell));
    if (cell?.row === undefined || cell?.col === undefined) {
      lab.unnote();
      return;
    }
    lab.note(
      [
        `${lab.visible(map.lookers[cell.row])} → ${lab.visible(map.tokens[cell.col])}`,
        lab.attentionShare(map, weight(cell.row, cell.col)),
      ],
      event.clientX,
      event.clientY,
    );
  });
  canvas.addEventListener("mouseleave", () => {
    linked?.point(null);
    lab.unnote();
  });
  canvas.addEventListener("click", (event) => linked?.lock(everywhere(cellAt(event))));
  canvas.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (event.key === "Escape") linked?.lock(null);
    if (!step || !map) return;
    event.preventDefault();
    const clamp = (place, count) => Math.min(count - 1, Math.max(0, place));
    const from = rowAt(at?.row),
      to = colAt(at?.col) ?? 0;
    const cell =
      from === undefined ? { row: 0, col: 0 } : { row: clamp(from + step[0], rows), col: clamp(to + step[1], cols) };
    if (linked.locked) linked.lock(linked.at);
    linked.point(everywhere(cell));
  });
  grid.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    choose(layer + step[0], head + step[1], true);
    ahead(layer + step[0], head + step[1]);
  });

  // A head of the first kind of maps, by its name "layer.head", chosen from elsewhere on the page.
  element.addEventListener("lab:head", ({ detail }) => {
    if (!map) return;
    if (map !== value.maps[0]) show(value.maps[0].kind);
    const [l, h] = detail.split(".");
    choose(l - 1, h - 1, true);
    element.scrollIntoView({ block: "start" });
  });

  lab.sized(box, large, tools);
  // A map that was asked for. The value that it belongs to is drawn already.
  function came({ one, of }) {
    if (!map || of !== value.of || !one) return;
    keep(one);
    if (toned !== lab.colour("map-high")) draw(value); // the shade has changed
    if (one.kind !== map.kind || one.layer !== layer) return; // fetched ahead
    large();
    read();
  }

  function draw(given) {
    if (given !== value) found.clear();
    value = given;
    toned = lab.colour("map-high");
    body.hidden = !given?.maps?.length;
    if (body.hidden) {
      map = null;
      rows = cols = 0;
      found.show(null, null);
      return;
    }
    if (given.layer !== undefined) layer = given.layer;
    if (given.head !== undefined) head = given.head;
    const kind = several.value && !given.maps[0].signed ? again(group === null) : undefined;
    const wanted = given.group || "map-" + (element.dataset.n ||= String((lab.counter = (lab.counter || 0) + 1)));
    if (group !== wanted) {
      group = wanted;
      linked = lab.linked(
        group,
        (now, locked) => {
          at = now;
          const lock = locked && (now.row ?? now.at) !== undefined ? `${now.row ?? now.at}.${now.col ?? ""}` : "";
          if (lock !== held) {
            held = lock;
            ask("lock", "held", lock);
          }
          if (map) {
            large();
            read();
          }
        },
        tools,
      );
    }
    if (given.one) keep(given.one);
    show(kind ?? given.kind ?? "");
    canvas.setAttribute("aria-label", lab.word("components.heads"));
  }
  return (given) => (given?.of && !given.maps ? came(given) : draw(given));
});
