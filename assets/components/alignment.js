// Alignment: pointing at a word that was written shades the source by where the decoder looked when it wrote it.
window.lab.component("alignment", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const view = lab.view("looks"); // which layer: "" for the mean of all
  const ways = lab.radios(lab.word("components.looks.layers"), (i) => {
    view.set(i ? String(i) : "");
    paint();
  });
  const source = lab.el("div", { class: "chips source" });
  const written = lab.el("div", {
    class: "chips written",
    role: "listbox",
    "aria-label": lab.word("components.looks.written"),
  });
  const say = lab.el("output", { class: "reading", "aria-live": "polite" });
  const none = lab.el("div", { class: "empty" });
  const label = (word) => lab.el("div", { class: "row-label" }, lab.word(word));
  const whole = lab.el(
    "div",
    {},
    ways.node,
    label("components.looks.source"),
    source,
    label("components.looks.written"),
    written,
    say,
  );
  body.append(whole, none);
  let value = null,
    shares = null, // (1 + layers) * written * source bytes
    at = 0; // the word whose looks are drawn

  const layer = () => Math.min(value.layers, Number(view.value) || 0);
  const row = (word) => {
    const size = value.source.length;
    return shares.subarray((layer() * value.written.length + word) * size).subarray(0, size);
  };
  const byShare = (word) => [...row(word)].map((share, i) => [share / 255, i]).sort((a, b) => b[0] - a[0]);
  const spelt = ([text]) => lab.visible(text) || "∅";
  const quoted = (token) => `“${spelt(token)}”`;

  function paint() {
    ways.draw(
      [lab.word("components.looks.all"), ...Array.from({ length: value.layers }, (_, i) => String(i + 1))],
      layer(),
    );
    [...written.children].forEach((node, word) => {
      const [share, i] = byShare(word)[0];
      const most = [lab.el("span", {}, spelt(value.source[i])), lab.percent(share)];
      node.querySelector(":scope > small").replaceChildren(...most);
    });
    point(at);
  }
  function point(word) {
    at = word;
    const shown = row(word),
      most = Math.max(1, ...shown); // the darkest is where the word looked most
    [...source.children].forEach((node, i) => {
      node.style.setProperty("--dark", (shown[i] / most).toFixed(3));
      node.title = lab.percent(shown[i] / 255);
    });
    [...written.children].forEach((node, i) => {
      node.setAttribute("aria-selected", String(i === word));
      node.tabIndex = i === word ? 0 : -1;
    });
    say.textContent = lab.word("components.looks.reading", {
      token: quoted(value.written[word]),
      where: byShare(word)
        .slice(0, 4)
        .map(([share, i]) => `${quoted(value.source[i])} ${lab.percent(share)}`)
        .join(" · "),
    });
  }
  const wordOf = (node) => [...written.children].indexOf(node?.closest?.("[role=option]"));
  for (const event of ["mouseover", "focusin", "click"])
    written.addEventListener(event, ({ target }) => wordOf(target) >= 0 && point(wordOf(target)));
  written.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = written.children[at + step];
    if (!step || !next) return;
    event.preventDefault();
    next.focus();
  });

  function draw() {
    const chip = (token, attributes, ...more) =>
      lab.el("span", { ...attributes, class: token[1] ? "chip special" : "chip" }, lab.spelt(token[0] || "∅"), ...more);
    source.replaceChildren(...value.source.map((token) => chip(token, {})));
    written.replaceChildren(
      ...value.written.map((token) => lab.el("span", { role: "option" }, chip(token, {}), lab.el("small", {}))),
    );
    at = Math.min(at, value.written.length - 1);
  }

  return (given) => {
    value = given?.written?.length ? given : null;
    whole.hidden = !value;
    none.hidden = !!value;
    none.textContent = lab.say(given?.empty) || lab.word("components.empty");
    if (!value) return;
    shares = lab.bytes(value.data);
    if (view.value && !(Number(view.value) >= 1 && Number(view.value) <= value.layers)) view.set("");
    draw();
    paint();
  };
});
