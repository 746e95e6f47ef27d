// A text that a model writes: coloured by surprise, taken back and continued elsewhere at a click.
(() => {
  "use strict";
  const lab = window.lab;

  // How surprising a token was, by the probability that the model gave it.
  const LEVELS = [0.5, 0.1, 0.01, 0.001];
  const level = (p) => LEVELS.filter((edge) => p < edge).length;
  const nats = (p) => -Math.log(Math.max(p, 1e-12));
  const hex = (text) => Uint8Array.from((text || "").match(/../g) || [], (pair) => parseInt(pair, 16));

  // A character may be spread over several tokens: it stands in the first of them, the others are slivers.
  function whole(tokens) {
    const texts = tokens.map((token) => token.text);
    for (let i = 0; i < tokens.length; i++) {
      if (!texts[i].includes("\ufffd")) continue;
      const bytes = [];
      for (let j = i; j < Math.min(tokens.length, i + 4) && tokens[j].bytes; j++) {
        bytes.push(...hex(tokens[j].bytes));
        try {
          texts[i] = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
          for (let k = i + 1; k <= j; k++) texts[k] = null;
          i = j;
          break;
        } catch { /* not whole yet */ }
      }
      if (texts[i]?.includes("\ufffd")) texts[i] = (tokens[i].bytes.match(/../g) || []).map((pair) => `‹${pair.toUpperCase()}›`).join("");
    }
    return texts;
  }
  const spans = (tokens, make) => whole(tokens).map((text, i) => {
    const node = make(tokens[i], i);
    node.classList.add("token", "s" + level(tokens[i].p));
    if (text === null) {
      node.classList.add("sliver");
      if (node.matches("[role]")) node.setAttribute("aria-label", tokens[i].bytes || "…"); // nothing to read stands in it
    }
    else node.textContent = text.replace(/\n/g, "↵\n");
    return node;
  });
  const legend = () => lab.el("div", { class: "surprise" }, lab.el("span", {}, lab.word("generate.surprise")),
    [["s0", "> 50 %"], ["s1", "> 10 %"], ["s2", "> 1 %"], ["s3", "> 0.1 %"], ["s4", "≤ 0.1 %"]].map(([name, text]) =>
      lab.el("span", { class: "token " + name }, text)));
  const facts = (token, at) => [lab.visible(token.text), lab.word("generate.fact.p", { p: lab.percent(token.p), nats: lab.number(nats(token.p), 3) }),
    token.picked ? lab.word("generate.fact.picked") : token.luck === undefined ? "" : lab.word("generate.fact.luck", { n: at + 1, luck: token.luck.toFixed(3) })];

  lab.component("writing", (element, tools) => {
    const body = tools.card();
    const stage = lab.el("div", { class: "stage", dir: "auto", role: "group", "aria-label": lab.word("generate.text") });
    const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
    const aside = lab.el("div", { class: "alternatives" });
    const mean = lab.el("span", { class: "mean" });
    const button = (key, onclick, primary) => lab.el("button", { type: "button", class: primary ? "plain main" : "plain", onclick }, lab.word(key));
    const step = button("generate.step", () => { pause(); more(1); });
    const play = button("generate.play", () => (playing ? pause() : start()), true);
    const restart = button("generate.restart", () => { pause(); tokens = []; open = -1; ended = false; more(0); });
    const reroll = button("generate.reroll", () => { pause(); tools.fire("reroll"); });
    body.append(stage, lab.el("div", { class: "controls" }, play, step, restart, reroll, mean), legend(), aside, live);

    let tokens = [], prompt = "", number = 0, playing = false, ended = false, open = -1, limit = 0, even = null, waiting = 0;

    function more(count) { tools.fire("step", { count }); }
    function start() { if (ended || tokens.length >= limit) { tokens = []; ended = false; } playing = true; face(); more(1); }
    function pause() { playing = false; clearTimeout(waiting); face(); }
    function face() {
      play.textContent = lab.word(playing ? "generate.pause" : "generate.play");
      play.setAttribute("aria-pressed", String(playing));
      step.disabled = ended || (limit > 0 && tokens.length >= limit);
      restart.disabled = !tokens.length;
    }

    lab.writing = {
      ask: (count = 0, doubt = false) => JSON.stringify({ doubt, ids: tokens.map((token) => token.id), have: tokens.filter((token) => token.p !== undefined).length, count, number: ++number }),
      restart(count = 0, doubt = false) { playing = false; tokens = []; open = -1; ended = false; return this.ask(count, doubt); },
      again() { const count = Math.max(1, Math.min(64, tokens.length || 24)); return this.restart(count); },
      pick(id, place = tokens.length, count = 0) {
        tokens.length = Math.min(place, tokens.length);
        tokens.push({ id: Number(id), text: "…", bytes: "" });
        open = -1; ended = false;
        return this.ask(count);
      },
      requested: () => lab.fired.request ?? lab.writing.ask(lab.fired.count),
    };

    function from(place, id) {
      const goes = playing;
      tools.fire("step", { request: lab.writing.pick(id, place, goes ? 1 : 12) });
    }
    function alternatives() {
      const token = tokens[open];
      aside.hidden = !token?.top;
      stage.querySelectorAll(".token").forEach((node) => node.classList.toggle("open", Number(node.dataset.at) === open));
      if (aside.hidden) return;
      const most = Math.max(...token.top.map(([, , p]) => p), token.p);
      const known = token.top.some(([id]) => id === token.id) ? token.top : [...token.top, [token.id, token.text, token.p]];
      aside.replaceChildren(lab.el("div", { class: "aside-name" }, lab.word("generate.alternatives", { n: open + 1 })),
        ...known.map(([id, text, p]) => {
          const fill = lab.el("span", { class: "fill" });
          fill.style.width = `${(100 * p) / most}%`;
          return lab.el("button", { type: "button", class: id === token.id ? "other taken" : "other", disabled: id === token.id,
            onclick: () => from(open, id) },
            lab.el("span", { class: "name" }, lab.visible(text)), lab.el("span", { class: "track" }, fill), lab.el("span", { class: "number" }, lab.percent(p)));
        }), lab.el("div", { class: "note" }, lab.word("generate.alternatives.note")));
    }

    function draw() {
      const node = (token, at) => lab.el("span", { "data-at": at, role: "button", tabindex: 0, class: token.picked ? "picked" : "" });
      stage.replaceChildren(lab.el("span", { class: "prompt" }, prompt || lab.word("generate.begin")), ...spans(tokens.filter((token) => token.p !== undefined), node),
        ended ? lab.el("span", { class: "end" }, lab.word("generate.end")) : "");
      const told = tokens.filter((token) => token.p !== undefined);
      mean.textContent = told.length ? lab.word("generate.mean", { n: told.length, nats: lab.number(told.reduce((sum, token) => sum + nats(token.p), 0) / told.length, 3), even: lab.number(even, 3) }) : "";
      alternatives();
      face();
    }

    const tokenAt = (event) => event.target.closest?.(".token[data-at]");
    stage.addEventListener("mouseover", (event) => {
      const node = tokenAt(event);
      if (!node) { lab.unnote(); return; }
      const box = node.getBoundingClientRect(), at = Number(node.dataset.at);
      lab.note(facts(tokens[at], at), box.left, box.bottom - 12);
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
    tools.onLeave(() => { playing = false; clearTimeout(waiting); });

    return (value) => {
      if (!value || value.number < number) { draw(); return; } // something newer was asked meanwhile
      number = value.number;
      ({ prompt, ended, limit, even } = value);
      tokens.length = Math.min(value.from, tokens.length);
      tokens.push(...value.tokens);
      draw();
      if (value.tokens.length) live.textContent = value.tokens.map((token) => token.text).join("");
      if (playing && (ended || tokens.length >= limit || !value.tokens.length)) pause();
      clearTimeout(waiting);
      if (playing) waiting = setTimeout(() => playing && more(1), 90);
    };
  });

  // ---- the draw: what may be drawn laid end to end, and where the number falls

  lab.component("luck", (element, tools) => {
    const body = tools.card();
    return (value) => {
      body.hidden = !value?.segments?.length;
      if (body.hidden) return;
      const line = lab.el("div", { class: "line", role: "img", "aria-label": lab.say(value.note) });
      value.segments.forEach(([text, share], i) => {
        const node = lab.el("span", { class: i === value.chosen ? "segment chosen" : "segment" }, share > 0.035 ? lab.visible(lab.say(text)) : "");
        node.style.flexGrow = share;
        node.addEventListener("mousemove", (event) => lab.note([lab.visible(lab.say(text)), lab.percent(share)], event.clientX, event.clientY));
        node.addEventListener("mouseleave", lab.unnote);
        line.append(node);
      });
      const mark = lab.el("div", { class: "mark" }, lab.el("span", {}, value.luck.toFixed(3)));
      mark.style.left = `${100 * value.luck}%`;
      mark.classList.toggle("late", value.luck > 0.9);
      mark.classList.toggle("early", value.luck < 0.1);
      body.replaceChildren(lab.el("div", { class: "strip" }, line, mark), lab.el("div", { class: "note" }, lab.say(value.note)));
    };
  });

  // ---- the same prompt and the same luck through each sampler

  lab.component("columns", (element, tools) => {
    const body = tools.card();
    return (value) => {
      const columns = value?.columns || [];
      if (!columns.length) { body.replaceChildren(lab.el("div", { class: "empty" }, lab.say(value?.empty))); return; }
      const first = columns[0].tokens;
      const texts = columns.map((column, c) => {
        let same = 0;
        while (c && same < first.length && column.tokens[same]?.text === first[same].text) same++;
        const nodes = spans(column.tokens, (token, at) => lab.el("span", { "data-at": at, class: c && at === same ? "parts" : "" }));
        return lab.el("section", {}, lab.el("h3", {}, lab.say(column.title)), lab.el("p", { class: "note" }, lab.say(column.note)),
          lab.el("p", { class: "stage", dir: "auto" }, lab.el("span", { class: "prompt" }, value.prompt || lab.word("generate.begin")), nodes.length ? nodes : lab.el("span", { class: "end" }, lab.word("generate.end"))));
      });
      body.replaceChildren(lab.el("div", { class: "columns" }, texts));
      const light = (at) => body.querySelectorAll(".token").forEach((node) => node.classList.toggle("on", at !== null && node.dataset.at === at));
      body.onmouseover = (event) => {
        const node = event.target.closest?.(".token");
        light(node ? node.dataset.at : null);
        if (!node) { lab.unnote(); return; }
        const column = [...body.querySelectorAll("section")].indexOf(node.closest("section")), at = Number(node.dataset.at);
        const box = node.getBoundingClientRect();
        lab.note(facts({ ...columns[column].tokens[at], luck: value.lucks[at] }, at), box.left, box.bottom - 12);
      };
      body.onmouseleave = () => { light(null); lab.unnote(); };
    };
  });

  // ---- gaps: the best guesses for each; one that is clicked takes the gap's place

  lab.component("gaps", (element, tools) => {
    const body = tools.card();
    lab.filled = (text) => {
      const { gap, text: guess } = lab.fired, parts = text.split("[MASK]");
      if (gap >= parts.length - 1) return text;
      const head = parts.slice(0, gap + 1).join("[MASK]"), tail = parts.slice(gap + 1).join("[MASK]");
      return (guess.startsWith(" ") && / $/.test(head) ? head.slice(0, -1) : head) + guess + tail;
    };
    return (value) => {
      const gaps = value?.gaps || [];
      body.replaceChildren(gaps.length ? lab.el("div", { class: "lists" }, gaps.map((guesses, gap) => lab.el("section", {},
        lab.el("h3", {}, lab.word("generate.gap", { n: gap + 1 })),
        lab.el("ol", {}, guesses.map(([text, p, begins]) => {
          const fill = lab.el("span", { class: "fill" });
          fill.style.width = `${(100 * p) / Math.max(...guesses.map((each) => each[1]), 0.25)}%`;
          return lab.el("li", {}, lab.el("button", { type: "button", class: "other", onclick: () => tools.fire("pick", { gap, text }) },
            lab.el("span", { class: "name" }, lab.guess(text, begins)), lab.el("span", { class: "track" }, fill), lab.el("span", { class: "number" }, lab.percent(p))));
        }))))) : lab.el("div", { class: "empty" }, lab.say(value?.empty) || lab.word("components.empty")),
      gaps.length ? lab.el("p", { class: "note" }, lab.word("generate.gap.note", { even: lab.percent(value.even) })) : "");
    };
  });
})();
