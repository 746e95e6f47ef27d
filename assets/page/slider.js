// Gradio's slider, mended: moved with the keyboard it is released, too, where Gradio only thinks of the pointer; its
// number, emptied to write another one, is not the least of all meanwhile; and what its parts are called is said in the
// page's language, where Gradio always speaks English.
(() => {
  "use strict";
  const lab = window.lab,
    PAUSE = 150; // milliseconds in which a page may go on changing
  const PARTS = [
    [/^range slider for (.*)$/s, "frame.slider.range"],
    [/^number input for (.*)$/s, "frame.slider.number"],
    [/^Reset to default value()$/, "frame.slider.reset"],
  ];

  document.addEventListener("keyup", (event) => {
    if (event.target.matches?.('input[type="range"]') && /^(Arrow|Page|Home|End)/.test(event.key))
      event.target.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  });

  const stood = new WeakMap(); // a slider's number field -> what last stood in it
  const isNumber = (node) =>
    node.matches?.('input[type="number"]') && node.closest(".block")?.querySelector("[type=range]");
  function keep(event) {
    const field = event.target;
    if (!isNumber(field)) return;
    if (field.value !== "") stood.set(field, field.value);
    else if (event.type === "input") event.stopImmediatePropagation();
    else if (event.type === "blur") field.value = stood.get(field) ?? "";
  }
  for (const event of ["focus", "input", "blur"]) document.addEventListener(event, keep, true);

  function name() {
    for (const node of document.querySelectorAll(
      "#pages :is(input[type=range], input[type=number], button)[aria-label]",
    ))
      for (const [english, key] of PARTS) {
        const found = node.ariaLabel.match(english);
        if (!found) continue;
        node.ariaLabel = lab.word(key, { label: found[1] });
        if (node.title) node.title = node.ariaLabel;
      }
  }
  let waiting = false;
  const changes = new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      name();
    }, PAUSE);
  });
  document.addEventListener("DOMContentLoaded", () => {
    if (lab.language !== "en") changes.observe(document.body, { childList: true, subtree: true });
  });
})();
