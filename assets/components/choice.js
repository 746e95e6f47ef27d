// One of several cards, or some of them. Those that do not fit what is chosen elsewhere are grey, cannot be chosen and
// say why; those that mean nothing there are not shown.
(() => {
  const lab = window.lab;
  const made = new Map(),
    listeners = new Map(); // by topic: what is chosen, who wants to know
  function tell(topic, name) {
    if (made.get(topic) === name) return;
    made.set(topic, name);
    (listeners.get(topic) || []).forEach((listener) => listener());
  }

  lab.component("choice", (element, tools) => {
    const options = JSON.parse(tools.given("options") || "[]"),
      topic = tools.given("topic"),
      many = tools.given("many") === true;
    const after = JSON.parse(tools.given("after") || "[]");
    const body = tools.card();
    const title = element.querySelector(".card-title");
    title.id = "choice-" + Math.random().toString(36).slice(2);
    const note = lab.el("p", { class: "chosen-note", "aria-live": "polite" }),
      why = lab.el("ul", { class: "why" });
    const summary = lab.el("summary"),
      folded = lab.el("details", { class: "folded" }, summary, why);
    const cards = options.map((option) => {
      const mark = option.mark ? lab.el("span", { class: "mark" }, lab.say(option.mark)) : null;
      const node = lab.el(
        "button",
        { type: "button", role: many ? "checkbox" : "radio", onclick: (event) => pick(option, event) },
        lab.el("span", { class: "name" }, lab.say(option.title)),
        mark,
      );
      node.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (!way) return;
        event.preventDefault();
        step(options.indexOf(option), way);
      });
      return { option, node };
    });
    // Cards of one group stand together under its name.
    const groups = new Map();
    for (const { option, node } of cards) {
      const name = lab.say(option.group);
      if (!groups.has(name))
        groups.set(name, lab.el("div", { class: "cards" }, name ? lab.el("span", { class: "group" }, name) : null));
      groups.get(name).append(node);
    }
    const group = lab.el("div", { role: many ? "group" : "radiogroup", "aria-labelledby": title.id }, [
      ...groups.values(),
    ]);
    const picked = lab.el("span", { class: "picked" });
    const fold = tools.given("folded") ? unfolding([group, note, folded]) : null;
    body.append(...(fold ? [fold] : [group, note, folded]));
    let chosen = "";

    // The cards over what stands below, until one is clicked, or something else, or Escape pressed.
    function unfolding(cards) {
      const fold = lab.el(
        "details",
        { class: "pick" },
        lab.el("summary", {}, picked),
        lab.el("div", { class: "panel" }, cards),
      );
      const elsewhere = (event) => {
        if (!fold.contains(event.target)) fold.open = false;
      };
      document.addEventListener("pointerdown", elsewhere);
      tools.onLeave(() => document.removeEventListener("pointerdown", elsewhere));
      fold.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !fold.open) return;
        fold.open = false;
        fold.querySelector("summary").focus();
      });
      return fold;
    }

    const picks = () => (many ? chosen.split("*").filter(Boolean) : [chosen]);
    const refusal = (option) => after.map((other) => option.refused?.[made.get(other)]).find(Boolean);
    const foreign = (option) => !!option.only && !after.some((other) => option.only.includes(made.get(other)));
    const closed = (option) => refusal(option) || foreign(option);
    // Of many, a click adds or takes away; one stays. They are named in their order, not in that of the clicks.
    function toggled(name) {
      const others = picks().filter((each) => each !== name);
      const wanted = others.length === picks().length ? [...others, name] : others.length ? others : [name];
      return options.filter((option) => wanted.includes(option.name)).map((option) => option.name);
    }
    function choose(option) {
      if (closed(option)) return;
      chosen = many ? toggled(option.name).join("*") : option.name;
      tools.keep(chosen);
      show();
    }
    function pick(option, event) {
      choose(option);
      if (fold && event.detail && chosen === option.name) fold.open = false; // the keyboard walks on
    }
    function step(from, way) {
      for (let i = 1; i <= options.length; i++) {
        const next = (from + way * i + options.length * i) % options.length;
        if (closed(options[next])) continue;
        if (!many) choose(options[next]);
        cards[next].node.focus();
        return;
      }
    }
    // Of many, each note says of which it is.
    const named = ({ title, note }) =>
      lab.word("components.named", { name: title, note: lab.say(note).replace(/^[A-Z](?=[a-z]* )/, lower) });
    const lower = (letter) => letter.toLowerCase();
    function show() {
      const refused = [];
      for (const { option, node } of cards) {
        const reason = refusal(option),
          on = picks().includes(option.name);
        node.hidden = foreign(option);
        node.setAttribute("aria-checked", String(on));
        node.setAttribute("aria-disabled", String(!!reason));
        node.tabIndex = on ? 0 : -1;
        node.title = reason ? lab.say(reason) : "";
        if (reason) refused.push(lab.say(reason));
      }
      const open = cards.filter(({ node }) => !node.hidden);
      if (!open.some(({ node }) => node.tabIndex === 0) && open.length) open[0].node.tabIndex = 0;
      const shown = options.filter((each) => picks().includes(each.name));
      const noted = shown.filter((option) => option.note),
        notes = shown.length > 1 ? noted.map(named) : noted.map((option) => lab.say(option.note));
      note.textContent = notes.join(lab.language === "zh" ? "" : " ");
      picked.textContent = shown.map((option) => lab.say(option.title)).join(" · ");
      note.hidden = !note.textContent;
      const reasons = [...new Set(refused)];
      why.replaceChildren(...reasons.map((reason) => lab.el("li", {}, reason)));
      summary.textContent = lab.word("components.refused", { n: refused.length });
      folded.hidden = !reasons.length;
      if (topic) tell(topic, chosen);
    }
    // What was chosen no longer fits: the first option that does takes its place.
    function settle() {
      const option = options.find((each) => each.name === chosen);
      if (option && closed(option)) {
        const other = options.find((each) => !closed(each));
        if (other) {
          chosen = other.name;
          tools.keep(chosen);
        }
      }
      element.classList.toggle("without", options.length > 0 && options.every(foreign));
      show();
    }
    for (const other of after) {
      const known = listeners.get(other) || new Set();
      listeners.set(other, known.add(settle));
      tools.onLeave(() => known.delete(settle));
    }

    return (value) => {
      chosen = typeof value === "string" ? value : "";
      settle();
    };
  });
})();
