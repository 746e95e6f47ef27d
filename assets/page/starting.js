// A start that is under way is not begun again: whoever clicks twice wants one run.
(() => {
  "use strict";
  const lab = window.lab,
    PATIENCE = 10000; // milliseconds after which an answer is given up

  let pressed = -Infinity; // when

  lab.started = () => {
    pressed = -Infinity;
  };

  document.addEventListener(
    "click",
    (event) => {
      if (!event.target.closest?.("button.starts")) return;
      const now = performance.now();
      if (now - pressed < PATIENCE) event.stopImmediatePropagation();
      else pressed = now;
    },
    true,
  );
})();
