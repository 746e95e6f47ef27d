// Every objective's exercise on one text. A token lights up in every row; a row can be opened.
window.lab.component("board", (element, tools) => {
  const lab = window.lab;
  const KINDS = { o: "original", m: "masked", r: "replaced", k: "kept", s: "special", u: "unknown", p: "part", a: "asked" };
  const body = tools.card(), list = lab.el("div", { class: "rows" }), hint = lab.el("p", { class: "hint" }, lab.word("board.hint"));
  body.append(list, hint);
  let value = null, chips = new Map(), lit = [], chosen = "";

  function strip(given) {
    const nodes = given.text.map((number, i) => {
      const kind = KINDS[given.kind[i]], from = given.from[i], text = value.texts[number], below = given.below?.[i] ?? -1;
      const node = lab.el("span", { class: "chip " + kind, "data-from": from, "data-text": number, "data-below": below },
        text === "" ? "∅" : lab.visible(text));
      if (text && !text.trim()) node.classList.add("blank");
      const whole = given.below ? lab.el("span", { class: "stack" }, node, lab.el("span", { class: "below" }, below < 0 ? "" : lab.visible(value.texts[below]))) : node;
      if (from >= 0) chips.set(from, [...(chips.get(from) || []), node]);
      return whole;
    });
    return lab.el("div", { class: "strip" }, given.label ? lab.el("span", { class: "strip-label" }, lab.say(given.label)) : null,
      lab.el("div", { class: "chips" }, nodes, given.more > 0 ? lab.el("span", { class: "more" }, lab.word("board.more", { n: given.more })) : null));
  }
  function sight({ n, bits }) {
    const bytes = lab.bytes(bits), canvas = lab.el("canvas", { width: n, height: n, role: "img", "aria-label": lab.word("board.sight"), title: lab.word("board.sight") });
    const pen = canvas.getContext("2d");
    pen.fillStyle = lab.colour("accent");
    for (let i = 0; i < n * n; i++) if (bytes[i >> 3] & (128 >> (i & 7))) pen.fillRect(i % n, Math.floor(i / n), 1, 1);
    return canvas;
  }
  function row(given) {
    const title = lab.say(given.title);
    const open = lab.el("button", { type: "button", class: "open", "aria-label": lab.word("board.open", { title }), onclick: (event) => { event.stopPropagation(); pick(given.name); } }, title);
    const node = lab.el("div", { class: "row-of", "data-name": given.name, onclick: () => pick(given.name) },
      lab.el("div", { class: "head" }, sight(given.sight), lab.el("div", {}, open, given.note ? lab.el("div", { class: "answer" }, lab.say(given.note)) : null)),
      lab.el("div", { class: "strips" }, given.strips.map(strip)));
    return node;
  }
  function pick(name) {
    if (getSelection()?.toString()) return; // somebody marks text to copy it
    mark(name);
    tools.fire("pick", { name });
  }
  function mark(name) {
    chosen = name;
    for (const node of list.querySelectorAll(".row-of")) {
      node.classList.toggle("chosen", node.dataset.name === name);
      node.querySelector(".open").setAttribute("aria-pressed", String(node.dataset.name === name));
    }
  }

  function light(from) {
    for (const node of lit) node.classList.remove("on");
    lit = chips.get(from) || [];
    for (const node of lit) node.classList.add("on");
  }
  list.addEventListener("mouseover", (event) => {
    const node = event.target.closest(".chip");
    light(node ? Number(node.dataset.from) : -1);
    if (!node) { lab.unnote(); return; }
    const kind = [...node.classList].find((each) => each !== "chip" && each !== "original" && each !== "on" && each !== "blank"), below = Number(node.dataset.below);
    const box = node.getBoundingClientRect();
    lab.note([`“${lab.visible(value.texts[Number(node.dataset.text)])}”`, kind ? lab.word("components.kind." + kind) : "",
      below >= 0 ? lab.word("board.asked", { text: lab.visible(value.texts[below]) }) : ""], box.left + box.width / 2 - 14, box.bottom - 10);
  });
  list.addEventListener("mouseleave", () => { light(-1); lab.unnote(); });

  return (given) => {
    value = given;
    chips = new Map(); lit = [];
    const groups = given?.groups || [];
    hint.hidden = !groups.length;
    if (!groups.length) { list.replaceChildren(lab.el("div", { class: "empty" }, lab.say(given?.empty) || "")); return; }
    list.replaceChildren(...groups.map((group) => lab.el("section", {}, lab.el("h3", {}, lab.say(group.title)), group.rows.map(row))));
    mark(given.chosen ?? chosen);
  };
});
