// Notes that come and go.
(() => {
  "use strict";
  const lab = window.lab;

  let shelf;
  lab.toast = (title, text, mild = false) => {
    if (!shelf) {
      shelf = lab.el("div", { class: "lab-toasts", role: "status", "aria-live": "polite" });
      document.body.append(shelf);
    }
    const same = [...shelf.children].find((each) => each.dataset.text === text);
    same?.remove();
    const close = lab.el(
      "button",
      { type: "button", "aria-label": lab.word("frame.close"), onclick: () => box.remove() },
      "×",
    );
    const box = lab.el(
      "div",
      { class: mild ? "toast mild" : "toast", "data-text": text },
      lab.el("div", {}, lab.el("strong", {}, title), lab.el("p", {}, text)),
      close,
    );
    shelf.append(box);
    const leave = () => {
      if (box.matches(":hover, :focus-within")) setTimeout(leave, 2000);
      else box.remove();
    };
    setTimeout(leave, 8000);
  };
  lab.component("toast", () => (value) => value && lab.toast(lab.say(value.title), lab.say(value.text), value.mild));
})();
