// What the browser remembers between visits, and what the address asked for at load.
//
// The first of the page's own scripts. All run before Gradio, hang what they share on window.lab, and draw values with
// textContent, canvas and SVG only: no text becomes markup.
(() => {
  "use strict";
  const lab = (window.lab = {});

  // A frame on another site may be refused its storage.
  lab.memory = {
    get(key) {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        /* remembered for this page only */
      }
    },
  };
  lab.asked = new URLSearchParams(location.search);
})();
