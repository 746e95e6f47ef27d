// One floating note for the whole page, beside what is pointed at.
(() => {
  "use strict";
  const lab = window.lab;

  let note;
  lab.note = (lines, x, y) => {
    if (!note) {
      note = lab.el("div", { class: "lab-note", role: "tooltip" });
      (document.querySelector("main") || document.body).append(note);
    }
    note.replaceChildren(...lines.filter(Boolean).map((line, i) => lab.el("div", { class: i ? "" : "first" }, line)));
    note.hidden = false;
    const box = note.getBoundingClientRect();
    const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
    const top = y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18;
    note.style.transform = `translate(${left}px, ${Math.max(8, top)}px)`;
  };
  lab.unnote = () => {
    if (note) note.hidden = true;
  };
  window.addEventListener("scroll", lab.unnote, { passive: true, capture: true });
  window.addEventListener("keydown", (event) => event.key === "Escape" && lab.unnote());
})();
