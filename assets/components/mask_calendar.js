// Which words are asked in which epoch, twice. An epoch that is pointed at is written out below.
(() => {
  const lab = window.lab;
  const KINDS = { m: "masked", r: "replaced", k: "kept" };

  // Each kind has a shape besides its colour: a full cell, a diamond, a frame.
  function mark(pen, letter, x, y, w, h) {
    const colour = lab.colour(KINDS[letter]);
    pen.fillStyle = pen.strokeStyle = colour;
    if (letter === "m") {
      pen.beginPath();
      pen.roundRect(x, y, w, h, Math.min(3, w / 4));
      pen.fill();
    }
    if (letter === "k") {
      pen.lineWidth = Math.min(2, w / 4);
      pen.strokeRect(x + 1, y + 1, w - 2, h - 2);
    }
    if (letter !== "r") return;
    pen.beginPath();
    pen.moveTo(x + w / 2, y);
    pen.lineTo(x + w, y + h / 2);
    pen.lineTo(x + w / 2, y + h);
    pen.lineTo(x, y + h / 2);
    pen.fill();
  }

  lab.component("mask_calendar", (element, tools) => {
    const view = lab.view("epoch"); // as people count: from 1
    let value = null,
      at = Math.max(0, (parseInt(view.value, 10) || 1) - 1),
      playing = 0,
      sides = [],
      parts = null;

    function make() {
      const body = tools.card();
      const lead = lab.el("p", { class: "desk-lead" }, lab.word("desks.calendar.lead"));
      const both = lab.el("div", { class: "sides" });
      const play = lab.el("button", {
        type: "button",
        class: "plain play",
        onclick: () => (playing ? stop() : start()),
      });
      const scrub = lab.el("input", {
        type: "range",
        min: 0,
        step: 1,
        "aria-label": lab.word("desks.calendar.scrub"),
        oninput: () => {
          stop();
          point(Number(scrub.value));
        },
        onchange: keep,
      });
      const reading = lab.el("output", { class: "reading" });
      const roll = lab.el(
        "button",
        { type: "button", class: "plain", onclick: () => tools.fire("roll", { seed: value.seed + 1 }) },
        lab.word("desks.roll"),
      );
      const legend = lab.el("div", { class: "legend" });
      const note = lab.el("p", { class: "desk-note" });
      const empty = lab.el("div", { class: "empty" });
      const full = lab.el(
        "div",
        {},
        both,
        lab.el("div", { class: "controls" }, play, scrub, reading, roll),
        legend,
        note,
      );
      body.append(lead, full, empty);
      return { both, play, scrub, reading, legend, note, empty, full };
    }

    function side(given) {
      const canvas = lab.el("canvas", { role: "img" });
      const stage = lab.el("div", { class: "stage" }, canvas);
      const chips = lab.el("div", { class: "chips" }),
        now = lab.el("div", { class: "row-label" });
      const box = lab.el(
        "section",
        {},
        lab.el("h3", {}, lab.say(given.name)),
        stage,
        lab.el("p", { class: "count" }, lab.say(given.said)),
        lab.el("div", { class: "lab-token_strip" }, now, chips),
      );
      canvas.setAttribute("aria-label", `${lab.say(given.name)}. ${lab.say(given.said)}`);
      const one = { given, canvas, stage, chips, now, box, frame: null };
      canvas.addEventListener("mousemove", (event) => over(one, event));
      canvas.addEventListener("click", (event) => {
        over(one, event);
        keep();
      });
      canvas.addEventListener("mouseleave", lab.unnote);
      one.draw = lab.sized(stage, () => draw(one), tools);
      return one;
    }

    function draw(one) {
      const { tokens, epochs, copies } = value,
        { given, canvas, stage } = one;
      const width = stage.clientWidth;
      if (!width) return;
      const name = Math.min(96, width * 0.2),
        tail = 40,
        head = 18,
        h = 17;
      const w = Math.max(3, Math.floor((width - name - tail) / epochs)),
        gap = w > 5 ? 1 : 0;
      one.frame = { name, head, w, h };
      const pen = lab.canvas(canvas, width, head + tokens.length * h + 2);
      const mono = getComputedStyle(document.body).getPropertyValue("--lab-mono");
      const quiet = lab.colour("quiet"),
        ink = lab.colour("ink"),
        soft = lab.colour("original-soft");
      pen.textBaseline = "middle";
      pen.font = `11.5px ${getComputedStyle(document.body).getPropertyValue("--lab-sans")}`;
      pen.fillStyle = quiet;
      pen.textAlign = "center";
      for (let e = 0; e < epochs; e += 10) pen.fillText(String(e + 1), name + (e + 0.5) * w, 8);
      const most = Math.max(1, ...value.sides.flatMap((each) => each.blanks));
      tokens.forEach((token, t) => {
        const y = head + t * h;
        pen.font = `12.5px ${mono}`;
        pen.textAlign = "right";
        pen.fillStyle = given.blanks[t] ? ink : lab.colour("wrong");
        pen.fillText(lab.shortened(pen, lab.visible(token).replace(/^·/, ""), name - 8), name - 6, y + h / 2);
        for (let e = 0; e < epochs; e++) {
          const letter = given.cells[t * epochs + e],
            x = name + e * w;
          if (letter === ".") {
            pen.fillStyle = soft;
            pen.fillRect(x, y + 1, w - gap, h - 3);
          } else mark(pen, letter, x, y + 1, w - gap, h - 3);
        }
        const x = name + epochs * w + 4;
        pen.fillStyle = lab.colour("accent-soft");
        pen.fillRect(x, y + 2, ((tail - 6) * given.blanks[t]) / most, h - 5);
        pen.fillStyle = given.blanks[t] ? ink : lab.colour("wrong");
        pen.textAlign = "left";
        pen.font = `600 12px ${mono}`;
        pen.fillText(String(given.blanks[t]), x + 4, y + h / 2);
      });
      pen.fillStyle = lab.colour("edge");
      if (given === value.sides[0])
        // where the copies begin again
        for (let e = copies; e < epochs; e += copies)
          pen.fillRect(name + e * w - gap, 2, 1.5, head + tokens.length * h);
      pen.strokeStyle = lab.colour("accent");
      pen.lineWidth = 2;
      pen.strokeRect(name + at * w - 1, head - 1, w + 1, tokens.length * h + 1);
    }

    function over(one, event) {
      if (!one.frame) return;
      const place = one.canvas.getBoundingClientRect(),
        { name, head, w, h } = one.frame;
      const e = Math.floor((event.clientX - place.left - name) / w),
        t = Math.floor((event.clientY - place.top - head) / h);
      if (e < 0 || e >= value.epochs || t < 0 || t >= value.tokens.length) {
        lab.unnote();
        return;
      }
      stop();
      point(e);
      const letter = one.given.cells[t * value.epochs + e];
      lab.note(
        [
          `“${lab.visible(value.tokens[t])}”`,
          lab.word("desks.calendar.epoch", { n: e + 1 }),
          letter === "." ? lab.word("desks.calendar.not") : lab.word("components.kind." + KINDS[letter]),
          lab.word("desks.calendar.blanks", { n: one.given.blanks[t] }),
        ],
        event.clientX,
        event.clientY,
      );
    }

    function point(e) {
      at = Math.max(0, Math.min(value.epochs - 1, e));
      parts.scrub.value = at;
      parts.reading.textContent = lab.word("desks.calendar.of", { n: at + 1, all: value.epochs });
      sides.forEach((one, number) => {
        one.draw();
        one.now.textContent = number
          ? lab.word("desks.calendar.fresh")
          : lab.word("desks.calendar.copy", {
              n: (at % value.copies) + 1,
              all: value.copies,
              time: Math.floor(at / value.copies) + 1,
            });
        one.chips.replaceChildren(
          ...value.tokens.map((token, t) => {
            const letter = one.given.cells[t * value.epochs + at];
            const text = letter === "m" ? "[MASK]" : letter === "r" ? (one.given.words[`${t},${at}`] ?? token) : token;
            return lab.el(
              "span",
              { class: "chip " + (KINDS[letter] || "original"), title: letter === "." ? null : lab.visible(token) },
              lab.visible(text),
            );
          }),
        );
      });
    }

    function start() {
      if (at >= value.epochs - 1) point(0);
      let last = performance.now();
      const tick = (now) => {
        if (!playing || !element.isConnected) return;
        if (now - last > 350) {
          last = now;
          point(at + 1);
        }
        if (at >= value.epochs - 1) stop();
        else playing = requestAnimationFrame(tick);
      };
      playing = requestAnimationFrame(tick);
      name();
    }
    function stop() {
      if (playing) keep();
      cancelAnimationFrame(playing);
      playing = 0;
      name();
    }
    function keep() {
      view.set(String(at + 1));
    }
    function name() {
      if (parts)
        parts.play.textContent = (playing ? "❚❚ " : "▶ ") + lab.word(playing ? "components.pause" : "components.play");
    }
    tools.onLeave(stop);

    function legend() {
      parts.legend.replaceChildren(
        ...Object.entries(KINDS).flatMap(([letter, kind]) => {
          const canvas = lab.el("canvas", { "aria-hidden": "true" });
          mark(lab.canvas(canvas, 12, 14), letter, 0, 0, 12, 14);
          return [lab.el("span", { class: "key" }, canvas, lab.word("components.kind." + kind))];
        }),
      );
    }

    return (given) => {
      stop();
      value = given;
      if (!given) {
        element.replaceChildren();
        parts = null;
        return;
      }
      parts ||= make();
      const empty = !given.sides;
      parts.full.hidden = empty;
      parts.empty.hidden = !empty;
      parts.empty.textContent = lab.say(given.empty);
      if (empty) return;
      sides = given.sides.map(side);
      parts.both.replaceChildren(...sides.map((one) => one.box));
      parts.scrub.max = given.epochs - 1;
      parts.note.textContent = given.note.map(lab.say).join(lab.language === "zh" ? "" : " ");
      name();
      legend();
      if (view.value && !(Number(view.value) >= 1 && Number(view.value) <= given.epochs)) {
        at = 0;
        view.refuse();
      }
      point(at);
    };
  });
})();
