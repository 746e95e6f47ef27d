// A head over the snapshots of a run: its map at each step, and where one token looks, layer by layer. All steps are
// here: to scrub asks nobody.
window.lab.component("over_training", (element, tools) => {
  const lab = window.lab;
  const SECONDS = 0.9,
    TALL = 16; // pixels of a layer's row
  const body = tools.card();
  const view = lab.view("moment"); // the step that is shown, in the address
  const scrub = lab.el("input", { type: "range", min: 0, step: 1, "aria-label": lab.word("components.scrub") });
  const reading = lab.el("output", { class: "reading" });
  const player = lab.player(element, tools, {
    words: ["heads.first", "heads.back", "heads.next", "heads.last"],
    seconds: SECONDS,
    span: () => [0, steps().length - 1],
    at: () => at,
    show,
    jumped: keep,
    halted: keep,
  });
  const strip = lab.el("div", { class: "moments" });
  const title = lab.el("div", { class: "head-title" }),
    large = lab.el("canvas", { role: "img" }),
    aside = lab.el("div", { class: "looks" });
  const from = lab.el("div", { class: "head-title" }),
    layers = lab.el("canvas", { role: "img" });
  const left = lab.el("div", { class: "large" }, title, large),
    right = lab.el("div", {}, aside, from, layers);
  const none = lab.el("div", { class: "empty" });
  const whole = lab.el(
    "div",
    {},
    lab.el("div", { class: "controls player" }, player.buttons, scrub, reading),
    strip,
    lab.el("div", { class: "both" }, left, right),
  );
  body.append(whole, none);
  let value = null,
    maps = new Uint8Array(),
    looks = new Uint8Array(),
    shades = null,
    buttons = [],
    at = 0,
    inMap = null, // what lies under a place on either canvas
    inLooks = null,
    linked = null,
    pointed = null,
    group = null;

  const steps = () => value?.steps || [];
  const rows = () => value.lookers.length;
  const cols = () => value.tokens.length;
  const named = (step) => lab.word("components.step", { n: step.toLocaleString(lab.locale) });
  const map = (n) => maps.subarray(n * rows() * cols(), (n + 1) * rows() * cols());
  const look = (n) => looks.subarray(n * value.layers * cols(), (n + 1) * value.layers * cols());
  const share = (byte) => (byte / 255) ** 2;
  const within = (place, count) => (place >= 0 && place < count ? place : undefined);

  function keep() {
    view.set(at === steps().length - 1 ? "" : String(steps()[at]));
  }
  function show(n) {
    at = Math.max(0, Math.min(steps().length - 1, n));
    scrub.value = at;
    reading.textContent = named(steps()[at]);
    scrub.setAttribute("aria-valuetext", reading.textContent);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
    draw();
  }
  scrub.addEventListener("input", () => player.jump(Number(scrub.value)));

  function draw() {
    if (!value || !left.clientWidth) return;
    const rowAt = (place) => within(value.places ? value.places.indexOf(place) : place - value.rows_from, rows());
    const row = rowAt(pointed?.row ?? pointed?.at);
    const col = within((pointed?.col ?? pointed?.at) - value.cols_from, cols());
    inMap = lab.attentionMatrix(large, {
      map: value,
      picture: lab.heatmap.image(map(at), rows(), cols(), shades),
      width: left.clientWidth,
      row,
      col,
      there: rowAt(pointed?.row),
      below: within(pointed?.col - value.cols_from, cols()),
    });
    inLooks = lab.attentionMatrix(layers, {
      map: { lookers: value.names.map((_, layer) => String(layer + 1)), tokens: value.tokens },
      picture: lab.heatmap.image(look(at), value.layers, cols(), shades),
      width: right.clientWidth,
      tall: TALL,
      named: false,
      col,
    });
    const weight = (r, c) => share(map(at)[r * cols() + c]);
    lab.attentionAside(aside, {
      map: value,
      row,
      weight,
      name: (token) => `“${lab.visible(token)}”`,
      whole: "components.habits",
    });
    title.textContent = `${lab.say(value.name)} · ${named(steps()[at])}`;
    large.setAttribute("aria-label", title.textContent);
    layers.setAttribute("aria-label", `${from.textContent} ${named(steps()[at])}`);
  }
  const cellIn = (canvas, hit, event) => {
    const place = canvas.getBoundingClientRect();
    return hit?.(event.clientX - place.left, event.clientY - place.top) ?? null;
  };
  large.addEventListener("mousemove", (event) => {
    const cell = cellIn(large, inMap, event);
    const placed = (row) => (value.places ? value.places[row] : row + value.rows_from);
    linked?.point(cell && { row: placed(cell.row), col: cell.col + value.cols_from });
    if (!cell) return lab.unnote();
    const names = [value.lookers[cell.row], value.tokens[cell.col]].map(lab.visible).join(" → ");
    return lab.note([names, lab.percent(share(map(at)[cell.row * cols() + cell.col]))], event.clientX, event.clientY);
  });
  layers.addEventListener("mousemove", (event) => {
    const cell = cellIn(layers, inLooks, event);
    if (!cell) return lab.unnote();
    const names = `${lab.say(value.names[cell.row])} → ${lab.visible(value.tokens[cell.col])}`;
    return lab.note([names, lab.percent(share(look(at)[cell.row * cols() + cell.col]))], event.clientX, event.clientY);
  });
  for (const canvas of [large, layers])
    canvas.addEventListener("mouseleave", () => {
      lab.unnote();
      linked?.point(null);
    });
  lab.sized(left, draw, tools);

  return (given) => {
    value = given?.steps?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    maps = lab.bytes(value.maps);
    looks = lab.bytes(value.looks);
    shades = lab.heatmap.ramp();
    from.textContent = lab.word("components.moments.from", {
      token: `“${lab.visible(value.lookers[value.looker] ?? "")}”`,
    });
    scrub.max = steps().length - 1;
    buttons = steps().map((step, n) => {
      const image = lab.heatmap.image(map(n), rows(), cols(), shades),
        thumb = lab.el("canvas", { width: cols(), height: rows() });
      thumb.getContext("2d").putImageData(image, 0, 0);
      const count = step.toLocaleString(lab.locale);
      return lab.el(
        "button",
        { type: "button", title: named(step), onclick: () => player.jump(n) },
        thumb,
        lab.el("span", {}, count),
      );
    });
    strip.replaceChildren(...buttons);
    const asked = view.value === "" ? -1 : steps().indexOf(Number(view.value));
    if (view.value !== "" && asked < 0) view.refuse();
    if (value.group && group !== value.group) {
      group = value.group;
      linked = lab.linked(
        group,
        (now) => {
          pointed = now;
          draw();
        },
        tools,
      );
    }
    show(asked < 0 ? steps().length - 1 : asked);
  };
});
