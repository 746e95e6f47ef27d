// The chain of the samplers that are on, in the order in which they are applied: dragged, or moved by a button.
window.lab.component("chain", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const lane = lab.el("ol", { class: "lane", "aria-label": lab.word("generate.chain") }),
    none = lab.el("p", { class: "note" }, lab.word("generate.chain.none"));
  const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
  const back = lab.el(
    "button",
    { type: "button", class: "plain", onclick: () => keep([]) },
    lab.word("generate.chain.back"),
  );
  body.append(lane, none, back, live);
  let shown = "";

  function keep(order) {
    lab.nextToken.reorder(order.join("*"));
    tools.keep(order.join("*"));
  }
  // One sampler takes the place of another among those that are on; those that are off stay beside their neighbours.
  function move(name, to) {
    const { on, order } = lab.nextToken,
      from = on.indexOf(name),
      goal = on[Math.max(0, Math.min(on.length - 1, to))];
    if (goal === name) return;
    const rest = order.filter((each) => each !== name);
    rest.splice(rest.indexOf(goal) + (to > from), 0, name);
    keep(rest);
    live.textContent = lab.word("generate.chain.moved", {
      name: lab.nextToken.titled(name),
      n: to + 1,
      all: on.length,
    });
  }
  function chip(name, at, all) {
    const title = lab.nextToken.titled(name);
    const button = (key, sign, to) =>
      lab.el(
        "button",
        {
          type: "button",
          class: "move",
          "data-way": key,
          disabled: to < 0 || to >= all,
          "aria-label": lab.word("generate.chain." + key, { name: title }),
          title: lab.word("generate.chain." + key, { name: title }),
          onclick: () => {
            move(name, to);
            const again = lane.querySelector(`[data-name="${name}"] [data-way="${key}"]:not(:disabled)`);
            (again ?? lane.querySelector(`[data-name="${name}"] .move:not(:disabled)`))?.focus();
          },
        },
        sign,
      );
    const grip = lab.el("span", { class: "grip" }, title);
    const node = lab.el(
      "li",
      { "data-name": name },
      button("earlier", "‹", at - 1),
      grip,
      button("later", "›", at + 1),
    );
    grip.addEventListener("pointerdown", (event) => drag(event, node, name));
    return node;
  }
  function drag(event, node, name) {
    let to = null;
    lab.drag(event, node, body, {
      over(x, y) {
        const under = document
          .elementsFromPoint(x, y)
          .map((each) => each.closest?.(".lane > li"))
          .find((each) => each && lane.contains(each));
        to = under ? [...lane.children].indexOf(under) : to;
        [...lane.children].forEach((each, i) => each.classList.toggle("goal", i === to && each !== node));
      },
      dropped() {
        [...lane.children].forEach((each) => each.classList.remove("goal"));
        if (to !== null) move(name, to);
      },
    });
  }
  function draw() {
    const { on } = lab.nextToken;
    if (shown === on.join("*") && lane.children.length === on.length) return;
    shown = on.join("*");
    lane.replaceChildren(...on.map((name, at) => chip(name, at, on.length)));
    none.hidden = on.length > 0;
    lane.hidden = !on.length;
    back.hidden = on.length < 2;
  }
  lab.nextToken.hear(draw, tools);
  return draw;
});
