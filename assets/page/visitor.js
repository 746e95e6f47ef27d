// The visitor: 128 bits of our own, never Gradio's session.
(() => {
  "use strict";
  const lab = window.lab;

  function newVisitor() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }
  const remembered = lab.memory.get("lab_visitor");
  lab.visitor = /^[0-9a-f]{32}$/.test(remembered || "") ? remembered : newVisitor();
  lab.memory.set("lab_visitor", lab.visitor);
  lab.otherWindows = new BroadcastChannel("lab_runs"); // of the visitor: a run is gone from them, too
})();
