// Copies a text; where the browser refuses, as inside a frame of another site, marks it so that a key press does it.
(() => {
  "use strict";
  const lab = window.lab;

  lab.copy = async (text, mark) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      mark();
      return document.execCommand("copy");
    }
  };
})();
