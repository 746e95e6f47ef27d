// A visitor fills the blanks one after another; after each the true word and the model's guesses stand beside it.
window.lab.component("cloze_game", (element, tools) => {
  const lab = window.lab;
  // Whose text is shown and which, as the address has them.
  const view = lab.view("game");
  let value = null,
    parts = null,
    given = [],
    drawn = "",
    tally = { asked: 0, you: 0, model: 0 };

  function make() {
    const body = tools.card();
    const button = (key, act) =>
      lab.el(
        "button",
        { type: "button", class: "plain", "data-act": key, onclick: act },
        lab.word("desks.game." + key),
      );
    const score = lab.el("div", { class: "score", "aria-live": "polite" });
    const text = lab.el("p", { class: "text" }),
      results = lab.el("ol", { class: "results", "aria-live": "polite" });
    const empty = lab.el("div", { class: "empty" }),
      note = lab.el("p", { class: "desk-note" });
    const answer = button("answer", () => told()),
      next = button("next", () => ask(value.source, value.seed + 1));
    const own = button("own", () => ask("own", 0)),
      town = button("town", () => ask("town", 0));
    const reset = button("reset", () => {
      tally = { asked: 0, you: 0, model: 0 };
      count();
    });
    body.append(
      lab.el("p", { class: "desk-lead" }, lab.word("desks.game.lead")),
      text,
      empty,
      lab.el("div", { class: "controls" }, answer, next, town, own),
      score,
      results,
      note,
      lab.el("div", { class: "controls end" }, reset),
    );
    return { score, text, results, empty, note, answer, next, own, town, reset };
  }

  function ask(source, seed) {
    view.set(`${source}.${seed}`);
    tools.fire("roll", { seed, source, language: value.language });
  }
  function begin() {
    const asked = view.value.match(/^(town|own)\.(\d{1,9})$/);
    if (view.value && !asked) view.refuse();
    else if (asked && asked[0] !== `${value.source}.${value.seed}`) ask(asked[1], Number(asked[2]));
  }

  const plain = (text) => text.normalize("NFKC").trim().toLowerCase();
  const turn = () => given.length;

  // The blank whose turn it is can be typed into; those before it are told, those behind it wait.
  function show() {
    parts.text.replaceChildren(
      ...value.pieces.map((piece) => {
        if (typeof piece === "string") return lab.el("span", {}, piece);
        const blank = value.blanks[piece];
        if (piece < turn())
          return lab.el(
            "span",
            { class: "gap " + (given[piece].right ? "predicted" : "wrong") },
            given[piece].right ? "✓ " : "✗ ",
            blank.answer,
          );
        if (piece > turn()) return lab.el("span", { class: "gap" }, "\u2007\u2007\u2007");
        const field = lab.el("input", {
          type: "text",
          class: "field",
          autocomplete: "off",
          autocapitalize: "off",
          spellcheck: "false",
          maxlength: 40,
          "aria-label": lab.word("desks.game.blank", { n: piece + 1, all: value.blanks.length }),
        });
        field.addEventListener("keydown", (event) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            told();
          }
        });
        return field;
      }),
    );
    const over = turn() >= value.blanks.length;
    parts.answer.hidden = over;
    parts.next.classList.toggle("main", over);
    parts.results.replaceChildren(...given.map(result).reverse());
    count();
  }
  function told() {
    const field = parts.text.querySelector("input");
    if (!field) return;
    const blank = value.blanks[turn()],
      said = field.value.trim(),
      right = plain(said) === plain(blank.answer);
    given.push({ said, right });
    tally.asked += 1;
    tally.you += right ? 1 : 0;
    tally.model += blank.right ? 1 : 0;
    show();
    (parts.text.querySelector("input") || parts.next).focus();
  }
  function result({ said, right }, number) {
    const blank = value.blanks[number];
    const side = (name, ok, text) =>
      lab.el(
        "span",
        { class: "side " + (ok ? "predicted" : "wrong") },
        lab.el("b", {}, name),
        " ",
        ok ? "✓ " : "✗ ",
        text,
      );
    const guesses = blank.top.map(([text, share]) => `${lab.visible(text)} ${lab.percent(share)}`).join(" · ");
    return lab.el(
      "li",
      {},
      lab.el("span", { class: "truth" }, lab.word("desks.game.truth", { word: blank.answer })),
      side(lab.word("desks.game.you"), right, said || "∅"),
      side(value.model, blank.right, guesses),
    );
  }
  function count() {
    const line = (name, n, kind) =>
      lab.el(
        "div",
        { class: "one " + kind },
        lab.el("span", { class: "who" }, name),
        lab.el("span", { class: "number" }, tally.asked ? `${n} / ${tally.asked}` : "–"),
      );
    parts.score.replaceChildren(
      line(lab.word("desks.game.you"), tally.you, "you"),
      line(value.model, tally.model, "model"),
    );
    parts.reset.hidden = !tally.asked;
  }

  return (now) => {
    value = now;
    if (!now) {
      element.replaceChildren();
      parts = null;
      drawn = "";
      return;
    }
    if (!parts) {
      parts = make();
      begin();
    }
    for (const part of ["text", "score", "results", "note", "answer"]) parts[part].hidden = !now.pieces;
    parts.empty.hidden = !!now.pieces;
    parts.empty.textContent = lab.say(now.empty);
    parts.town.setAttribute("aria-pressed", String(now.source === "town"));
    parts.own.setAttribute("aria-pressed", String(now.source === "own"));
    if (!now.pieces) {
      drawn = "";
      return;
    }
    const key = JSON.stringify([now.pieces, now.blanks]);
    if (key === drawn) return; // the game goes on
    drawn = key;
    given = [];
    parts.note.textContent = now.note.map(lab.say).join(lab.language === "zh" ? "" : " ");
    show();
  };
});
