// Folds whose being open is part of the address, as their names with points between them: a link opens the same ones.
(() => {
  "use strict";
  const lab = window.lab;
  const KEY = "open",
    PATIENCE = 3000, // milliseconds until a fold stands
    STEADY = 100; // and for which it is open before it is left alone

  const split = (text) => (text || "").split(".").filter(Boolean);
  const names = (view) => split(view.value);
  lab.fold = (name, open) => {
    const view = lab.view(KEY),
      others = names(view).filter((each) => each !== name);
    view.set([...others, ...(open ? [name] : [])].join("."));
  };
  // The folds of a page that had not been opened yet at an older address: from now on the address names them no more.
  lab.unopened = (page, query) => {
    const mine = (lab.kept[page] ??= {}),
      then = split(query.get(KEY)),
      gone = split(mine[KEY]).filter((name) => !then.includes(name));
    if (gone.length) mine[KEY] = then.join(".");
    return gone;
  };
  lab.shut = (folds) =>
    folds.forEach((name) =>
      document.querySelector(`#fold-${lab.page}-${CSS.escape(name)} > .label-wrap.open`)?.click(),
    );
  // Open a fold of the page that is shown and go there.
  lab.toFold = (name) => {
    const button = document.querySelector(`#fold-${lab.page}-${CSS.escape(name)} > button.label-wrap`);
    if (!button.classList.contains("open")) button.click();
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "start" });
  };
  // The folds that the address names, opened as the page is, or as one comes to it by a link. Gradio closes a fold once
  // more that is opened while its page is still being made.
  lab.unfold = () => {
    const view = lab.view(KEY),
      page = lab.page,
      start = performance.now(),
      clicked = new Map(), // by name, when it was clicked last
      since = new Map(); // and since when it has been open
    let missing = names(view);
    const waiting = (name) => {
      const button = document.querySelector(`#fold-${page}-${CSS.escape(name)} > button.label-wrap`),
        now = performance.now();
      if (button?.classList.contains("open")) {
        if (!since.has(name)) since.set(name, now);
        return clicked.has(name) && now - since.get(name) < STEADY;
      }
      since.delete(name);
      if (button && now - (clicked.get(name) ?? -STEADY) >= STEADY) {
        clicked.set(name, now);
        button.click();
      }
      return true;
    };
    const look = () => {
      if (page !== lab.page) return;
      missing = missing.filter(waiting);
      if (!missing.length) return;
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
