// Tokens are dragged into an order of reading; who sees whom follows at once, for the stream that knows its own token
// and for the one that answers. The rule is the objective's own.
window.lab.component("permutation_desk", (element, tools) => {
  const lab = window.lab;
  let value = null,
    parts = null,
    order = [],
    last = 0,
    chosen = null,
    turned = false,
    drawn = "";
  // As the address has them: the order, how many of its last tokens are targets, whether the tables are sorted by it.
  const view = lab.view("order");

  // ---- the rule

  function mask() {
    const n = value.tokens.length,
      ordinary = order.filter((place) => !value.fixed[place]);
    const asked = new Set(ordinary.slice(ordinary.length - last));
    const turn = Array(n).fill(-1); // -1: everybody sees it from the start
    order.forEach((place, at) => {
      if (asked.has(place) || value.fixed[place]) turn[place] = at;
    });
    const sees = (t, s) => t === s || turn[s] < 0 || turn[s] < (asked.has(t) ? turn[t] : turn[t] + 1);
    return { n, asked, turn, sees, answers: (t, s) => asked.has(t) && t !== s && sees(t, s) };
  }

  // ---- what it is made of

  function make() {
    const body = tools.card();
    const lane = lab.el("ol", { class: "lane", "aria-label": lab.word("desks.permutation.lane") });
    const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
    const button = (key, act) =>
      lab.el(
        "button",
        { type: "button", class: "plain", "data-act": key, onclick: act },
        lab.word("desks.permutation." + key),
      );
    const count = lab.el("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": lab.word("desks.permutation.asked"),
      oninput: () => {
        last = Number(count.value);
        show();
      },
      onchange: keep,
    });
    const reading = lab.el("output", { class: "reading" });
    const view = button("sorted", () => {
      turned = !turned;
      show();
      keep();
    });
    const controls = lab.el(
      "div",
      { class: "controls" },
      button("random", () => {
        order = shuffled(order);
        show(true);
        keep();
      }),
      button("straight", () => {
        order = value.tokens.map((_, place) => place);
        show(true);
        keep();
      }),
      button("drawn", () => {
        order = [...value.order];
        last = value.last;
        show(true);
        keep();
      }),
      lab.el("label", { class: "count" }, lab.word("desks.permutation.asked"), count, reading),
    );
    const sentence = lab.el("div", { class: "sentence" }),
      formula = lab.el("p", { class: "formula", "aria-live": "polite" });
    const tables = lab.el("div", { class: "tables" }),
      note = lab.el("p", { class: "desk-note" });
    const full = lab.el(
      "div",
      {},
      lab.el("h3", {}, lab.word("desks.permutation.lane")),
      lane,
      controls,
      lab.el("h3", { class: "next" }, lab.word("desks.permutation.sentence")),
      sentence,
      formula,
      lab.el("div", { class: "controls" }, view),
      tables,
      legend(),
      note,
    );
    const empty = lab.el("div", { class: "empty" });
    body.append(lab.el("p", { class: "desk-lead" }, lab.word("desks.permutation.lead")), full, empty, live);
    lab.sized(tables, () => show(), tools);
    return { lane, live, count, reading, view, sentence, formula, tables, note, full, empty };
  }
  const legend = () =>
    lab.el(
      "div",
      { class: "legend" },
      ["self", "seen", "blind", "none"].map((kind) =>
        lab.el("span", {}, lab.el("i", { class: "key " + kind }), lab.word("desks.permutation.key." + kind)),
      ),
    );

  function keep() {
    view.set(`${order.join(".")}-${last}${turned ? "-sorted" : ""}`);
  }
  function begin() {
    const asked = view.value.match(/^([\d.]+)-(\d+)(-sorted)?$/),
      places = asked?.[1].split(".").map(Number);
    const whole = places && [...places].sort((a, b) => a - b).join() === value.tokens.map((_, place) => place).join();
    if (whole)
      [order, last, turned] = [
        places,
        Math.min(Number(asked[2]), value.fixed.filter((fixed) => !fixed).length),
        !!asked[3],
      ];
    else if (view.value) view.refuse();
  }

  function shuffled(places) {
    const all = [...places];
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [all[i], all[j]] = [all[j], all[i]];
    }
    return all;
  }
  const name = (place) => lab.visible(value.tokens[place]).replace(/^·/, "");

  // ---- drawing

  function show(announce = false) {
    if (!value?.tokens || !parts) return;
    const found = mask();
    if (chosen === null || chosen >= found.n)
      chosen = order.findLast((place) => found.asked.has(place)) ?? order[found.n - 1];
    lane(found);
    sentence(found);
    parts.count.max = value.fixed.filter((fixed) => !fixed).length;
    parts.count.value = last;
    parts.reading.textContent = lab.word("desks.permutation.of", { n: last, all: parts.count.max });
    parts.view.setAttribute("aria-pressed", String(turned));
    parts.tables.replaceChildren(table(found, found.sees, "content"), table(found, found.answers, "query"));
    if (announce) parts.live.textContent = lab.listed(order.map(name));
  }

  function lane(found) {
    const focused = document.activeElement?.dataset?.place,
      inside = parts.lane.contains(document.activeElement);
    let opened = false;
    parts.lane.replaceChildren(
      ...order.map((place, at) => {
        const asked = found.asked.has(place);
        const first = asked && !opened;
        opened ||= asked;
        const chip = lab.el(
          "button",
          {
            type: "button",
            class: [
              "token",
              asked ? "asked" : "",
              value.fixed[place] ? "fixed" : "",
              place === chosen ? "chosen" : "",
            ].join(" "),
            "data-place": place,
            "aria-label": lab.word("desks.permutation.chip", { token: name(place), at: at + 1, n: found.n }),
          },
          lab.el("span", { class: "turn", "aria-hidden": "true" }, at + 1),
          lab.el("span", {}, name(place)),
        );
        chip.addEventListener("keydown", (event) => moved(event, place));
        chip.addEventListener("pointerdown", (event) => dragged(event, chip, place));
        chip.addEventListener("focus", () => {
          if (chosen !== place) {
            chosen = place;
            light();
          }
        });
        return lab.el("li", { class: first ? "first" : "" }, chip);
      }),
    );
    if (inside && focused !== undefined) parts.lane.querySelector(`[data-place="${focused}"]`)?.focus();
  }
  // Another token is looked at; nothing else has changed, and what is being dragged must stay where it is.
  function light() {
    const found = mask();
    for (const chip of parts.lane.querySelectorAll(".token"))
      chip.classList.toggle("chosen", Number(chip.dataset.place) === chosen);
    sentence(found);
    parts.tables.replaceChildren(table(found, found.sees, "content"), table(found, found.answers, "query"));
  }

  function sentence(found) {
    const asked = found.asked.has(chosen),
      may = asked ? found.answers : found.sees;
    parts.sentence.replaceChildren(
      ...value.tokens.map((_, place) => {
        const kind = place === chosen ? (asked ? "hole" : "self") : may(chosen, place) ? "seen" : "blind";
        return lab.el(
          "button",
          {
            type: "button",
            class: `word ${kind}`,
            onclick: () => {
              chosen = place;
              light();
            },
            tabindex: -1,
          },
          place === chosen && asked ? "?" : name(place),
        );
      }),
    );
    const seen = value.tokens.filter((_, place) => place !== chosen && may(chosen, place)).length;
    parts.formula.textContent = lab.word("desks.permutation." + (asked ? "answers" : "reads"), {
      token: `“${name(chosen)}”`,
      n: seen,
    });
  }

  const table = (found, may, stream) =>
    lab.permutationTable({
      tokens: value.tokens,
      rows: turned ? order : value.tokens.map((_, place) => place),
      asked: found.asked,
      chosen,
      name,
      may,
      stream,
      width: parts.tables.clientWidth,
    });

  // ---- moving: arrow keys, mouse and finger

  function moved(event, place) {
    const at = order.indexOf(place),
      end = order.length - 1;
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: end }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    put(place, Math.max(0, Math.min(end, to)));
    keep();
    parts.live.textContent = lab.word("desks.permutation.chip", {
      token: name(place),
      at: order.indexOf(place) + 1,
      n: order.length,
    });
  }
  function put(place, to) {
    order.splice(order.indexOf(place), 1);
    order.splice(to, 0, place);
    show();
  }
  const dragged = (event, chip, place) =>
    lab.drag(event, chip, parts.lane.parentElement, {
      over(x, y) {
        const to = slot(x, y, place);
        if (to !== order.indexOf(place)) put(place, to);
        parts.lane.querySelector(`[data-place="${place}"]`)?.classList.add("lifted");
      },
      dropped() {
        show();
        keep();
        parts.lane.querySelector(`[data-place="${place}"]`)?.focus();
      },
    });
  // Which place in the order lies under the pointer: how many of the other tokens stand before it, line by line.
  function slot(x, y, place) {
    let at = 0;
    for (const chip of parts.lane.querySelectorAll(".token")) {
      if (Number(chip.dataset.place) === place) continue;
      const box = chip.getBoundingClientRect();
      if (box.bottom + 4 < y || (box.top - 4 <= y && box.left + box.width / 2 < x)) at++;
    }
    return at;
  }

  const forget = () => {
    value = parts = null;
    drawn = "";
  };
  return lab.desk(element, {
    make,
    forget,
    draw(given, made, first) {
      [value, parts] = [given, made];
      const now = JSON.stringify([given.tokens, given.order]);
      if (now !== drawn) {
        drawn = now;
        order = [...given.order];
        last = given.last;
        chosen = null;
        if (first) begin();
        else view.set("");
      }
      show();
    },
  });
});
