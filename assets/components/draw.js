// The draw: what may be drawn laid end to end, and where the number falls.
window.lab.component("draw", (element, tools) => {
  const lab = window.lab;
  const body = tools.card(),
    WORTH = 0.02; // a smaller share is too narrow for any label
  const called = (text) => (typeof text === "string" ? lab.visible(text) : lab.say(text)); // a token, or a word of ours
  let given = null;
  lab.nextToken.hear(() => paint(lab.nextToken.instead("draw", given)), tools);
  return (value) => {
    given = value;
    paint(lab.nextToken.instead("draw", value));
  };

  function paint(value) {
    body.hidden = !value?.segments?.length;
    if (body.hidden) return;
    const line = lab.el("div", { class: "line", role: "img", "aria-label": lab.say(value.note) });
    value.segments.forEach(([text, share], i) => {
      const node = lab.el(
        "span",
        { class: i === value.chosen ? "segment chosen" : "segment" },
        share > WORTH ? lab.el("span", { class: "label" }, called(text)) : null,
      );
      node.style.flexGrow = share;
      node.addEventListener("mousemove", (event) =>
        lab.note([called(text), lab.percent(share)], event.clientX, event.clientY),
      );
      node.addEventListener("mouseleave", lab.unnote);
      line.append(node);
    });
    const mark = lab.el("div", { class: "mark" }, lab.el("span", {}, value.note.uniform));
    mark.style.left = `${100 * value.uniform}%`;
    mark.classList.toggle("late", value.uniform > 0.9);
    mark.classList.toggle("early", value.uniform < 0.1);
    body.replaceChildren(
      lab.el("div", { class: "strip" }, line, mark),
      lab.el("div", { class: "note" }, lab.say(value.note)),
    );
  }
});
