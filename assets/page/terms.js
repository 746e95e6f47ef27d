// Terms of the glossary where the page says them: marked once a block, their sentence on hover, focus and tap.
(() => {
  "use strict";
  const lab = window.lab;

  // Only where the lab itself speaks: a paragraph that holds something of a visitor's is not data-ours (see lab.ours).
  const BLOCKS = ".lab-prose, .lab .card-title, .lab-knobs .knob, [data-testid=block-info]";
  const NEVER = "code, pre, a, button, summary, input, select, textarea, .lab-term";
  const PAUSE = 150; // milliseconds from a change of the page to the next look

  // All names, the longest first; those in Latin letters only as whole words, with or without the s of a plural.
  let names, pattern;
  function read() {
    const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const isLatin = (name) => /^[\x20-\u024f\u2013]+$/.test(name);
    names = new Map();
    for (const [key, term] of Object.entries(lab.glossary))
      for (const name of term.marked ?? [...term.en, ...term.zh])
        if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), { key, proper: /^[A-Z]/.test(name) });
    const sorted = [...names.keys()].sort((a, b) => b.length - a.length).map((name) => [isLatin(name), escaped(name)]);
    const of = (latin) => sorted.filter((each) => each[0] === latin).map((each) => each[1]);
    pattern = new RegExp(`(?<![\\w-])(${of(true).join("|")})s?(?![\\w-])|${of(false).join("|")}`, "gi");
  }

  // What a screen reader reads of a term.
  let sentences;
  function described(key) {
    const id = "term-" + key;
    if (!sentences) {
      sentences = lab.el("div", { hidden: true });
      document.body.append(sentences);
    }
    if (!document.getElementById(id)) sentences.append(lab.el("span", { id }, says(key)));
    return id;
  }
  const says = (key) => lab.glossary[key][lab.language === "zh" ? "says_zh" : "says_en"];

  // Pieces of text that were looked at: what a component draws anew is a new piece.
  const done = new WeakSet();
  function mark(block) {
    const seen = new Set([...block.querySelectorAll(".lab-term")].map((term) => term.dataset.term));
    for (const part of block.matches(".lab-prose") ? block.querySelectorAll("[data-ours]") : [block]) {
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT),
        texts = [];
      while (walker.nextNode())
        if (!done.has(walker.currentNode) && !walker.currentNode.parentElement.closest(NEVER))
          texts.push(walker.currentNode);
      texts.forEach((text) => split(text, seen));
    }
  }
  // From the last to the first, so that what stands before keeps its place.
  function split(text, seen) {
    const found = [];
    for (const match of text.data.matchAll(pattern)) {
      const { key, proper } = names.get((match[1] ?? match[0]).toLowerCase());
      if (proper && /^[a-z]/.test(match[0])) continue; // transformers is a library
      if (!seen.has(key)) found.push([match.index, match[0].length, key]);
      seen.add(key);
    }
    done.add(text);
    for (const [at, length, key] of found.reverse()) {
      const name = text.splitText(at);
      done.add(name.splitText(length));
      const term = lab.el("dfn", {
        class: "lab-term",
        tabindex: 0,
        "data-term": key,
        "aria-describedby": described(key),
      });
      name.replaceWith(term);
      term.append(name);
    }
  }

  lab.markTerms = () => {
    if (!pattern) read();
    document.querySelectorAll(`#pages :is(${BLOCKS})`).forEach(mark);
    changes.takeRecords();
  };
  let waiting = false;
  const changes = new MutationObserver(later);
  function later() {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (document.documentElement.classList.contains("settling")) later();
      else lab.markTerms();
    }, PAUSE);
  }
  document.addEventListener("DOMContentLoaded", () =>
    changes.observe(document.body, { childList: true, subtree: true }),
  );

  function show(term) {
    const { en, zh } = lab.glossary[term.dataset.term],
      box = term.getBoundingClientRect();
    const both = lab.language === "zh" ? [zh[0], en[0]] : [en[0], zh[0]];
    lab.note([[...new Set(both)].join(" · "), says(term.dataset.term)], box.left - 14, box.bottom - 12);
  }
  const on = (name, act) =>
    document.addEventListener(name, (event) => {
      const term = event.target.closest?.(".lab-term");
      if (term) act(term, event);
    });
  on("pointerover", show);
  on("pointerout", lab.unnote);
  // Focus may scroll, which takes the note away: after that.
  on("focusin", (term) => requestAnimationFrame(() => term.matches(":focus-visible") && show(term)));
  on("focusout", lab.unnote);
  on("click", (term, event) => {
    event.preventDefault(); // in a label: the field stays as it is
    show(term);
  });
  on("keydown", (term, event) => event.key === "Enter" && lab.goto("glossary", ["term"], [term.dataset.term]));
  window.addEventListener("lab:page", lab.unnote);
})();
