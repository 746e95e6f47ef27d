// How an exercise is put together: chips travel from lane to lane, frame by frame.
window.lab.component("assembly", (element, tools) => {
  const lab = window.lab;
  const PACE = 1700,
    FLIGHT = 520;
  let value = null,
    parts = null,
    chips = new Map(),
    at = 0,
    timer = 0,
    drawn = "";
  const view = lab.view("step"); // as people count: from 1

  // The objective's settings with the share that was clicked.
  lab.withShare = (name, knobs) => {
    const { of, values } = JSON.parse(knobs),
      { share } = lab.fired;
    return JSON.stringify({ of: name, values: { ...(of === name ? values : {}), share } });
  };

  function make() {
    const body = tools.card();
    const button = (key, sign, act) =>
      lab.el(
        "button",
        {
          type: "button",
          class: "plain",
          "data-act": key,
          title: lab.word("desks.assembly." + key),
          "aria-label": lab.word("desks.assembly." + key),
          onclick: act,
        },
        sign,
      );
    const play = lab.el("button", { type: "button", class: "plain play", onclick: () => (timer ? stop() : start()) });
    const caption = lab.el("p", { class: "caption", "aria-live": "polite" }),
      reading = lab.el("output", { class: "reading" });
    const lanes = lab.el("div", {
      class: "lanes lab-token_strip",
      tabindex: 0,
      role: "group",
      "aria-label": lab.word("desks.assembly.title"),
    });
    const rates = lab.el("div", { class: "controls rates" });
    const full = lab.el(
      "div",
      {},
      lab.el(
        "div",
        { class: "controls" },
        button("reset", "❘◀", () => turn(0)),
        button("back", "◀", () => turn(at - 1)),
        play,
        button("step", "▶❘", () => turn(next())),
        reading,
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "data-act": "roll",
            onclick: () => tools.fire("roll", { seed: value.seed + 1 }),
          },
          lab.word("desks.roll"),
        ),
      ),
      rates,
      caption,
      lanes,
    );
    const note = lab.el("p", { class: "desk-note" }),
      empty = lab.el("div", { class: "empty" });
    full.append(note);
    lanes.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      event.preventDefault();
      turn(event.key === "ArrowRight" ? next() : at - 1);
    });
    body.append(lab.el("p", { class: "desk-lead" }, lab.word("desks.assembly.lead")), full, empty);
    return { play, caption, reading, lanes, rates, note, full, empty };
  }

  function chip(number) {
    if (!chips.has(number)) {
      const { text, special } = value.chips[number];
      chips.set(
        number,
        lab.el(
          "span",
          { class: "chip " + (special ? "special" : "original") },
          lab.el("span", {}, lab.visible(text)),
          lab.el("small", {}),
        ),
      );
    }
    return chips.get(number);
  }

  function show(wanted, fly = true) {
    at = Math.max(0, Math.min(value.frames.length - 1, wanted));
    const frame = value.frames[at],
      lit = new Set(frame.lit),
      moves = fly && !lab.calm();
    const before = new Map(
      moves
        ? [...chips]
            .filter(([, node]) => node.isConnected)
            .map(([number, node]) => [number, node.getBoundingClientRect()])
        : [],
    );
    parts.lanes.replaceChildren(
      ...frame.lanes.map((lane) =>
        lab.el(
          "div",
          { class: "strip" },
          lab.el(
            "div",
            { class: "row-label" },
            lab.say(lane.name),
            " ",
            lab.el("span", { class: "n" }, lane.chips.length || ""),
          ),
          lab.el(
            "div",
            { class: "chips" },
            lane.chips.length ? lane.chips.map(chip) : lab.el("span", { class: "nothing" }, "…"),
          ),
        ),
      ),
    );
    for (const [number, node] of chips) {
      const special = value.chips[number].special;
      node.className = "chip " + (lit.has(number) ? "masked" : special ? "special" : "original");
      node.lastChild.textContent = (frame.places?.[number] || []).join(" · ");
    }
    parts.lanes.classList.toggle("numbered", !!frame.places);
    if (moves) for (const [number, node] of chips) if (node.isConnected) travel(node, before.get(number));
    parts.caption.textContent = lab.say(frame.caption);
    parts.reading.textContent = lab.word("desks.assembly.of", { n: at + 1, all: value.frames.length });
  }
  function travel(node, from) {
    const to = node.getBoundingClientRect(),
      timing = { duration: FLIGHT, easing: "cubic-bezier(.3,.7,.2,1)" };
    if (!from)
      node.animate(
        [
          { opacity: 0, transform: "scale(.4)" },
          { opacity: 1, transform: "none" },
        ],
        timing,
      );
    else if (from.left !== to.left || from.top !== to.top)
      node.animate(
        [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)` }, { transform: "none" }],
        timing,
      );
  }

  const next = () => (at >= value.frames.length - 1 ? 0 : at + 1);
  function turn(wanted) {
    stop();
    show(wanted);
    view.set(String(at + 1));
  }
  function start() {
    show(next());
    timer = setInterval(() => {
      if (!element.isConnected || at >= value.frames.length - 1) {
        stop();
        return;
      }
      show(at + 1);
      if (at >= value.frames.length - 1) stop();
    }, PACE);
    name();
  }
  function stop() {
    if (timer) view.set(String(at + 1));
    clearInterval(timer);
    timer = 0;
    name();
  }
  function name() {
    if (parts)
      parts.play.textContent = (timer ? "❚❚ " : "▶ ") + lab.word(timer ? "components.pause" : "components.play");
  }
  tools.onLeave(stop);

  return (given) => {
    value = given;
    if (!given) {
      stop();
      element.replaceChildren();
      parts = null;
      drawn = "";
      return;
    }
    const first = !parts,
      asked = Number(view.value);
    parts ||= make();
    parts.full.hidden = !given.frames;
    parts.empty.hidden = !!given.frames;
    parts.empty.textContent = lab.say(given.empty);
    if (!given.frames) {
      stop();
      drawn = "";
      return;
    }
    const now = JSON.stringify([given.chips, given.frames]);
    if (now === drawn) return; // only the shade has changed
    drawn = now;
    stop();
    chips = new Map();
    parts.rates.replaceChildren(
      lab.el("span", { class: "reading" }, lab.word("desks.assembly.rate")),
      ...given.rates.map((share) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(share === given.share),
            onclick: () => tools.fire("amount", { share }),
          },
          lab.percent(share),
        ),
      ),
    );
    parts.note.textContent = given.note.map(lab.say).join(lab.language === "zh" ? "" : " ");
    show(first && asked >= 1 ? asked - 1 : given.frames.length - 1, false); // the finished exercise first
    if (first && view.value && !(asked === at + 1)) view.refuse();
    else if (!first) view.set("");
  };
});
