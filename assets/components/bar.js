// The title bar. The pages are links with an address of their own, so that they can be opened beside each other.
window.lab.component("bar", (element, tools) => {
  const lab = window.lab;
  lab.move = () => tools.fire("move");

  function brand() {
    const [before, gap, after] = lab.word("frame.brand").split(/[[\]]/);
    return lab.el("a", { class: "brand", href: "?page=" + (lab.pages?.[0] || ""), "aria-label": lab.word("frame.name"),
      onclick: (event) => follow(event, lab.pages[0]) },
      lab.el("span", { "aria-hidden": "true" }, before, lab.el("b", {}, gap), after));
  }

  function follow(event, page) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (page !== lab.page) lab.goto(page);
  }

  function language() {
    const choice = (code, name) =>
      lab.el("button", { type: "button", lang: code, "aria-pressed": String(lab.language === code),
        onclick: () => lab.language === code || lab.speak(code) }, name);
    return lab.el("div", { class: "switch", role: "group", "aria-label": lab.word("frame.language") },
      choice("en", "English"), choice("zh", "中文"));
  }

  function shade() {
    const sun = lab.svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" },
      lab.svg("circle", { cx: 10, cy: 10, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.8 }),
      lab.svg("path", { d: "M10 3.8a6.2 6.2 0 0 1 0 12.4z", fill: "currentColor" }));
    dark = lab.el("button", { type: "button", class: "shade", "aria-pressed": String(lab.isDark()),
      "aria-label": lab.word("frame.dark"), title: lab.word("frame.theme"),
      onclick: () => lab.shade(lab.isDark() ? "light" : "dark") }, sun);
    return dark;
  }

  let nav, dark;
  function current() {
    for (const link of nav?.children || []) {
      if (link.dataset.page === lab.page) {
        link.setAttribute("aria-current", "page");
        nav.scrollTo({ left: link.offsetLeft - nav.clientWidth / 2 + link.clientWidth / 2 });
      } else link.removeAttribute("aria-current");
    }
  }
  window.addEventListener("lab:page", current);
  tools.onLeave(() => window.removeEventListener("lab:page", current));

  return (value) => {
    if (dark) { dark.setAttribute("aria-pressed", String(lab.isDark())); return; } // only the shade has changed
    lab.pages = value.pages;
    nav = lab.el("nav", { "aria-label": lab.word("frame.pages") }, value.pages.map((page) =>
      lab.el("a", { href: lab.href(page), "data-page": page, onclick: (event) => follow(event, page),
        onpointerdown: (event) => { event.currentTarget.href = lab.href(page); } },
        lab.word("frame.tab." + page))));
    const skip = lab.el("a", { class: "skip", href: "#pages", onclick: (event) => {
      event.preventDefault();
      const heading = [...document.querySelectorAll("#pages h1")].find((h) => h.offsetParent);
      heading?.focus();
    } }, lab.word("frame.skip"));
    element.replaceChildren(lab.el("header", { class: "bar" }, skip, brand(), nav,
      lab.el("div", { class: "switches" }, language(), shade())));
    current();
  };
});
