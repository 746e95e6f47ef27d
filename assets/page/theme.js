// Light and dark: Gradio asks the system, so the system answers what was chosen.
(() => {
  "use strict";
  const lab = window.lab;

  const system = window.matchMedia.bind(window);
  const SCHEME = "(prefers-color-scheme: dark)";
  const listeners = new Set();
  let asked = lab.asked.get("__theme"); // stays in the address until another is chosen
  let chosen = asked || lab.memory.get("lab_theme");
  lab.themeAsked = () => asked;
  let printing = false; // paper is light
  lab.isDark = () =>
    !printing && (chosen === "dark" || chosen === "light" ? chosen === "dark" : system(SCHEME).matches);
  lab.calm = () => system("(prefers-reduced-motion: reduce)").matches;
  window.matchMedia = (query) =>
    query !== SCHEME
      ? system(query)
      : {
          media: query,
          get matches() {
            return lab.isDark();
          },
          addEventListener: (_, listener) => system(SCHEME).addEventListener("change", () => chosen || listener()),
          removeEventListener() {},
        };

  function paint() {
    document.documentElement.classList.toggle("dark", lab.isDark());
    document.documentElement.style.colorScheme = lab.isDark() ? "dark" : "light";
    document.body?.classList.toggle("dark", lab.isDark());
    listeners.forEach((listener) => listener());
  }
  lab.shade = (theme) => {
    chosen = theme;
    asked = null;
    lab.memory.set("lab_theme", theme);
    paint();
  };
  for (const [event, on] of [
    ["beforeprint", true],
    ["afterprint", false],
  ])
    window.addEventListener(event, () => {
      printing = on;
      paint();
    });
  // Canvases have no style sheet: they are drawn again. Returns how to stop listening.
  lab.onShade = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  system(SCHEME).addEventListener("change", () => chosen || paint());
  paint();
})();
