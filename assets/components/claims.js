// Claims as cards: what one expects is asked first, and what was measured is shown then.
window.lab.component("claims", (element, tools) => {
  const lab = window.lab,
    body = tools.card(),
    cards = new Map(),
    expected = new Map(); // name of a claim -> what one expects
  const ANSWERS = ["holds", "unclear", "contradicted"];
  let open = false;

  // One arm: a dot for each seed along the track, a line at the median.
  function arm({ title, values, median }, low, high) {
    const at = (value) => `${(100 * (value - low)) / (high - low || 1)}%`;
    const sorted = [...values].sort((a, b) => a - b),
      half = (sorted.length - 1) / 2,
      middle = lab.el("i", { class: "median" });
    middle.style.left = at((sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2);
    const dots = values.map((value) => {
      const dot = lab.el("i", { class: "dot" });
      dot.style.left = at(value);
      return dot;
    });
    return lab.el(
      "div",
      { class: "arm" },
      lab.el("span", { class: "name" }, lab.say(title)),
      lab.el("span", { class: "track", "aria-hidden": "true" }, middle, dots),
      lab.el("span", { class: "number" }, median),
    );
  }

  // What was measured on a text in the language of the page comes first.
  const near = ({ measured }) => measured.find(({ language }) => language === lab.language) || measured[0];

  function measured(claim, here) {
    const all = here.arms.flatMap(({ values }) => values),
      room = 0.08 * (Math.max(...all) - Math.min(...all)) || 1;
    const [low, high] = [Math.min(...all) - room, Math.max(...all) + room];
    return lab.el(
      "div",
      { class: "measured", hidden: true },
      lab.el("p", { class: "says " + here.says }, lab.word("claims.measured." + here.says, { n: here.seeds })),
      here.arms.map((each) => arm(each, low, high)),
      lab.el("p", { class: "note" }, lab.say(here.difference)),
      lab.el("p", { class: "note" }, lab.say(here.facts)),
      claim.measured
        .filter((each) => each !== here)
        .map((each) => lab.el("p", { class: "note" }, lab.say(each.elsewhere))),
      lab.el("p", { class: "note" }, lab.say(claim.found)),
      claim.trains
        ? lab.el(
            "button",
            { type: "button", class: "plain train", onclick: () => train(claim) },
            lab.word("claims.train"),
          )
        : "",
    );
  }

  function card(claim) {
    const here = near(claim),
      result = here ? measured(claim, here) : lab.el("p", { class: "note" }, lab.word("claims.missing"));
    const answers = ANSWERS.map((answer) =>
      lab.el(
        "button",
        { type: "button", class: "plain", "aria-pressed": "false", onclick: () => expect(claim, answer) },
        lab.word("claims." + answer),
      ),
    );
    const asked = lab.el("div", { class: "answers", role: "group", "aria-label": lab.word("claims.expect") }, answers);
    const node = lab.el(
      "section",
      { class: "claim", id: "claim-" + claim.name },
      lab.el("h2", {}, lab.say(claim.title)),
      lab.el("p", { class: "sentence" }, lab.say(claim.sentence), " ", lab.el("cite", {}, lab.cited(claim.paper))),
      here ? asked : "",
      result,
    );
    cards.set(claim.name, { node, result, answers, here });
    return node;
  }

  function expect(claim, answer) {
    expected.set(claim.name, answer);
    show();
    tools.keep(claim.name);
    tools.fire("change");
  }

  function train(claim) {
    tools.keep(claim.name);
    tools.fire("train");
  }

  function show() {
    let right = 0;
    for (const [name, { here, result, answers }] of cards) {
      if (!here) continue;
      const answer = expected.get(name);
      right += Number(answer === here.says);
      result.hidden = !open && !answer;
      answers.forEach((button, place) => button.setAttribute("aria-pressed", String(ANSWERS[place] === answer)));
    }
    all.textContent = lab.word(open ? "claims.hide" : "claims.all");
    count.textContent = expected.size ? lab.word("claims.right", { right, n: expected.size }) : "";
  }

  const all = lab.el("button", {
    type: "button",
    class: "plain",
    onclick: () => {
      open = !open;
      if (!open) expected.clear();
      show();
    },
  });
  const count = lab.el("span", { class: "note", role: "status" });
  const grid = lab.el("div", { class: "grid" }, JSON.parse(tools.given("claims") || "[]").map(card));
  body.append(lab.el("div", { class: "head" }, all, count), grid);
  show();

  return (name) => {
    const chosen = cards.get(name);
    if (!chosen || expected.has(name)) return;
    // An address names it: what was measured is not told before one has answered.
    setTimeout(() => chosen.node.scrollIntoView({ behavior: lab.calm() ? "auto" : "smooth", block: "nearest" }), 120);
  };
});
