// What is drawn by hand: the colours of the style sheet, the width that there is, and a pen as sharp as the screen.
(() => {
  "use strict";
  const lab = window.lab;

  lab.colour = (name) =>
    getComputedStyle(document.body)
      .getPropertyValue("--lab-" + name)
      .trim();

  // Draw when the width is known, and again when it changes or a font has come; at most once a frame.
  lab.sized = (element, draw, tools) => {
    let frame = 0,
      width = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => element.isConnected && element.clientWidth && draw(element.clientWidth));
    };
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        width = element.clientWidth;
        later();
      }
    });
    observer.observe(element);
    document.fonts.addEventListener("loadingdone", later);
    tools?.onLeave(() => {
      observer.disconnect();
      document.fonts.removeEventListener("loadingdone", later);
    });
    return later;
  };

  // About how many pixels a text takes whose letters take so many; Chinese ones take 14.
  lab.wide = (text, letter) => [...text].reduce((sum, each) => sum + (each > "\u2e7f" ? 14 : letter), 0);

  // A canvas as sharp as the screen.
  lab.canvas = (canvas, width, height) => {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  };

  // A label as long as there is room for, an ellipsis for what is cut off: its end, but of numbered tokens such as
  // <extra_id_0>, which differ in their ends alone, the middle.
  lab.shortened = (pen, text, width) => {
    if (pen.measureText(text).width <= width) return text;
    const end = /\d+>$/.exec(text)?.[0] ?? "",
      all = Array.from(text.slice(0, text.length - end.length));
    const short = () => all.join("") + "…" + end;
    while (all.length > 1 && pen.measureText(short()).width > width) all.pop();
    return short();
  };
})();
