// What the page opens with: Gradio's configuration gets the words, the visitor and the values that the address names.
(() => {
  "use strict";
  const lab = window.lab;

  function prepare() {
    const { components, dependencies, i18n_translations: translations } = lab.config;
    if (dependencies) Object.setPrototypeOf(dependencies, Unwatched.prototype);
    for (const { id, props } of components || []) {
      lab.built.set(id, props?.props || {});
      if (props?.props) props.props = {}; // Gradio would copy them, watch them and compare them at each change
    }
    const node = components?.find((c) => c.props?.elem_id === "bar");
    if (!node) return;
    lab.words = { ...translations?.en, ...translations?.[lab.language] };
    const bar = JSON.parse(node.props.value);
    node.props.value = null;
    lab.pages = bar.pages;
    lab.shares = bar.shares;
    const byId = (id) => components.find((c) => c.id === id);
    choosePage();
    byId(bar.tabs).props.selected = lab.page;
    for (const [id, values] of bar.begins || []) byId(id).props.value = values[lab.language];
    for (const [, , id] of lab.shares) lab.began.set(id, byId(id).props.value);
    take(lab.restored(lab.page, lab.asked));
    if (lab.packing.names().length)
      lab.packing.unpacked().then((query) => {
        if (!taken) take(lab.restored(lab.page, query));
        else lab.withBar.then(() => lab.travel(lab.page, query, true)); // Gradio was faster
      });
    byId(bar.memos.visitor).props.value = lab.visitor;
    byId(bar.memos.language).props.value = lab.language;
    byId(bar.memos.query).props.value = named();
    lab.title();
    lab.settle();
  }
  // Svelte puts proxies around plain lists and all that is in them, but not around a list with a class of its own.
  // Gradio goes through all listeners once for each component: to watch them, who never change, took a fifth of the
  // opening.
  class Unwatched extends Array {}
  function choosePage() {
    const page = lab.asked.get("page"),
      language = lab.asked.get("lang");
    lab.page = lab.landed = lab.pages.includes(page) ? page : lab.pages[0];
    if (page && page !== lab.page) lab.complain("frame.link.page", { name: page.slice(0, 60) });
    if (language && !lab.languageAsked) lab.complain("frame.link.value", { key: "lang", value: language.slice(0, 60) });
  }
  function take(found) {
    for (const [id, value] of found) {
      lab.config.components.find((c) => c.id === id).props.value = value;
      (lab.kept[lab.page] ??= {})[lab.shares.find((share) => share[2] === id)[1]] = lab.write(value);
    }
  }
  // What the address names, for handlers that leave alone what it has chosen: of long values only that they are there.
  function named() {
    const short = [...lab.asked].map(([key, value]) => [key, lab.packing.short(value)]);
    const text = JSON.stringify(Object.fromEntries([...short, ...lab.packing.names().map((key) => [key, ""])]));
    return text.length <= 4000 ? text : "{}";
  }

  // Gradio's page assigns its configuration here, before its application starts.
  let taken = false;
  Object.defineProperty(window, "gradio_config", {
    configurable: true,
    get: () => {
      taken ||= !!lab.config;
      return lab.config;
    },
    set: (given) => {
      lab.config = given;
      try {
        prepare();
      } catch (error) {
        console.error(error);
      }
    },
  });
})();
