// The title bar. The pages are links with an address of their own, so that they can be opened beside each other.
window.lab.component("bar", (element, tools) => {
  const lab = window.lab;
  lab.move = () => tools.fire("move");
  lab.mounted();

  function brand() {
    const [before, gap, after] = lab.word("frame.brand").split(/[[\]]/);
    return lab.el(
      "a",
      {
        class: "brand",
        href: "?page=" + lab.pages[0],
        "aria-label": lab.word("frame.name"),
        onclick: (event) => follow(event, lab.pages[0]),
      },
      lab.el("span", { "aria-hidden": "true" }, before, lab.el("b", {}, gap), after),
    );
  }

  function follow(event, page) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (page !== lab.page) lab.goto(page);
  }

  function language() {
    const choice = (code, name) =>
      lab.el(
        "button",
        {
          type: "button",
          lang: code,
          "aria-pressed": String(lab.language === code),
          onclick: () => lab.language === code || lab.speak(code),
        },
        name,
      );
    return lab.el(
      "div",
      { class: "switch", role: "group", "aria-label": lab.word("frame.language") },
      choice("en", "English"),
      choice("zh", "中文"),
    );
  }

  function shade() {
    const sun = lab.svg(
      "svg",
      { viewBox: "0 0 20 20", "aria-hidden": "true" },
      lab.svg("circle", { cx: 10, cy: 10, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.8 }),
      lab.svg("path", { d: "M10 3.8a6.2 6.2 0 0 1 0 12.4z", fill: "currentColor" }),
    );
    dark = lab.el(
      "button",
      {
        type: "button",
        class: "shade",
        "aria-pressed": String(lab.isDark()),
        "aria-label": lab.word("frame.dark"),
        title: lab.word("frame.theme"),
        onclick: () => lab.shade(lab.isDark() ? "light" : "dark"),
      },
      sun,
    );
    return dark;
  }

  // The link to what is on the screen; where nothing may be copied, it stands in a field to be copied from.
  function link() {
    const chain = lab.svg(
      "svg",
      {
        viewBox: "0 0 20 20",
        "aria-hidden": "true",
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 1.8,
        "stroke-linecap": "round",
      },
      lab.svg("path", {
        d:
          "M8.5 11.5l3-3M9.2 6.2l1.6-1.6a3.2 3.2 0 0 1 4.6 4.6l-1.6 1.6" +
          "M10.8 13.8l-1.6 1.6a3.2 3.2 0 0 1-4.6-4.6l1.6-1.6",
      }),
    );
    const field = lab.el("input", { type: "text", readonly: true, "aria-label": lab.word("frame.share.field") });
    const said = lab.el("span", { role: "status" });
    const box = lab.el("div", { class: "lab-link", hidden: true }, field, said);
    const close = () => {
      box.hidden = true;
    };
    const button = lab.el(
      "button",
      {
        type: "button",
        class: "shade share",
        "aria-label": lab.word("frame.share"),
        title: lab.word("frame.share"),
        onclick: async () => {
          field.value = await lab.link();
          box.hidden = false;
          const done = await lab.copy(field.value, () => field.select());
          said.textContent = lab.word(done ? "frame.copied" : "frame.press");
          field.focus();
          field.select();
        },
      },
      chain,
    );
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        close();
        button.focus();
      }
    });
    box.addEventListener("focusout", (event) => {
      if (!box.contains(event.relatedTarget)) close();
    });
    return lab.el("div", { class: "linked" }, button, box);
  }

  // The glossary explains all other pages and stands apart from them.
  const APART = "glossary";
  function glossary() {
    const name = lab.word("frame.tab." + APART);
    const book = lab.svg(
      "svg",
      {
        viewBox: "0 0 20 20",
        "aria-hidden": "true",
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 1.8,
        "stroke-linejoin": "round",
      },
      lab.svg("path", {
        d:
          "M10 5.2c-1.6-1.2-3.7-1.6-6.5-1.6v11c2.8 0 4.9.4 6.5 1.6 1.6-1.2 3.7-1.6 6.5-1.6v-11" +
          "c-2.8 0-4.9.4-6.5 1.6zv11",
      }),
    );
    return lab.el(
      "a",
      {
        class: "shade",
        href: lab.href(APART),
        "data-page": APART,
        "aria-label": name,
        title: name,
        onclick: (event) => follow(event, APART),
      },
      book,
    );
  }

  let nav, dark;
  function current() {
    for (const link of element.querySelectorAll("[data-page]")) {
      if (link.dataset.page === lab.page) {
        link.setAttribute("aria-current", "page");
        if (link.parentNode !== nav) continue;
        nav.scrollTo({ left: link.offsetLeft - nav.clientWidth / 2 + link.clientWidth / 2 });
      } else link.removeAttribute("aria-current");
    }
  }
  window.addEventListener("lab:page", current);
  tools.onLeave(() => window.removeEventListener("lab:page", current));

  return () => {
    if (dark) {
      dark.setAttribute("aria-pressed", String(lab.isDark()));
      return;
    } // only the shade has changed
    nav = lab.el(
      "nav",
      { "aria-label": lab.word("frame.pages") },
      lab.pages
        .filter((page) => page !== APART)
        .map((page) =>
          lab.el(
            "a",
            {
              href: lab.href(page),
              "data-page": page,
              onclick: (event) => follow(event, page),
              onpointerdown: (event) => {
                event.currentTarget.href = lab.href(page);
              },
            },
            lab.word("frame.tab." + page),
          ),
        ),
    );
    const skip = lab.el(
      "a",
      {
        class: "skip",
        href: "#pages",
        onclick: (event) => {
          event.preventDefault();
          const heading = [...document.querySelectorAll("#pages h1")].find((h) => h.offsetParent);
          heading?.focus();
        },
      },
      lab.word("frame.skip"),
    );
    element.replaceChildren(
      lab.el(
        "header",
        { class: "bar" },
        skip,
        brand(),
        nav,
        lab.el(
          "div",
          { class: "switches" },
          language(),
          lab.pages.includes(APART) ? glossary() : null,
          link(),
          shade(),
        ),
      ),
    );
    current();
  };
});
