// Every head of every layer as a thumbnail, one of them large. Changing the head asks nobody, nor does changing the
// kind of maps of a model with two stacks.
window.lab.component("attention_map", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const kinds = lab.el("div", { class: "kinds", role: "radiogroup" });
  const grid = lab.el("div", { class: "heads", role: "grid", "aria-label": lab.word("components.heads") });
  const title = lab.el("div", { class: "head-title", "aria-live": "polite" });
  const canvas = lab.el("canvas", { tabindex: 0, role: "img" });
  const box = lab.el("div", { class: "large" }, title, canvas);
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const aside = lab.el("div", { class: "aside" });
  body.append(
    lab.el("div", { class: "map" }, lab.el("div", { class: "wall" }, kinds, grid, aside), box),
    lab.el("div", { class: "foot" }, say),
  );

  let value = null,
    map = null,
    data = new Uint8Array(),
    rows = 0,
    cols = 0,
    thumbs = [],
    shades = null,
    layer = 0,
    head = 0;
  let frame = null,
    at = null,
    linked = null,
    group = null; // at: what is pointed at, counted over all strips of the group

  // The square root is sent, so that small probabilities keep their digits in one byte.
  const share = (byte) => (byte / 255) ** 2;
  const offset = (l, h) => (l * map.heads + h) * rows * cols;
  const within = (place, count) => (place >= 0 && place < count ? place : undefined);
  const rowAt = (place) => within(place - map.rows_from, rows);
  const colAt = (place) => within(place - map.cols_from, cols);
  // The row that is pointed at in the map itself, else that of a token pointed at elsewhere.
  const row = () => rowAt(at?.row ?? at?.at);

  const picture = (l, h) => lab.heatmap.image(data.subarray(offset(l, h)), rows, cols, shades);

  function wall() {
    thumbs = [];
    const lines = [];
    for (let l = 0; l < map.layers; l++) {
      const cells = [];
      for (let h = 0; h < map.heads; h++) {
        const thumb = lab.el("canvas", { width: cols, height: rows });
        thumb.getContext("2d").putImageData(picture(l, h), 0, 0);
        const name = lab.word("components.head", { layer: l + 1, head: h + 1 });
        const button = lab.el(
          "button",
          { type: "button", tabindex: -1, "aria-label": name, title: name, onclick: () => choose(l, h, true) },
          thumb,
        );
        thumbs.push(button);
        cells.push(lab.el("div", { role: "gridcell" }, button));
      }
      lines.push(
        lab.el(
          "div",
          { role: "row", class: "layer" },
          lab.el("div", { class: "layer-name", role: "rowheader" }, String(l + 1)),
          cells,
        ),
      );
    }
    grid.style.setProperty("--heads", map.heads);
    grid.classList.toggle("single", map.layers * map.heads === 1);
    grid.replaceChildren(...lines);
  }

  function show(kind, focus) {
    map = value.maps.find((each) => each.kind === kind) || value.maps[0];
    rows = map.lookers.length;
    cols = map.tokens.length;
    data = lab.bytes(map.data);
    kinds.hidden = value.maps.length === 1;
    kinds.replaceChildren(
      ...value.maps.map((each) => {
        const on = each === map;
        return lab.el(
          "button",
          {
            type: "button",
            role: "radio",
            "aria-checked": String(on),
            tabindex: on ? 0 : -1,
            onclick: () => show(each.kind, true),
          },
          lab.word("components.maps." + each.kind),
        );
      }),
    );
    wall();
    choose(layer, head, false);
    if (!focus) return;
    kinds.querySelector("[aria-checked=true]").focus({ preventScroll: true });
    tools.fire("pick", { kind: map.kind, layer, head });
  }
  kinds.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const all = value.maps.length;
    show(value.maps[(value.maps.indexOf(map) + way + all) % all].kind, true);
  });

  function choose(l, h, focus) {
    layer = Math.min(map.layers - 1, Math.max(0, l));
    head = Math.min(map.heads - 1, Math.max(0, h));
    thumbs.forEach((thumb, i) => {
      const on = i === layer * map.heads + head;
      thumb.tabIndex = on ? 0 : -1;
      thumb.setAttribute("aria-pressed", String(on));
      if (on && focus) thumb.focus({ preventScroll: true });
    });
    title.textContent = lab.word("components.head", { layer: layer + 1, head: head + 1 });
    large();
    read();
    if (focus) tools.fire("pick", { kind: map.kind, layer, head });
  }

  function large() {
    const width = box.clientWidth;
    if (!rows || !cols || !width) return;
    const side = Math.min(110, Math.max(44, width * 0.16));
    const cell = Math.max(1, Math.min(48, Math.floor((width - side - 2) / Math.max(rows, cols))));
    frame = { side: cell >= 10 ? side : 6, cell };
    const { side: from } = frame,
      right = cols * cell,
      down = rows * cell;
    const pen = lab.canvas(canvas, from + right + 1, from + down + 1);
    const source = document.createElement("canvas");
    source.width = cols;
    source.height = rows;
    source.getContext("2d").putImageData(picture(layer, head), 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(source, from, from, right, down);
    pen.strokeStyle = lab.colour("line");
    pen.strokeRect(from - 0.5, from - 0.5, right + 1, down + 1);
    const there = rowAt(at?.row),
      below = colAt(at?.col);
    pen.strokeStyle = lab.colour("ink");
    pen.lineWidth = 1.5;
    if (there !== undefined) pen.strokeRect(from, from + there * cell, right, cell);
    if (there !== undefined && below !== undefined) pen.strokeRect(from + below * cell, from, cell, down);
    if (cell < 10) return;
    pen.font = `500 ${Math.min(15, cell * 0.6)}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    map.lookers.forEach((token, t) => {
      pen.fillStyle = lab.colour(row() === t ? "accent" : "ink");
      pen.fillText(lab.shortened(pen, lab.visible(token), from - 10), from - 6, from + t * cell + cell / 2);
    });
    pen.textAlign = "left";
    map.tokens.forEach((token, t) => {
      pen.save();
      pen.translate(from + t * cell + cell / 2, from - 6);
      pen.rotate(-Math.PI / 2);
      pen.fillStyle = lab.colour(colAt(at?.col ?? at?.at) === t ? "accent" : "ink");
      pen.fillText(lab.shortened(pen, lab.visible(token), from - 10), 0, 0);
      pen.restore();
    });
  }
  const name = (token) => `“${lab.visible(token)}”`;
  const weight = (row, col) => share(data[offset(layer, head) + row * cols + col]);

  // ---- beside the map: where the token pointed at looks, else what the head does on the whole

  function beside() {
    const from = row();
    const [title, found] =
      from === undefined
        ? [lab.word("components.habits"), lab.habits(map, weight)]
        : [lab.word("components.from", { from: name(map.lookers[from]) }), targets(from)];
    const most = Math.max(0.1, ...found.map((each) => Math.max(each.share, each.even || 0)));
    aside.replaceChildren(
      lab.el("div", { class: "aside-name" }, title),
      ...found.map(({ label, share, even, token }) => {
        const fill = lab.el("span", { class: "fill" }),
          track = lab.el("span", { class: "track" }, fill);
        fill.style.width = `${(100 * share) / most}%`;
        if (even !== undefined) {
          const mark = lab.el("i", { title: lab.word("components.even", { share: lab.percent(even) }) });
          mark.style.left = `${(100 * even) / most}%`;
          track.append(mark);
        }
        return lab.el(
          "div",
          { class: "habit" },
          lab.el("span", { class: token ? "token" : "" }, label),
          track,
          lab.el("span", { class: "number" }, lab.percent(share)),
        );
      }),
      from === undefined && found.length ? lab.el("div", { class: "aside-note" }, lab.word("components.evenly")) : "",
    );
  }
  function targets(row) {
    return map.tokens
      .map((token, col) => ({ label: lab.visible(token), share: weight(row, col), token: true }))
      .sort((a, b) => b.share - a.share)
      .slice(0, 7);
  }
  function read() {
    beside();
    const from = rowAt(at?.row),
      to = colAt(at?.col);
    say.textContent =
      from === undefined || to === undefined
        ? lab.word("components.heads")
        : lab.word("components.pair", {
            from: name(map.lookers[from]),
            to: name(map.tokens[to]),
            share: lab.percent(weight(from, to)),
          });
  }
  function cellAt(event) {
    if (!frame) return null;
    const place = canvas.getBoundingClientRect();
    const col = Math.floor((event.clientX - place.left - frame.side) / frame.cell);
    const row = Math.floor((event.clientY - place.top - frame.side) / frame.cell);
    return within(row, rows) === undefined || within(col, cols) === undefined ? null : { row, col };
  }
  const everywhere = (cell) => cell && { row: cell.row + map.rows_from, col: cell.col + map.cols_from };
  canvas.addEventListener("mousemove", (event) => {
    const cell = cellAt(event);
    linked?.point(everywhere(cell));
    if (!cell) {
      lab.unnote();
      return;
    }
    lab.note(
      [
        `${lab.visible(map.lookers[cell.row])} → ${lab.visible(map.tokens[cell.col])}`,
        lab.percent(weight(cell.row, cell.col)),
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
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
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
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(layer + step[0], head + step[1], true);
  });

  lab.sized(box, large, tools);
  return (given) => {
    value = given;
    body.hidden = !given?.maps?.length;
    if (body.hidden) {
      map = null;
      rows = cols = 0;
      return;
    }
    shades = lab.heatmap.ramp();
    if (given.layer !== undefined) layer = given.layer;
    if (given.head !== undefined) head = given.head;
    const wanted = given.group || "map-" + (element.dataset.n ||= String((lab.counter = (lab.counter || 0) + 1)));
    if (group !== wanted) {
      group = wanted;
      linked = lab.linked(
        group,
        (now) => {
          at = now;
          if (map) {
            large();
            read();
          }
        },
        tools,
      );
    }
    show(given.kind || "", false);
    canvas.setAttribute("aria-label", lab.word("components.heads"));
  };
});
