// The page's own runtime: language, theme, visitor, address, words, and how a component of ours is drawn.
//
// Loaded before Gradio. Values are drawn with textContent, canvas and SVG only; no text becomes markup.
(() => {
  "use strict";
  const lab = (window.lab = {});

  // ---- what the browser remembers; a frame on another site may be refused its storage

  const memory = {
    get(key) { try { return localStorage.getItem(key); } catch { return null; } },
    set(key, value) { try { localStorage.setItem(key, value); } catch { /* remembered for this page only */ } },
  };
  const asked = new URLSearchParams(location.search);

  // ---- language: the address, else the last choice, else the browser

  const known = (tag) => (!tag ? null : /^zh/i.test(tag) ? "zh" : /^en/i.test(tag) ? "en" : null);
  lab.language = known(asked.get("lang")) || known(memory.get("lab_lang")) || known(navigator.language) || "en";
  // Gradio reads the browser's language once, at its start.
  const locale = lab.language === "zh" ? "zh-CN" : "en";
  Object.defineProperty(navigator, "language", { configurable: true, get: () => locale });
  Object.defineProperty(navigator, "languages", { configurable: true, get: () => [locale] });
  document.documentElement.lang = locale;

  function rememberLanguage() {
    // Inside a frame of another site only such a cookie is sent; the server reads it to say errors.
    const far = location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
    document.cookie = `lab_lang=${lab.language}; path=/; max-age=31536000${far}`;
  }
  if (known(asked.get("lang"))) memory.set("lab_lang", lab.language);
  rememberLanguage();

  lab.speak = (language) => {
    memory.set("lab_lang", language);
    const query = new URLSearchParams(location.search);
    query.set("lang", language);
    location.search = query.toString();
  };

  // ---- light and dark: Gradio asks the system, so the system answers what was chosen

  const system = window.matchMedia.bind(window);
  const SCHEME = "(prefers-color-scheme: dark)";
  const listeners = new Set();
  let chosen = asked.get("__theme") || memory.get("lab_theme");
  let printing = false; // paper is light
  lab.isDark = () => !printing && (chosen === "dark" || chosen === "light" ? chosen === "dark" : system(SCHEME).matches);
  window.matchMedia = (query) =>
    query !== SCHEME ? system(query) : {
      media: query,
      get matches() { return lab.isDark(); },
      addEventListener: (_, listener) => system(SCHEME).addEventListener("change", () => chosen || listener()),
      removeEventListener() {},
    };
  function paint() {
    document.documentElement.classList.toggle("dark", lab.isDark());
    document.documentElement.style.colorScheme = lab.isDark() ? "dark" : "light";
    document.body?.classList.toggle("dark", lab.isDark());
    listeners.forEach((listener) => listener());
  }
  lab.shade = (theme) => { chosen = theme; memory.set("lab_theme", theme); paint(); };
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]])
    window.addEventListener(event, () => { printing = on; paint(); });
  // Canvases have no style sheet: they are drawn again. Returns how to stop listening.
  lab.onShade = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };
  system(SCHEME).addEventListener("change", () => chosen || paint());
  paint();

  // ---- the visitor: 128 bits of our own, never Gradio's session

  function newVisitor() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }
  const remembered = memory.get("lab_visitor");
  lab.visitor = /^[0-9a-f]{32}$/.test(remembered || "") ? remembered : newVisitor();
  memory.set("lab_visitor", lab.visitor);

  // ---- words

  let words = {};
  lab.word = (key, data = {}) => fill(words[key] ?? key, data);
  // A text inside a component's value: plain, a pair of languages, or a key with data.
  lab.say = (text) => {
    if (text === null || text === undefined) return "";
    if (typeof text !== "object") return String(text);
    if (text.word) return lab.word(text.word, text);
    return String(text[lab.language] ?? text.en ?? "");
  };
  const fill = (text, data) =>
    text.replace(/\{(\w+)\}/g, (gap, name) => (name in data ? lab.say(data[name]) : gap));

  // ---- the address: ?page=...&lang=... and what the open page shares

  const LONG = 400; // characters: a longer value is packed and stands behind "#", which no server is sent
  const MOST = 1 << 20; // bytes that a packed value may become
  let bar = { pages: [], shares: [], memos: {} };
  let config, landed; // the page that the address at load has opened
  const kept = {}; // page -> key -> value as written in the address
  const began = new Map(); // id of a shared component -> the value it opens with where no address names one
  const packed = new Map(); // a long value -> as it stands in an address
  const write = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  function read(component, text) {
    const props = component.props;
    const choices = (props.choices || []).map((c) => (Array.isArray(c) ? c[1] : c));
    const choice = (wanted) => choices.find((c) => write(c) === write(wanted) || String(c) === String(wanted));
    switch (component.type) {
      case "checkbox": return { true: true, false: false }[text];
      case "number":
      case "slider": {
        const number = Number(text);
        if (text === "" || !Number.isFinite(number)) return undefined;
        return Math.min(props.maximum ?? Infinity, Math.max(props.minimum ?? -Infinity, number));
      }
      case "dropdown":
      case "radio":
      case "checkboxgroup": {
        if (component.type !== "checkboxgroup" && !props.multiselect) return props.allow_custom_value ? text : choice(text);
        try { return JSON.parse(text).map(choice).filter((c) => c !== undefined); } catch { return undefined; }
      }
      default: {
        const pattern = props.props?.pattern; // of one of our own components
        if (pattern && text && !new RegExp(`^(?:${pattern})$`).test(text)) return undefined;
        return text.slice(0, props.max_length || 100000);
      }
    }
  }

  function restored(page, query) {
    const found = new Map();
    for (const [home, key, id] of bar.shares) {
      const component = config.components.find((c) => c.id === id);
      if (home !== page || !query.has(key) || !component) continue;
      const said = query.get(key), value = read(component, said);
      if (value !== undefined) found.set(id, value); else query.delete(key);
      if (value === undefined || (typeof value === "number" && value !== Number(said)))
        complain(value === undefined ? "frame.link.value" : "frame.link.bound",
          { key, value: said.slice(0, 60), now: String(value) });
    }
    return found;
  }

  const through = async (bytes, stream) => {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
    for (let n = 0, part; !(part = await reader.read()).done;) {
      if ((n += part.value.length) > MOST) throw new Error("too long");
      parts.push(part.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  async function pack(text) {
    if (packed.size > 50) packed.clear();
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    packed.set(text, base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, ""));
  }
  async function unpacked(text) {
    const bytes = await through(lab.bytes(text.replace(/-/g, "+").replace(/_/g, "/")), new DecompressionStream("deflate-raw"));
    const plain = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    packed.set(plain, text);
    return plain;
  }
  const behind = () => new URLSearchParams(location.hash.slice(1));
  // The values that stand packed in the address.
  async function long() {
    const query = new URLSearchParams();
    for (const [key, value] of behind())
      try { query.set(key, await unpacked(value)); } catch { complain("frame.link.value", { key, value: value.slice(0, 60) }); }
    return query;
  }

  // What a link asks for and cannot have is said, once there is a page to say it on.
  const complain = lab.complain = (key, data) => {
    const speak = () => lab.toast(lab.word("frame.link"), lab.word(key, data), true);
    if (document.readyState === "complete") speak();
    else window.addEventListener("load", speak, { once: true });
  };

  // What each component was built with. An answer that reaches one before it is drawn, even one that leaves it as it is,
  // makes Gradio forget all but its value.
  const built = new Map();

  function prepare(given) {
    config = given;
    for (const { id, props } of config.components || []) built.set(id, props?.props || {});
    const node = config.components?.find((c) => c.props?.elem_id === "bar");
    if (!node) return;
    words = { ...config.i18n_translations?.en, ...config.i18n_translations?.[lab.language] };
    bar = JSON.parse(node.props.value);
    const byId = (id) => config.components.find((c) => c.id === id);
    const wanted = asked.get("page");
    lab.page = bar.pages.includes(wanted) ? wanted : bar.pages[0];
    if (wanted && wanted !== lab.page) complain("frame.link.page", { name: wanted.slice(0, 60) });
    if (asked.get("lang") && !known(asked.get("lang"))) complain("frame.link.value", { key: "lang", value: asked.get("lang").slice(0, 60) });
    landed = lab.page;
    byId(bar.tabs).props.selected = lab.page;
    for (const [id, values] of bar.begins || []) byId(id).props.value = values[lab.language];
    for (const [, , id] of bar.shares) began.set(id, byId(id).props.value);
    const found = restored(lab.page, asked);
    take(lab.page, found);
    if (behind().size) long().then((query) => {
      if (!taken) take(lab.page, restored(lab.page, query));
      else mounted.then(() => travel(lab.page, query, true)); // Gradio was faster
    });
    byId(bar.memos.visitor).props.value = lab.visitor;
    byId(bar.memos.language).props.value = lab.language;
    byId(bar.memos.query).props.value = named();
    title();
    settle();
  }
  function take(page, found) {
    for (const [id, value] of found) {
      config.components.find((c) => c.id === id).props.value = value;
      (kept[page] ??= {})[bar.shares.find((share) => share[2] === id)[1]] = write(value);
    }
  }
  // What the address names, for handlers that leave alone what it has chosen: of long values only that they are there.
  function named() {
    const short = [...asked].map(([key, value]) => [key, value.slice(0, LONG)]);
    const text = JSON.stringify(Object.fromEntries([...short, ...[...behind()].map(([key]) => [key, ""])]));
    return text.length <= 4000 ? text : "{}";
  }
  // Gradio's page assigns its configuration here, before its application starts.
  let taken = false;
  Object.defineProperty(window, "gradio_config", {
    configurable: true,
    get: () => { taken ||= !!config; return config; },
    set: (given) => { config = given; try { prepare(given); } catch (error) { console.error(error); } },
  });

  function address(page, values = kept[page] || {}, language = known(asked.get("lang"))) {
    const query = new URLSearchParams({ page }), rest = new URLSearchParams();
    if (language) query.set("lang", lab.language);
    for (const [key, value] of Object.entries(values))
      if (!isLong(value)) query.set(key, value);
      else if (packed.has(value)) rest.set(key, packed.get(value));
    return "?" + query + (rest.size ? "#" + rest : "");
  }
  const isLong = (value) => encodeURIComponent(value).length > LONG;
  const packAll = (values) => Promise.all(values.filter((value) => isLong(value) && !packed.has(value)).map(pack));
  lab.href = (page, more = {}) => address(page, { ...kept[page], ...more });
  lab.shown = (key) => kept[lab.page]?.[key];
  // The whole of what the open page shows, default texts and language among it.
  lab.link = async () => {
    const values = {};
    for (const [page, key, id] of bar.shares) {
      const value = began.get(id);
      if (page === lab.page && value !== null && value !== undefined && value !== "") values[key] = write(value);
    }
    Object.assign(values, kept[lab.page]);
    await packAll(Object.values(values));
    return location.origin + location.pathname + address(lab.page, values, true);
  };
  // The address follows what is shown. Around a Space stands a page of the Hub, whose address follows as well.
  const HUB = "https://huggingface.co";
  async function follow() {
    const page = lab.page, show = () => page === lab.page && history.replaceState(null, "", address(page));
    show();
    const values = Object.values(kept[page] || {});
    if (values.some((value) => isLong(value) && !packed.has(value))) { await packAll(values); show(); }
    if ([...(location.ancestorOrigins || [])].includes(HUB)) window.parent.postMessage({ queryString: location.search.slice(1), hash: location.hash.slice(1) }, HUB);
  }
  function title() {
    document.title = `${lab.word("frame.tab." + lab.page)} · ${lab.word("frame.name")}`;
    config.title = document.title; // Gradio writes its own over it
  }

  lab.keep = (page, key, value) => {
    const text = value === null || value === undefined ? "" : write(value);
    const mine = (kept[page] ??= {});
    if (text !== "" || emptied(page, key)) mine[key] = text;
    else delete mine[key];
    if (page === lab.page) follow();
  };
  // A field without a text is not the same as one with the text that it begins with.
  function emptied(page, key) {
    const id = bar.shares.find((share) => share[0] === page && share[1] === key)?.[2];
    return !!began.get(id) && config.components.find((c) => c.id === id).type === "textbox";
  }
  // What a component alone chooses and shows, such as a filter: part of the address without the server.
  lab.view = (key) => {
    const page = lab.page, mine = (kept[page] ??= {});
    if (!(key in mine) && page === landed && asked.has(key)) mine[key] = asked.get(key).slice(0, LONG);
    return {
      get value() { return kept[page][key] ?? ""; },
      set(value) { lab.keep(page, key, value); },
      refuse() { complain("frame.link.value", { key, value: this.value.slice(0, 60) }); lab.keep(page, key, ""); },
    };
  };

  // Moving: first the values, then the tab, so that a page which opens for the first time finds them.
  let arrival = null;
  lab.goto = (page, keys = [], values = [], sight = null) => {
    if (!bar.pages.includes(page)) return;
    const query = new URLSearchParams(kept[page] || {});
    keys.forEach((key, i) => values[i] === null || values[i] === undefined || query.set(key, write(values[i])));
    history.pushState(null, "", "?" + new URLSearchParams({ page }));
    travel(page, query, keys.length > 0, sight);
  };
  function travel(page, query, carries, sight = null) {
    for (const [home, key] of bar.shares)
      if (home === page && query.has(key)) (kept[page] ??= {})[key] = query.get(key);
    arrival = { page, sight, values: carries ? restored(page, query) : new Map() };
    if (arrival.values.size) lab.move?.();
    else lab.arrived();
  }
  const mounted = new Promise((resolve) => { lab.mounted = resolve; }); // the bar, by which values are handed over
  lab.arriving = () => bar.shares.map(([, , id]) => arrival?.values.get(id));
  lab.arrived = () => {
    if (!arrival) return;
    const { page, sight } = arrival;
    lab.page = page;
    arrival = null;
    document.querySelector(`#pages [data-tab-id="${CSS.escape(page)}"]`)?.click();
    follow();
    title();
    settle(() => sight && lab.show(sight));
    window.scrollTo(0, 0);
    window.dispatchEvent(new CustomEvent("lab:page"));
  };
  window.addEventListener("popstate", async () => {
    const query = new URLSearchParams([...new URLSearchParams(location.search), ...await long()]);
    const page = bar.pages.includes(query.get("page")) ? query.get("page") : bar.pages[0];
    if (page) travel(page, query, true);
  });

  // ---- components

  const kinds = {};
  // A component: name and a function (element, tools) that returns draw(value).
  lab.component = (name, make) => { kinds[name] = make; };

  // ---- notes that come and go

  let shelf;
  lab.toast = (title, text, mild = false) => {
    if (!shelf) {
      shelf = lab.el("div", { class: "lab-toasts", role: "status", "aria-live": "polite" });
      document.body.append(shelf);
    }
    const same = [...shelf.children].find((each) => each.dataset.text === text);
    same?.remove();
    const close = lab.el("button", { type: "button", "aria-label": lab.word("frame.close"), onclick: () => box.remove() }, "×");
    const box = lab.el("div", { class: mild ? "toast mild" : "toast", "data-text": text },
      lab.el("div", {}, lab.el("strong", {}, title), lab.el("p", {}, text)), close);
    shelf.append(box);
    const leave = () => { if (box.matches(":hover, :focus-within")) setTimeout(leave, 2000); else box.remove(); };
    setTimeout(leave, 8000);
  };
  lab.component("toast", () => (value) => value && lab.toast(lab.say(value.title), lab.say(value.text), value.mild));

  // Gradio keeps silent about a request outside its queue that the server refused.
  const fetched = window.fetch.bind(window);
  window.fetch = async (...args) => {
    const asks = String(args[0]?.url ?? args[0]).includes("/gradio_api/run/");
    flying += asks;
    const answer = await fetched(...args).finally(() => { flying -= asks; });
    if (!answer.ok && answer.status !== 404 && String(answer.url).includes("/gradio_api/run/"))
      lab.toast(lab.word("frame.error.title"), lab.word("frame.error.refused", { status: answer.status }));
    return answer;
  };

  // ---- a page is shown once it stands: its parts come in any order, and each would push the others about

  const QUIET = 80, PATIENCE = 3000, LONGEST = 10000; // milliseconds: without a change, for late answers, and for everything
  const settled = new Set(), drawn = new Set(); // pages; components of ours
  let flying = 0; // requests whose answers are awaited
  function settle(then = () => {}) {
    const page = lab.page;
    if (settled.has(page)) { // perhaps from one that still was not
      document.documentElement.classList.remove("settling");
      then();
      return;
    }
    settled.add(page);
    const wanted = ours(page), start = performance.now();
    let changed = start, some = Infinity;
    const changes = new MutationObserver(() => { changed = performance.now(); });
    changes.observe(document.documentElement, { childList: true, subtree: true });
    document.documentElement.classList.add("settling");
    const look = () => {
      const now = performance.now();
      if (some > now && wanted.some((id) => drawn.has(id))) some = now;
      const whole = wanted.every((id) => drawn.has(id)) && !flying && now - changed > QUIET && document.fonts.status === "loaded";
      if (!whole && now - some < PATIENCE && now - start < LONGEST && page === lab.page) { setTimeout(look, 20); return; }
      changes.disconnect();
      if (page !== lab.page) return;
      document.documentElement.classList.remove("settling");
      then();
    };
    look();
  }
  // The components of ours that stand on a page as it opens.
  function ours(page) {
    const known = new Map(config.components.map((each) => [each.id, each])), found = [];
    const find = (node) => (known.get(node.id)?.type === "tabitem" && known.get(node.id).props.id === page ? node
      : (node.children || []).map(find).find(Boolean));
    const walk = (node) => {
      const { type, props } = known.get(node.id);
      if (props.visible === false) return;
      if (type === "html") found.push(node.id);
      if (type !== "accordion" || props.open) (node.children || []).forEach(walk);
    };
    (find(config.layout)?.children || []).forEach(walk);
    return found;
  }

  lab.mount = (name, id, element, props, watch, trigger, events) => {
    drawn.add(id);
    const stops = [];
    const tools = {
      // The box most components stand in, with the component's label as its title.
      card() {
        const title = lab.el("h2", { class: "card-title" }), body = lab.el("div", { class: "body" });
        const name = () => { title.textContent = props.label || ""; title.hidden = !props.label; };
        watch("label", name);
        name();
        element.replaceChildren(lab.el("div", { class: "card" }, title, body));
        return body;
      },
      fire(event, data = {}) {
        lab.fired = data; // for listeners in the browser, to which Gradio hands no data
        if (events.includes(event)) trigger(event, data);
      },
      // What a visitor chose here becomes the component's value: handlers receive it, the address shows it.
      keep: (value) => { props.value = typeof value === "string" ? value : JSON.stringify(value); },
      // What the component was built with and never changes.
      given: (key) => built.get(id)?.[key],
      onLeave: (stop) => stops.push(stop),
    };
    const draw = kinds[name](element, tools);
    const show = () => {
      // Gradio keeps no notice of a component that it takes away.
      if (!element.isConnected) { stops.splice(0).forEach((stop) => stop()); return; }
      try { draw(name === "memo" ? props.value : parse(props.value)); } catch (error) { console.error(error); }
    };
    stops.push(lab.onShade(show));
    watch("value", show);
    show();
  };
  // A value is JSON, or a short choice as plain text, which reads well in an address.
  function parse(text) {
    if (!/^[[{"]/.test(text || "")) return text || null;
    try { return JSON.parse(text); } catch { return null; } // an address may hold anything
  }

  // A slider moved with the keyboard is released, too: Gradio only thinks of the pointer.
  document.addEventListener("keyup", (event) => {
    if (event.target.matches?.('input[type="range"]') && /^(Arrow|Page|Home|End)/.test(event.key))
      event.target.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  });

  // ---- helpers for the scripts of components

  // lab.el("span", {class: "chip", title: "..."}, "text", child, ...)
  lab.el = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
  lab.svg = (tag, attributes = {}, ...children) =>
    build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  function build(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined).map(
      (child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
    return node;
  }

  // White space and control characters made visible.
  lab.visible = (text) =>
    String(text).replace(/ /g, "·").replace(/\n/g, "↵").replace(/\t/g, "⇥").replace(/\r/g, "␍").replace(
      /[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(
      // Marks that would turn the text around; the joiners inside emoji are left alone.
      /[\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
      (c) => `⟨${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

  // A token as it is spelt: bytes that are only part of a character stand above it.
  lab.spelt = (text) => {
    const [, bytes, of] = /^(‹[0-9A-F ]+›)(.*)$/u.exec(text) || [];
    return bytes ? lab.el("span", { class: "spelt" }, lab.el("small", {}, bytes), lab.visible(of)) : lab.visible(text);
  };
  // What a model guesses; one that only begins its answer goes on.
  lab.guess = (text, begins) => (text === "" ? lab.word("components.nothing") : lab.visible(text) + (begins ? "…" : ""));

  const formats = new Map();
  lab.number = (value, digits = 3) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return "–";
    if (!formats.has(digits))
      formats.set(digits, new Intl.NumberFormat(locale, { maximumSignificantDigits: digits }));
    const format = formats.get(digits);
    return Math.abs(value) >= 10 ** digits ? Math.round(value).toLocaleString(locale) : format.format(value);
  };
  lab.percent = (share) =>
    share > 0 && share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;

  lab.colour = (name) => getComputedStyle(document.body).getPropertyValue("--lab-" + name).trim();
  lab.calm = () => system("(prefers-reduced-motion: reduce)").matches;

  // One floating note for the whole page.
  let note;
  lab.note = (lines, x, y) => {
    if (!note) {
      note = lab.el("div", { class: "lab-note", role: "tooltip" });
      document.body.append(note);
    }
    note.replaceChildren(...lines.filter(Boolean).map((line, i) => lab.el("div", { class: i ? "" : "first" }, line)));
    note.hidden = false;
    const box = note.getBoundingClientRect();
    const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
    const top = y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18;
    note.style.transform = `translate(${left}px, ${Math.max(8, top)}px)`;
  };
  lab.unnote = () => { if (note) note.hidden = true; };
  window.addEventListener("scroll", lab.unnote, { passive: true, capture: true });
  window.addEventListener("keydown", (event) => event.key === "Escape" && lab.unnote());

  // Draw when the width is known and again when it changes; at most once a frame.
  lab.sized = (element, draw, tools) => {
    let frame = 0, width = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => element.isConnected && element.clientWidth && draw(element.clientWidth));
    };
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) { width = element.clientWidth; later(); }
    });
    observer.observe(element);
    tools?.onLeave(() => observer.disconnect());
    return later;
  };

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

  // Copies a text; where the browser refuses, as inside a frame of another site, marks it so that a key press does it.
  lab.copy = async (text, mark) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { mark(); return document.execCommand("copy"); }
  };

  // Bring what was opened into view, once it is there.
  lab.show = (selector) => setTimeout(() => [...document.querySelectorAll(selector)].find((each) => each.offsetParent)
    ?.scrollIntoView({ behavior: lab.calm() ? "auto" : "smooth", block: "start" }), 120);

  lab.bytes = (base64) => Uint8Array.from(atob(base64 || ""), (c) => c.charCodeAt(0));

  // Lists of tokens walked with the arrow keys. `stage` holds listboxes; `next` gives the option one step ([down, right]) on,
  // `point` is told where one stands, `press` hears Enter and the space bar, `free` Escape, `say` gives the lines read out.
  lab.walk = (stage, { next, point, press, leave, free, say }) => {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const live = lab.el("output", { class: "unseen", "aria-live": "polite" });
    stage.after(live);
    let active = null;
    stage.addEventListener("keydown", (event) => {
      const list = event.target.closest("[role=listbox]"), mine = list ? [...list.querySelectorAll("[role=option]")] : [];
      if (!mine.length) return;
      const here = active && mine.includes(active) ? active : null;
      let found;
      if (event.key in steps) found = here ? next(mine, here, steps[event.key]) || here : mine[0];
      else if (event.key === "Home") found = mine[0];
      else if (event.key === "End") found = mine.at(-1);
      else if (event.key === "Escape") { free?.(); return; }
      else if ((event.key === "Enter" || event.key === " ") && here) { event.preventDefault(); press(here); return; }
      else return;
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
    stage.addEventListener("focusout", () => { active?.classList.remove("focus"); leave(); });
  };

  // The same thing lights up everywhere: components of one group share what is pointed at; a click locks it.
  // What is locked in a group with a name of its own is part of the address.
  const groups = new Map(), NAMELESS = /^(strip|table|map)-\d+$/;
  function opened(name) {
    const view = NAMELESS.test(name) ? null : lab.view(`locked.${name}`), at = parse(view?.value);
    const locked = !!at && typeof at === "object" && Object.values(at).every(Number.isInteger);
    if (view?.value && !locked) view.refuse();
    return { listeners: new Set(), at: locked ? at : null, locked, view };
  }
  lab.linked = (name, listener, tools) => {
    const group = groups.get(name) || opened(name);
    groups.set(name, group);
    group.listeners.add(listener);
    tools?.onLeave(() => group.listeners.delete(listener));
    if (group.locked) queueMicrotask(() => listener(group.at, true)); // once it is drawn
    const tell = () => group.listeners.forEach((each) => each(group.at, group.locked));
    return {
      point(at) { if (!group.locked) { group.at = at; tell(); } },
      lock(at) {
        group.locked = !(group.locked && JSON.stringify(group.at) === JSON.stringify(at)) && at !== null;
        group.at = at;
        group.view?.set(group.locked ? JSON.stringify(at) : "");
        tell();
      },
      get at() { return group.at; },
      get locked() { return group.locked; },
    };
  };
})();
