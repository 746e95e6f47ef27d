// A recorded run, played: the curve grows while the guesses for a pinned sentence change.
window.lab.component("replay", (element, tools) => {
  const lab = window.lab;
  const SECONDS = 12;
  const body = tools.card();
  const pinned = lab.el("p", { class: "pinned" });
  const chart = lab.el("div", { class: "chart" });
  const play = lab.el("button", {
    type: "button",
    class: "plain main play",
    onclick: () => (playing ? stop() : start()),
  });
  const scrub = lab.el("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": lab.word("components.scrub"),
    oninput: () => {
      stop();
      show(Number(scrub.value));
    },
  });
  const reading = lab.el("output", { class: "reading" });
  body.append(pinned, chart, lab.el("div", { class: "controls" }, play, scrub, reading));
  const paint = lab.plot(chart, tools);

  let value = null,
    steps = [],
    at = 0,
    playing = 0,
    gaps = [],
    shown = "";

  function pin() {
    gaps = [];
    pinned.replaceChildren(
      ...(value.sentence || []).map((piece) => {
        if (typeof piece === "string") return lab.el("span", { class: "word" }, piece);
        const guess = lab.el("span", { class: "guess" }),
          sign = lab.el("span", { class: "sign", "aria-hidden": "true" }),
          share = lab.el("span", { class: "share" });
        const gap = lab.el("span", { class: "gap" }, sign, guess, share);
        gaps.push({ gap, guess, sign, share, answer: piece.answer ?? null });
        return gap;
      }),
    );
  }
  function fill(guesses) {
    gaps.forEach(({ gap, guess, sign, share, answer }, i) => {
      const [text, chance] = [].concat(guesses?.[i] ?? [""]);
      const right = answer !== null && String(text).trim() === String(answer).trim();
      guess.textContent = String(text).trim() ? lab.visible(String(text).trim()) : "␣";
      sign.textContent = answer === null ? "" : right ? "✓" : "✗";
      share.textContent = typeof chance === "number" ? lab.percent(chance) : "";
      gap.className = "gap " + (answer === null ? "" : right ? "predicted" : "wrong");
    });
  }
  function show(i) {
    at = Math.max(0, Math.min(steps.length - 1, i));
    const step = steps[at];
    if (!step) return;
    scrub.value = at;
    const xs = steps.map((s) => s.step),
      ys = steps.map((s) => s.loss);
    paint({
      x: value.x,
      y: value.y,
      baselines: value.baselines,
      logx: value.logx,
      height: value.height || 250,
      until: xs[xs.length - 1],
      series: [
        { name: value.name || "", x: xs, y: ys, ghost: true, colour: "predicted", dash: "" },
        { name: value.name || "", x: xs.slice(0, at + 1), y: ys.slice(0, at + 1), colour: "predicted", dash: "" },
      ],
    });
    fill(step.guesses);
    reading.textContent = [
      lab.word("components.step", { n: step.step.toLocaleString(lab.locale) }),
      lab.word("components.loss", { n: step.loss.toFixed(2) }),
    ].join(" · ");
  }

  function start() {
    if (at >= steps.length - 1) show(0);
    const began = performance.now(),
      from = at,
      pace = (1000 * SECONDS) / Math.max(1, steps.length);
    const tick = (now) => {
      if (!playing || !element.isConnected) return;
      const next = from + Math.floor((now - began) / pace);
      if (next !== at) show(next);
      if (at >= steps.length - 1) stop();
      else playing = requestAnimationFrame(tick);
    };
    playing = requestAnimationFrame(tick);
    name();
  }
  function stop() {
    cancelAnimationFrame(playing);
    playing = 0;
    name();
  }
  function name() {
    play.textContent = (playing ? "❚❚ " : "▶ ") + lab.word(playing ? "components.pause" : "components.play");
  }
  tools.onLeave(stop);

  return (given) => {
    value = given;
    steps = given?.steps || [];
    body.hidden = !steps.length;
    if (!steps.length) return;
    const now = JSON.stringify([steps.length, steps[0], given.sentence]);
    if (now === shown) {
      show(at);
      return;
    } // only the shade has changed
    shown = now;
    stop(); // names the button too
    scrub.max = steps.length - 1;
    pin();
    show(steps.length - 1); // a finished result first
    if (given.autoplay && !lab.calm()) {
      show(0);
      start();
    }
  };
});
