// The wall of an attention map: a thumbnail of each head, a row for each layer. A large one is painted over several
// frames, so that the page answers meanwhile. Thumbnails are images, since browsers put each canvas on a layer of its
// own and go through all layers whenever anything is painted.
(() => {
  "use strict";
  const lab = window.lab;
  const FRAME = 12; // milliseconds

  // Gives back the function that hangs a map's thumbnails, of `found`, the lab.attentionNumbers, on the `grid`, and
  // gives back their buttons. `called` names a head, `pick` and `ahead` hear of the one that is picked or pointed at.
  lab.attentionWall = (grid, found, { called, pick, ahead }) => {
    const easel = lab.el("canvas");
    let sheet = 0; // the number of the wall that is being painted
    function paint(waiting, number) {
      const until = performance.now() + FRAME;
      while (waiting.length && performance.now() < until) {
        const [thumb, l, h] = waiting.shift();
        easel.getContext("2d").putImageData(found.thumbnail(l, h), 0, 0);
        thumb.src = easel.toDataURL();
      }
      if (waiting.length) requestAnimationFrame(() => number === sheet && paint(waiting, number));
    }
    function button(l, h, thumb) {
      const name = called(l, h);
      return lab.el(
        "button",
        {
          type: "button",
          tabindex: -1,
          "aria-label": name,
          title: name,
          onclick: () => pick(l, h),
          onmouseenter: () => ahead(l, h),
          onpointerdown: () => ahead(l, h, 0), // of a finger this comes first
        },
        thumb,
      );
    }
    const names = (map) =>
      Array.from({ length: found.all() }, (_, h) =>
        lab.el(
          "div",
          { role: "columnheader" },
          h < map.heads ? h + 1 : lab.word("components.short." + map.extras[h - map.heads]),
        ),
      );
    return (map) => {
      const thumbs = [],
        waiting = [],
        lines = [lab.el("div", { role: "row", class: "layer names" }, lab.el("div", { role: "gridcell" }), names(map))];
      const { rows, cols } = found.small();
      Object.assign(easel, { width: cols, height: rows });
      for (let l = 0; l < map.layers; l++) {
        const cells = [];
        for (let h = 0; h < found.all(); h++) {
          const thumb = lab.el("img", { alt: "" });
          waiting.push([thumb, l, h]);
          thumbs.push(button(l, h, thumb));
          cells.push(lab.el("div", { role: "gridcell", class: h === map.heads ? "apart" : "" }, thumbs.at(-1)));
        }
        const name = lab.el("div", { class: "layer-name", role: "rowheader" }, String(l + 1));
        lines.push(lab.el("div", { role: "row", class: "layer" }, name, cells));
      }
      grid.style.setProperty("--heads", found.all());
      grid.classList.toggle("single", map.layers * found.all() === 1);
      grid.replaceChildren(...lines);
      paint(waiting, ++sheet);
      return thumbs;
    };
  };
})();
