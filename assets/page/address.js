// The address, ?page=...&lang=... and what the open page shares, follows what is shown.
(() => {
  "use strict";
  const lab = window.lab;

  lab.pages = []; // in their order
  lab.shares = []; // [page, key, id of the component] for every value that a page shares
  lab.kept = {}; // page -> key -> value as written in the address
  lab.began = new Map(); // id of a shared component -> the value it opens with where no address names one

  function address(page, values = lab.kept[page] || {}, language = lab.languageAsked) {
    const query = new URLSearchParams({ page }),
      rest = new URLSearchParams();
    if (language) query.set("lang", lab.language);
    if (lab.themeAsked()) query.set("__theme", lab.themeAsked());
    for (const [key, value] of Object.entries(values))
      if (!lab.packing.isLong(value)) query.set(key, value);
      else if (lab.packing.packed(value)) rest.set(key, lab.packing.packed(value));
    return "?" + query + (rest.size ? "#" + rest : "");
  }
  lab.href = (page, more = {}) => address(page, { ...lab.kept[page], ...more });
  lab.shown = (key) => lab.kept[lab.page]?.[key];
  // What the open page shows and is not in the address yet comes into it.
  lab.complete = () => {
    const coming = []; // promises
    window.dispatchEvent(new CustomEvent("lab:link", { detail: coming }));
    return Promise.all(coming);
  };
  // The whole of what the open page shows, default texts and language among it.
  lab.link = async () => {
    await lab.complete();
    const values = {};
    for (const [page, key, id] of lab.shares) {
      const value = lab.began.get(id);
      if (page === lab.page && value !== null && value !== undefined && value !== "") values[key] = lab.write(value);
    }
    Object.assign(values, lab.kept[lab.page]);
    await lab.packing.pack(Object.values(values));
    return location.origin + location.pathname + address(lab.page, values, true);
  };
  // Around a Space stands a page of the Hub, whose address follows as well.
  const HUB = "https://huggingface.co";
  lab.follow = async () => {
    const page = lab.page,
      show = () => page === lab.page && history.replaceState(null, "", address(page));
    show();
    const values = Object.values(lab.kept[page] || {});
    if (lab.packing.lacks(values).length) {
      await lab.packing.pack(values);
      show();
    }
    if ([...(location.ancestorOrigins || [])].includes(HUB))
      window.parent.postMessage({ queryString: location.search.slice(1), hash: location.hash.slice(1) }, HUB);
  };
  lab.title = () => {
    document.title = `${lab.word("frame.tab." + lab.page)} · ${lab.word("frame.name")}`;
    lab.config.title = document.title; // Gradio writes its own over it
  };

  lab.keep = (page, key, value) => {
    const text = value === null || value === undefined ? "" : lab.write(value);
    const mine = (lab.kept[page] ??= {});
    if (text !== "" || emptied(page, key)) mine[key] = text;
    else delete mine[key];
    if (page === lab.page) lab.follow();
  };
  // A field without a text is not the same as one with the text that it begins with.
  function emptied(page, key) {
    const id = lab.shares.find((share) => share[0] === page && share[1] === key)?.[2];
    return !!lab.began.get(id) && lab.config.components.find((c) => c.id === id).type === "textbox";
  }
  // What a component alone chooses and shows, such as a filter: part of the address without the server.
  lab.view = (key) => {
    const page = lab.page,
      mine = (lab.kept[page] ??= {});
    if (!(key in mine) && page === lab.landed && lab.asked.has(key)) {
      mine[key] = lab.packing.short(lab.asked.get(key));
      lab.follow(); // a fold opens late: the address has been written without it meanwhile
    }
    return {
      get value() {
        return lab.kept[page][key] ?? "";
      },
      set(value) {
        lab.keep(page, key, value);
      },
      refuse() {
        lab.complain("frame.link.value", { key, value: this.value.slice(0, 60) });
        lab.keep(page, key, "");
      },
    };
  };
})();
