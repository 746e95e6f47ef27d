// A few ways of which one is chosen: buttons in a row, walked by the arrow keys.
(() => {
  "use strict";
  const lab = window.lab;

  // `pick` hears which was chosen. Gives back the row and a function that draws it: names, and which of them is chosen.
  lab.radios = (label, pick) => {
    const node = lab.el("div", { class: "radios", role: "radiogroup", "aria-label": label });
    let count = 0,
      at = 0;
    const take = (i) => {
      pick(i);
      node.querySelector("[aria-checked=true]")?.focus({ preventScroll: true });
    };
    node.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!way) return;
      event.preventDefault();
      take((at + way + count) % count);
    });
    function draw(names, chosen) {
      count = names.length;
      at = chosen;
      node.hidden = count < 2;
      node.replaceChildren(
        ...names.map((name, i) =>
          lab.el(
            "button",
            {
              type: "button",
              role: "radio",
              "aria-checked": String(i === at),
              tabindex: i === at ? 0 : -1,
              onclick: () => take(i),
            },
            name,
          ),
        ),
      );
    }
    return { node, draw };
  };
})();
