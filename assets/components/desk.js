// What a desk of the Objectives page does with a value: without one nothing of it is left, where there is no text a
// sentence stands in its place, and else it is drawn.
(() => {
  "use strict";
  const lab = window.lab;

  // `make` gives its parts, {full, empty, note, ...}; `forget` is told when there is nothing to draw, `draw` hears the
  // value, the parts and whether these are new.
  lab.desk = (element, { make, forget, draw }) => {
    let parts = null;
    return (given) => {
      if (!given) {
        forget();
        element.replaceChildren();
        parts = null;
        return;
      }
      const first = !parts;
      parts ||= make();
      parts.full.hidden = !given.tokens;
      parts.empty.hidden = !!given.tokens;
      parts.empty.textContent = lab.say(given.empty);
      if (!given.tokens) {
        forget();
        return;
      }
      parts.note.textContent = given.note.map(lab.say).join(lab.language === "zh" ? "" : " ");
      draw(given, parts, first);
    };
  };
})();
