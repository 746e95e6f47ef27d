// Byte-pair encoding, played: merge by merge, with the counts that decided. The merges are carried out here.
window.lab.component("merge_player", (element, tools) => {
  const lab = window.lab;
  const WORDS = 80,
    SECONDS = 0.9;
  const body = tools.card();
  const scrub = lab.el("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": lab.word("components.merge.jump"),
    oninput: () => player.jump(Number(scrub.value)),
  });
  const player = lab.player(element, tools, {
    words: ["components.merge.first", "components.merge.back", "components.merge.next", "components.merge.last"],
    seconds: SECONDS,
    span: () => [0, merges.length],
    at: () => at,
    show,
    jumped: keep,
    halted: keep,
  });
  const reading = lab.el("output", { class: "reading" });
  const rules = lab.el("div", { class: "rules", role: "group", "aria-label": lab.word("components.merge.ties") });
  const step = lab.el("p", { class: "step", "aria-live": "polite" }),
    rivals = lab.el("ol", { class: "rivals" });
  const words = lab.el("div", {
      class: "words",
      dir: "auto",
      tabindex: 0,
      role: "group",
      "aria-label": lab.word("components.merge.words"),
    }),
    sums = lab.el("p", { class: "sums" });
  const empty = lab.el("div", { class: "empty" }),
    note = lab.el("p", { class: "strip-note" });
  const stage = lab.el(
    "div",
    {},
    lab.el("div", { class: "controls player" }, player.buttons, scrub, reading),
    rules,
    lab.el("div", { class: "split" }, lab.el("div", {}, step, rivals), lab.el("div", {}, sums, words)),
  );
  body.append(note, stage, empty);
  let value = null,
    rule = -1,
    merges = [],
    at = 0,
    shown = "",
    states = [];

  // The address names the rule and the merge, at which every text is shown.
  const view = lab.view("merge");
  function keep() {
    view.set(`${value.ties[rule].rule}.${at}`);
  }

  const joined = (tokens, left, right) => {
    const found = [];
    for (let i = 0; i < tokens.length; i++)
      if (tokens[i] === left && tokens[i + 1] === right) {
        found.push(left + right);
        i++;
      } else found.push(tokens[i]);
    return found;
  };
  // The words after so many merges; every one that was reached is kept.
  function state(n) {
    while (states.length <= n) {
      const [left, right] = merges[states.length - 1];
      states.push(
        states[states.length - 1].map((tokens) => {
          const next = tokens.includes(left) ? joined(tokens, left, right) : tokens;
          return next.length === tokens.length ? tokens : next;
        }),
      );
    }
    return states[n];
  }
  const total = (n) => state(n).reduce((sum, tokens, i) => sum + tokens.length * value.words[i][1], 0);
  const token = (text, kind = "") => lab.el("span", { class: "t " + kind }, lab.visible(text));

  function show(n) {
    at = Math.max(0, Math.min(merges.length, n));
    scrub.value = at;
    reading.textContent = lab.word("components.merge.at", { n: at, all: merges.length });
    const now = state(at),
      before = at ? state(at - 1) : now,
      merge = at ? merges[at - 1] : null;
    step.replaceChildren(
      ...(merge
        ? [
            token(merge[0]),
            " + ",
            token(merge[1]),
            " → ",
            token(merge[0] + merge[1], "new"),
            lab.el(
              "span",
              { class: "why" },
              lab.word("components.merge.why", {
                count: merge[2].toLocaleString(lab.locale),
                words: merge[3].toLocaleString(lab.locale),
              }),
            ),
          ]
        : [lab.word("components.merge.start")]),
    );
    const list = merge ? merge[4] : merges[0]?.[4] || [],
      most = Math.max(1, ...list.map((each) => each[2]));
    rivals.replaceChildren(
      ...list.map(([left, right, count], i) => {
        const bar = lab.el("i");
        bar.style.width = `${(100 * count) / most}%`;
        return lab.el(
          "li",
          { class: merge && i === 0 ? "won" : "" },
          lab.el("span", { class: "pair" }, token(left), token(right)),
          lab.el("span", { class: "track" }, bar),
          lab.el("b", {}, count.toLocaleString(lab.locale)),
        );
      }),
    );
    sums.textContent = lab.word("components.merge.sums", {
      now: total(at).toLocaleString(lab.locale),
      first: total(0).toLocaleString(lab.locale),
    });
    words.replaceChildren(
      ...value.words.slice(0, WORDS).map(([, times], i) =>
        lab.el(
          "span",
          { class: "word" + (now[i] !== before[i] ? " changed" : "") },
          now[i].map((each) =>
            token(
              each,
              merge && now[i] !== before[i] && each === merge[0] + merge[1] ? "new" : each.length > 1 ? "long" : "",
            ),
          ),
          times > 1 ? lab.el("small", {}, "×" + times) : null,
        ),
      ),
      value.words.length > WORDS
        ? lab.el("span", { class: "more" }, lab.word("components.more", { n: value.words.length - WORDS }))
        : "",
    );
  }

  function choose(n) {
    rule = n;
    merges = value.ties[rule]?.merges || [];
    states = [value.words.map(([letters]) => Array.from(letters))];
    rules.replaceChildren(
      lab.el("span", { class: "quiet" }, lab.word("components.merge.ties")),
      ...value.ties.map((each, i) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(i === rule),
            onclick: () => {
              const kept = at;
              player.stop();
              choose(i);
              player.jump(kept);
            },
          },
          lab.word("components.ties." + each.rule),
        ),
      ),
    );
    scrub.max = merges.length;
  }
  return (given) => {
    value = given;
    const some = !!given?.ties?.[0]?.merges?.length;
    stage.hidden = !some;
    empty.hidden = some;
    empty.textContent = lab.word("components.merge.none");
    note.textContent = lab.say(given?.note) || "";
    note.hidden = !note.textContent;
    if (!some) {
      player.stop();
      shown = "";
      return;
    }
    const now = JSON.stringify(given.words);
    if (now === shown) {
      choose(rule);
      show(at);
      return;
    } // only the shade has changed
    shown = now;
    player.stop();
    const [, tie, merge] = view.value.match(/^(\w+)\.(\d+)$/) || [];
    const named = given.ties.findIndex((each) => each.rule === tie);
    if (rule < 0 && view.value && named < 0) view.refuse();
    choose(named >= 0 ? named : Math.max(0, Math.min(rule, given.ties.length - 1)));
    show(named >= 0 ? Number(merge) : 1);
  };
});
