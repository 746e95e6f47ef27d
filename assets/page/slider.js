// A slider moved with the keyboard is released, too: Gradio only thinks of the pointer.
(() => {
  "use strict";

  document.addEventListener("keyup", (event) => {
    if (event.target.matches?.('input[type="range"]') && /^(Arrow|Page|Home|End)/.test(event.key))
      event.target.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  });
})();
