// Lists of tokens walked with the arrow keys.
(() => {
  "use strict";
  const lab = window.lab;

  // `stage` holds listboxes; `next` gives the option one step ([down, right]) on, `point` is told where one stands,
  // `press` hears Enter and the space bar, `free` Escape, `say` gives the lines read out.
  lab.walk = (stage, { next, point, press, leave, free, say }) => {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
    stage.after(live);
    let active = null;
    stage.addEventListener("keydown", (event) => {
      const list = event.target.closest("[role=listbox]"),
        mine = list ? [...list.querySelectorAll("[role=option]")] : [];
      if (!mine.length) return;
      const here = active && mine.includes(active) ? active : null;
      let found;
      if (event.key in steps) found = here ? next(mine, here, steps[event.key]) || here : mine[0];
      else if (event.key === "Home") found = mine[0];
      else if (event.key === "End") found = mine.at(-1);
      else if (event.key === "Escape") {
        free?.();
        return;
      } else if ((event.key === "Enter" || event.key === " ") && here) {
        event.preventDefault();
        press(here);
        return;
      } else return;
      event.preventDefault();
      active?.classList.remove("focus");
      active = found;
      active.classList.add("focus");
      active.id ||= "option-" + Math.random().toString(36).slice(2);
      list.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
      point(active);
      live.textContent = say(active).filter(Boolean).join(", ");
    });
    stage.addEventListener("focusout", () => {
      active?.classList.remove("focus");
      leave();
    });
  };
})();
