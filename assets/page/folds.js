// Folds whose being open is part of the address, as their names with points between them: a link opens the same ones.
(() => {
  "use strict";
  const lab = window.lab;
  const KEY = "open",
    PATIENCE = 3000; // milliseconds until a fold stands

  const names = (view) => view.value.split(".").filter(Boolean);
  lab.fold = (name, open) => {
    const view = lab.view(KEY),
      others = names(view).filter((each) => each !== name);
    view.set([...others, ...(open ? [name] : [])].join("."));
  };
  // Open a fold of the page that is shown and go there.
  lab.toFold = (name) => {
    const button = document.querySelector(`#fold-${lab.page}-${CSS.escape(name)} > button.label-wrap`);
    if (!button.classList.contains("open")) button.click();
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "start" });
  };
  // The folds that the address names, opened as the page is.
  lab.unfold = () => {
    const view = lab.view(KEY),
      page = lab.page,
      start = performance.now();
    let missing = names(view);
    const look = () => {
      missing = missing.filter((name) => {
        const button = document.querySelector(`#fold-${page}-${CSS.escape(name)} > button.label-wrap`);
        if (button && !button.classList.contains("open")) button.click();
        return !button;
      });
      if (!missing.length || page !== lab.page) return;
      if (performance.now() - start < PATIENCE) requestAnimationFrame(look);
      else {
        const there = names(view).filter((name) => !missing.includes(name));
        view.refuse();
        view.set(there.join("."));
      }
    };
    look();
  };
})();
