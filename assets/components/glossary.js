// The glossary: every term by topic, found by typing; each with its names, its sentence and its place in the lab.
window.lab.component("glossary", (element, tools) => {
  const lab = window.lab,
    topics = JSON.parse(tools.given("topics") || "{}"),
    asked = lab.view("find");
  const body = tools.card(),
    first = lab.language,
    second = first === "en" ? "zh" : "en",
    rows = new Map();
  let chosen = null;

  // Links keep an address of their own, so that they can be opened beside each other.
  const link = (address, text, act) =>
    lab.el(
      "a",
      {
        href: "?" + address,
        onclick: (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
          event.preventDefault();
          act();
        },
      },
      text,
    );

  function place(see) {
    const { page, ...rest } = Object.fromEntries(new URLSearchParams(see));
    const text = lab.word("glossary.see", { page: lab.word("frame.tab." + page) });
    const fold = rest.open && `#fold-${page}-${rest.open}`;
    return link(see, text, () => lab.goto(page, Object.keys(rest), Object.values(rest), fold));
  }

  // As one writes it: "kv-cache", "topk", "finetuning", "tokeniser".
  const bare = (text) =>
    text
      .toLowerCase()
      .replace(/[-–\s]/g, "")
      .replace(/is(?=e|i|a)/g, "iz");

  function row([key, term]) {
    const [lead, ...others] = term[first];
    const name = link(`page=glossary&term=${key}`, lead, () => tools.keep(key));
    const also = [term[second][0], ...others, ...term[second].slice(1)].filter(
      (each, i, before) => ![lead, ...before.slice(0, i)].some((one) => one.toLowerCase() === each.toLowerCase()),
    );
    const node = lab.el(
      "div",
      { class: "term" },
      lab.el("dt", {}, name, " ", lab.el("span", { class: "also" }, also.join(" · "))),
      lab.el("dd", {}, term["says_" + first], " ", place(term.see)),
    );
    const known = [key, ...term.en, ...term.zh, term.says_en, term.says_zh].join(" ").toLowerCase();
    rows.set(key, { node, name, known, spelt: bare(known) });
    return node;
  }

  const field = lab.el("input", {
    type: "search",
    placeholder: lab.word("glossary.hint"),
    "aria-label": lab.word("glossary.find"),
  });
  const count = lab.el("p", { class: "note", role: "status" });
  const all = Object.entries(lab.glossary);
  const sections = Object.entries(topics).map(([topic, title]) =>
    lab.el(
      "section",
      {},
      lab.el("h2", {}, lab.say(title)),
      lab.el("dl", {}, all.filter(([, term]) => term.topic === topic).map(row)),
    ),
  );
  function find() {
    const typed = field.value.normalize("NFKC"); // whoever writes Chinese may type letters as wide as characters
    const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const whole = bare(typed);
    let shown = 0;
    for (const { node, known, spelt } of rows.values()) {
      node.hidden = !wanted.every((word) => known.includes(word)) && !(whole && spelt.includes(whole));
      shown += Number(!node.hidden);
    }
    for (const section of sections) section.hidden = !section.querySelector(".term:not([hidden])");
    count.textContent = lab.word(shown ? "glossary.count" : "glossary.none", { n: shown, all: rows.size });
  }
  field.value = asked.value;
  field.addEventListener("input", () => {
    asked.set(field.value);
    if (chosen && field.value) tools.keep(""); // else a reload would look for the term that was open, and not for this
    find();
  });
  body.append(field, count, ...sections);
  find();

  return (value) => {
    const key = (value || "").replace(/[- ]/g, "_"); // as an address may spell it
    const { node, name } = rows.get(key) ?? {};
    if (node === chosen) return;
    chosen?.classList.remove("chosen");
    for (const each of rows.values()) each.name.removeAttribute("aria-current");
    chosen = node;
    if (!node) return;
    node.classList.add("chosen");
    name.setAttribute("aria-current", "true");
    if (node.hidden) {
      field.value = "";
      asked.set("");
      find();
    }
    setTimeout(() => node.scrollIntoView({ behavior: lab.calm() ? "auto" : "smooth", block: "nearest" }), 120);
  };
});
