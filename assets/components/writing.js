// A text that a model writes: coloured by surprise, taken back and continued elsewhere at a click.
window.lab.component("writing", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const stage = lab.el("div", {
    class: "stage",
    dir: "auto",
    role: "group",
    "aria-label": lab.word("generate.text"),
  });
  const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
  const aside = lab.el("div", { class: "alternatives" });
  const mean = lab.el("span", { class: "mean" });
  const button = (key, onclick, primary) =>
    lab.el("button", { type: "button", class: primary ? "plain main" : "plain", onclick }, lab.word(key));
  const step = button("generate.step", () => {
    pause();
    more(1);
  });
  const play = button("generate.play", () => (playing ? pause() : start(false)), true);
  const fast = button("generate.fast", () => start(true));
  const restart = button("generate.restart", () => {
    pause();
    forsake();
    tokens = [];
    open = -1;
    ended = false;
    lab.nextToken.forget();
    more(0);
  });
  const reroll = button("generate.reroll", () => {
    pause();
    tools.fire("reroll");
  });
  const legend = lab.surprise.legend((chosen) => {
    way = chosen;
    draw();
  });
  body.append(
    stage,
    lab.el("div", { class: "controls" }, play, step, fast, restart, reroll, mean),
    legend.node,
    aside,
    live,
  );

  let way = legend.way,
    tokens = [],
    prompt = "",
    number = 0,
    playing = false,
    ended = false,
    open = -1,
    limit = 0,
    even = null,
    waiting = 0;
  // Of a branch that is returned to: the ids still to be asked about, and whether the visitor chose the one at a place.
  const AT_ONCE = 64; // tokens that one request may be about
  let owed = [],
    chosen = null;
  // At full speed each request asks for as many tokens as come within about half a second.
  const SHORT = 300,
    LONG = 700; // milliseconds
  let hurries = false,
    chunk = 1,
    asked = 0,
    came = 0, // tokens at full speed, and the milliseconds that they took
    took = 0;

  function more(count) {
    asked = performance.now();
    tools.fire("step", { count });
  }
  function start(quickly) {
    hurries = quickly;
    chunk = 1;
    came = took = 0;
    if (ended || tokens.length >= limit) {
      forsake();
      tokens = [];
      ended = false;
    }
    playing = true;
    face();
    more(1);
  }
  function pause() {
    playing = false;
    clearTimeout(waiting);
    face();
  }
  function face() {
    play.textContent = lab.word(playing ? "generate.pause" : "generate.play");
    play.setAttribute("aria-pressed", String(playing));
    fast.disabled = playing;
    step.disabled = ended || (limit > 0 && tokens.length >= limit);
    restart.disabled = !tokens.length;
  }

  lab.writing = {
    ask: (count = 0, doubt = false) =>
      JSON.stringify({
        doubt,
        ids: tokens.map((token) => token.id),
        have: tokens.filter((token) => token.p !== undefined).length,
        count,
        number: ++number,
        picked: tokens.some((token) => token.picked || token.p === undefined),
        paints: count === 0 && lab.nextToken.paints(),
        logits: !playing,
        knows: lab.nextToken.of,
      }),
    restart(count = 0, doubt = false) {
      playing = false;
      forsake();
      tokens = [];
      open = -1;
      ended = false;
      lab.nextToken.forget();
      return this.ask(count, doubt);
    },
    // The first text of a page that opens, unless the visitor has asked for another already.
    begin(count) {
      return tokens.length ? this.ask() : this.restart(count, true);
    },
    again() {
      const count = Math.max(1, Math.min(64, tokens.length || 24));
      return this.restart(count);
    },
    pick(id, place = tokens.length, count = 0) {
      forsake();
      lab.nextToken.forget();
      tokens.length = Math.min(place, tokens.length);
      tokens.push({ id: Number(id), text: "…", bytes: "" });
      open = -1;
      ended = false;
      return this.ask(count);
    },
    // The text so far, and one in its place, of which the first tokens may be the same.
    get text() {
      return [...tokens, ...owed];
    },
    goTo(ids, picked) {
      pause();
      forsake();
      const same = lab.writing.shared(ids);
      tokens.length = same;
      owed = ids.slice(same).map((id) => ({ id, text: "…", bytes: "" }));
      chosen = { from: same, picked: new Set(picked) };
      open = -1;
      ended = false;
      lab.nextToken.forget();
      draw();
      owe();
    },
    // How many of the ids the text begins with.
    shared(ids) {
      const other = ids.findIndex((id, at) => tokens[at]?.id !== id || tokens[at].p === undefined);
      return other < 0 ? ids.length : other;
    },
    requested: () => lab.fired.request ?? lab.writing.ask(lab.fired.count),
  };

  function owe() {
    tokens.push(...owed.splice(0, AT_ONCE));
    tools.fire("step", { request: lab.writing.ask(0) });
  }
  function forsake() {
    owed = [];
    chosen = null;
    came = took = 0;
  }
  function from(place, id) {
    const goes = playing;
    lab.branches.leave();
    tools.fire("step", { request: lab.writing.pick(id, place, goes ? 1 : 12) });
  }
  function alternatives() {
    const token = tokens[open];
    aside.hidden = !token?.top;
    stage.querySelectorAll(".token").forEach((node) => node.classList.toggle("open", Number(node.dataset.at) === open));
    if (aside.hidden) return;
    const most = Math.max(...token.top.map(([, , p]) => p), token.p);
    const known = token.top.some(([id]) => id === token.id)
      ? token.top
      : [...token.top, [token.id, token.text, token.p]];
    aside.replaceChildren(
      lab.el("div", { class: "aside-name" }, lab.word("generate.alternatives", { n: open + 1 })),
      ...known.map(([id, text, p]) => {
        const fill = lab.el("span", { class: "fill" });
        fill.style.width = `${(100 * p) / most}%`;
        return lab.el(
          "button",
          {
            type: "button",
            class: id === token.id ? "other taken" : "other",
            disabled: id === token.id,
            onclick: () => from(open, id),
          },
          lab.el("span", { class: "name" }, lab.visible(text)),
          lab.el("span", { class: "track" }, fill),
          lab.el("span", { class: "number" }, lab.percent(p)),
        );
      }),
      lab.el("div", { class: "note" }, lab.word("generate.alternatives.note")),
    );
  }

  function draw() {
    const node = (token, at) =>
      lab.el("span", {
        "data-at": at,
        role: "button",
        tabindex: 0,
        class: token.picked ? "picked" : "",
      });
    stage.replaceChildren(
      lab.el("span", { class: "prompt" }, prompt || lab.word("generate.begin")),
      ...lab.surprise.spans(
        tokens.filter((token) => token.p !== undefined),
        node,
        way,
      ),
      ended ? lab.el("span", { class: "end" }, lab.word("generate.end")) : "",
    );
    const told = tokens.filter((token) => token.p !== undefined);
    mean.textContent = told.length
      ? lab.word("generate.mean", {
          n: told.length,
          nats: lab.number(told.reduce((sum, token) => sum + lab.surprise.nats(token.p), 0) / told.length, 3),
          even: lab.number(even, 3),
        }) + (took ? " · " + lab.word("generate.speed", { n: lab.number((1000 * came) / took, 3) }) : "")
      : "";
    alternatives();
    face();
    lab.branches.draw();
  }

  // A token of a branch: it may have been drawn with other numbers than those of today.
  function returned(token, at) {
    return { ...token, picked: chosen.picked.has(at), uniform: undefined };
  }

  function paced(count) {
    const wait = performance.now() - asked;
    came += count;
    took += wait;
    if (wait < SHORT) chunk = Math.min(64, 2 * chunk, Math.max(1, limit - tokens.length));
    else if (wait > LONG) chunk = Math.max(1, chunk >> 1);
  }

  // What else was likely in a token's place, told on hover.
  function instead(token) {
    const FEW = 3;
    const others = (token.top ?? []).filter(([id]) => id !== token.id).slice(0, FEW);
    const told = others.map(([, text, p]) => `${lab.visible(text)} ${lab.percent(p)}`);
    return told.length ? lab.word("generate.instead", { tokens: told.join(" · ") }) : "";
  }
  const tokenAt = (event) => event.target.closest?.(".token[data-at]");
  stage.addEventListener("mouseover", (event) => {
    const node = tokenAt(event);
    if (!node) {
      lab.unnote();
      return;
    }
    const box = node.getBoundingClientRect(),
      at = Number(node.dataset.at);
    lab.note([...lab.surprise.facts(tokens[at], at), instead(tokens[at])], box.left, box.bottom - 12);
  });
  stage.addEventListener("mouseleave", lab.unnote);
  const choose = (event) => {
    const node = tokenAt(event);
    if (!node) return;
    pause();
    open = open === Number(node.dataset.at) ? -1 : Number(node.dataset.at);
    alternatives();
  };
  stage.addEventListener("click", choose);
  stage.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(event);
  });
  tools.onLeave(() => {
    playing = false;
    clearTimeout(waiting);
  });

  return (value) => {
    if (!value || value.number < number) {
      draw();
      return;
    } // something newer was asked meanwhile
    number = value.number;
    ({ prompt, ended, limit, even } = value);
    tokens.length = Math.min(value.from, tokens.length);
    tokens.push(...value.tokens.map((token, at) => (chosen ? returned(token, value.from + at) : token)));
    if (owed.length) owe();
    else chosen = null;
    if (playing && hurries) paced(value.tokens.length);
    draw();
    if (value.tokens.length || !tokens.length) live.textContent = value.tokens.map((token) => token.text).join("");
    if (playing && (ended || tokens.length >= limit || !value.tokens.length)) pause();
    clearTimeout(waiting);
    if (playing) waiting = setTimeout(() => playing && more(hurries ? chunk : 1), hurries ? 0 : 90);
  };
});
