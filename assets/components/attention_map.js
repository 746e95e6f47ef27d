// Every head of every layer as a thumbnail, one of them large. Changing the head asks nobody.
window.lab.component("attention_map", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const grid = lab.el("div", { class: "heads", role: "grid", "aria-label": lab.word("components.heads") });
  const title = lab.el("div", { class: "head-title", "aria-live": "polite" });
  const canvas = lab.el("canvas", { tabindex: 0, role: "img" });
  const box = lab.el("div", { class: "large" }, title, canvas);
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const aside = lab.el("div", { class: "aside" });
  body.append(lab.el("div", { class: "map" }, lab.el("div", { class: "wall" }, grid, aside), box), lab.el("div", { class: "foot" }, say));

  let value = null, data = new Uint8Array(), size = 0, thumbs = [], shades = null, layer = 0, head = 0;
  let frame = null, at = null, linked = null, group = null;

  // The square root is sent, so that small probabilities keep their digits in one byte.
  const share = (byte) => (byte / 255) ** 2;
  const offset = (l, h) => (l * value.heads + h) * size * size;

  // One hue from the card to the accent: monotonous in brightness, readable without colour.
  function ramp() {
    const canvas = document.createElement("canvas");
    canvas.width = 256; canvas.height = 1;
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const fade = pen.createLinearGradient(0, 0, 256, 0);
    fade.addColorStop(0, lab.colour("map-low"));
    fade.addColorStop(0.55, lab.colour("map-mid"));
    fade.addColorStop(1, lab.colour("map-high"));
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 256, 1);
    return new Uint32Array(pen.getImageData(0, 0, 256, 1).data.buffer.slice(0));
  }
  function picture(l, h) {
    const image = new ImageData(size, size), pixels = new Uint32Array(image.data.buffer), start = offset(l, h);
    for (let i = 0; i < size * size; i++) pixels[i] = shades[data[start + i]];
    return image;
  }

  function wall() {
    thumbs = [];
    const rows = [];
    for (let l = 0; l < value.layers; l++) {
      const cells = [];
      for (let h = 0; h < value.heads; h++) {
        const thumb = lab.el("canvas", { width: size, height: size });
        thumb.getContext("2d").putImageData(picture(l, h), 0, 0);
        const name = lab.word("components.head", { layer: l + 1, head: h + 1 });
        const button = lab.el("button", { type: "button", tabindex: -1, "aria-label": name, title: name,
          onclick: () => choose(l, h, true) }, thumb);
        thumbs.push(button);
        cells.push(lab.el("div", { role: "gridcell" }, button));
      }
      rows.push(lab.el("div", { role: "row", class: "layer" },
        lab.el("div", { class: "layer-name", role: "rowheader" }, String(l + 1)), cells));
    }
    grid.style.setProperty("--heads", value.heads);
    grid.classList.toggle("single", value.layers * value.heads === 1);
    grid.replaceChildren(...rows);
  }

  function choose(l, h, focus) {
    layer = Math.min(value.layers - 1, Math.max(0, l));
    head = Math.min(value.heads - 1, Math.max(0, h));
    thumbs.forEach((thumb, i) => {
      const on = i === layer * value.heads + head;
      thumb.tabIndex = on ? 0 : -1;
      thumb.setAttribute("aria-pressed", String(on));
      if (on && focus) thumb.focus({ preventScroll: true });
    });
    title.textContent = lab.word("components.head", { layer: layer + 1, head: head + 1 });
    large();
    read();
    if (focus) tools.fire("pick", { layer, head });
  }

  function large() {
    const width = box.clientWidth;
    if (!size || !width) return;
    const side = Math.min(110, Math.max(44, width * 0.16));
    const cell = Math.max(1, Math.min(48, Math.floor((width - side - 2) / size)));
    frame = { side: cell >= 10 ? side : 6, cell };
    const total = frame.side + size * cell + 1;
    const pen = lab.canvas(canvas, total, total);
    const source = document.createElement("canvas");
    source.width = source.height = size;
    source.getContext("2d").putImageData(picture(layer, head), 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(source, frame.side, frame.side, size * cell, size * cell);
    pen.strokeStyle = lab.colour("line");
    pen.strokeRect(frame.side - 0.5, frame.side - 0.5, size * cell + 1, size * cell + 1);
    if (at?.row !== undefined) {
      pen.strokeStyle = lab.colour("ink");
      pen.lineWidth = 1.5;
      pen.strokeRect(frame.side, frame.side + at.row * cell, size * cell, cell);
      if (at.col !== undefined) pen.strokeRect(frame.side + at.col * cell, frame.side, cell, size * cell);
    }
    if (cell < 10) return;
    pen.font = `500 ${Math.min(15, cell * 0.6)}px ${getComputedStyle(document.body).getPropertyValue("--lab-mono")}`;
    pen.textBaseline = "middle";
    for (let t = 0; t < size; t++) {
      const middle = frame.side + t * cell + cell / 2, text = short(pen, lab.visible(value.tokens[t]), frame.side - 10);
      pen.fillStyle = at && (at.row === t || at.at === t) ? lab.colour("accent") : lab.colour("ink");
      pen.textAlign = "right";
      pen.fillText(text, frame.side - 6, middle);
      pen.save();
      pen.translate(middle, frame.side - 6);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "left";
      pen.fillStyle = at && (at.col === t || at.at === t) ? lab.colour("accent") : lab.colour("ink");
      pen.fillText(text, 0, 0);
      pen.restore();
    }
  }
  function short(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    const all = [...text];
    while (all.length > 1 && pen.measureText(all.join("") + "…").width > width) all.pop();
    return all.join("") + "…";
  }
  const name = (i) => `“${lab.visible(value.tokens[i])}”`;
  const weight = (row, col) => share(data[offset(layer, head) + row * size + col]);

  // ---- beside the map: where the token pointed at looks, else what the head does on the whole

  function beside() {
    const row = at?.row ?? at?.at;
    const [name_, rows] = row === undefined || row >= size ? [lab.word("components.habits"), habits()] : [lab.word("components.from", { from: name(row) }), targets(row)];
    const most = Math.max(0.1, ...rows.map((each) => Math.max(each.share, each.even || 0)));
    aside.replaceChildren(lab.el("div", { class: "aside-name" }, name_), ...rows.map(({ label, share, even, token }) => {
      const fill = lab.el("span", { class: "fill" }), track = lab.el("span", { class: "track" }, fill);
      fill.style.width = `${(100 * share) / most}%`;
      if (even !== undefined) {
        const mark = lab.el("i", { title: lab.word("components.even", { share: lab.percent(even) }) });
        mark.style.left = `${(100 * even) / most}%`;
        track.append(mark);
      }
      return lab.el("div", { class: "habit" }, lab.el("span", { class: token ? "token" : "" }, label), track, lab.el("span", { class: "number" }, lab.percent(share)));
    }), row === undefined && rows.length ? lab.el("div", { class: "aside-note" }, lab.word("components.evenly")) : "");
  }
  function targets(row) {
    return Array.from({ length: size }, (_, col) => ({ label: lab.visible(value.tokens[col]), share: weight(row, col), token: true }))
      .sort((a, b) => b.share - a.share).slice(0, 7);
  }
  // The share of all looks that go to each kind of place, and the share that they had if heads looked evenly.
  function habits() {
    const special = new Set(value.special || []), kinds = { self: [], before: [], after: [], same: [], special: [] };
    for (let row = 0; row < size; row++) {
      const seen = value.causal ? row + 1 : size, sums = { self: 0, before: 0, after: 0, same: 0, special: 0 }, counts = { ...sums };
      for (let col = 0; col < seen; col++) {
        const of = col === row ? "self" : special.has(col) ? "special" : value.tokens[col] === value.tokens[row] ? "same"
          : col === row - 1 ? "before" : col === row + 1 ? "after" : null;
        if (of) { sums[of] += weight(row, col); counts[of] += 1 / seen; }
      }
      for (const of of Object.keys(kinds)) kinds[of].push([sums[of], counts[of]]);
    }
    const mean = (pairs, i) => pairs.reduce((sum, pair) => sum + pair[i], 0) / Math.max(1, pairs.length);
    return Object.entries(kinds).map(([of, pairs]) => ({ label: lab.word("components.habit." + of), share: mean(pairs, 0), even: mean(pairs, 1) }))
      .filter((each) => each.even > 0);
  }

  function read() {
    beside();
    if (at?.row === undefined || at.row >= size) { say.textContent = lab.word("components.heads"); return; }
    if (at.col !== undefined) {
      say.textContent = lab.word("components.pair", { from: name(at.row), to: name(at.col), share: lab.percent(weight(at.row, at.col)) });
      return;
    }
  }
  function cellAt(event) {
    if (!frame) return null;
    const place = canvas.getBoundingClientRect();
    const col = Math.floor((event.clientX - place.left - frame.side) / frame.cell);
    const row = Math.floor((event.clientY - place.top - frame.side) / frame.cell);
    return row >= 0 && col >= 0 && row < size && col < size ? { row, col } : null;
  }
  canvas.addEventListener("mousemove", (event) => {
    const cell = cellAt(event);
    linked?.point(cell);
    if (!cell) { lab.unnote(); return; }
    lab.note([`${lab.visible(value.tokens[cell.row])} → ${lab.visible(value.tokens[cell.col])}`, lab.percent(weight(cell.row, cell.col))],
      event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", () => { linked?.point(null); lab.unnote(); });
  canvas.addEventListener("click", (event) => linked?.lock(cellAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") linked?.lock(null);
    if (!step || !size) return;
    event.preventDefault();
    const clamp = (v) => Math.min(size - 1, Math.max(0, v));
    const from = at?.row === undefined ? { row: -step[0], col: -step[1] } : { row: at.row, col: at.col ?? 0 };
    if (linked.locked) linked.lock(linked.at);
    linked.point({ row: clamp(from.row + step[0]), col: clamp(from.col + step[1]) });
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
    size = given?.tokens?.length || 0;
    body.hidden = !size;
    if (!size) return;
    data = lab.bytes(given.data);
    shades = ramp();
    if (given.layer !== undefined) layer = given.layer;
    if (given.head !== undefined) head = given.head;
    const wanted = given.group || "map-" + (element.dataset.n ||= String((lab.counter = (lab.counter || 0) + 1)));
    if (group !== wanted) {
      group = wanted;
      linked = lab.linked(group, (now) => { at = now; large(); read(); }, tools);
    }
    wall();
    choose(layer, head, false);
    canvas.setAttribute("aria-label", lab.word("components.heads"));
  };
});
