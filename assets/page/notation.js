// Texts, tokens, numbers and shares as every page writes them.
(() => {
  "use strict";
  const lab = window.lab;

  const point = (c) => `⟨${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  // Marks that would turn the text around are named.
  lab.unturned = (text) =>
    String(text).replace(/[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, point);
  // White space and control characters made visible, and a joiner that joins nothing.
  lab.visible = (text) =>
    lab
      .unturned(text)
      .replace(/^(?:\u200c|\u200d|[\ufe00-\ufe0f])+$/, (joiners) => joiners.replace(/./g, point))
      .replace(/ /g, "·")
      .replace(/\n/g, "↵")
      .replace(/\t/g, "⇥")
      .replace(/\r/g, "␍")
      .replace(/[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)));

  // A token as it is spelt: bytes that are only part of a character stand above it.
  lab.spelt = (text) => {
    const [, bytes, of] = /^(‹[0-9A-F ]+›)(.*)$/u.exec(text) || [];
    return bytes ? lab.el("span", { class: "spelt" }, lab.el("small", {}, bytes), lab.visible(of)) : lab.visible(text);
  };
  // What a model guesses; one that only begins its answer goes on.
  lab.guess = (text, begins) =>
    text === "" ? lab.word("components.nothing") : lab.visible(text) + (begins ? "…" : "");
  // Whether lists of guesses, as of a model that writes spans, hold some that only begin an answer.
  lab.begun = (lists) => lists.flat().some(([, , begins]) => begins);

  const formats = new Map();
  lab.number = (value, digits = 3) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return "–";
    if (!formats.has(digits))
      formats.set(digits, new Intl.NumberFormat(lab.locale, { maximumSignificantDigits: digits }));
    const format = formats.get(digits);
    return Math.abs(value) >= 10 ** digits ? Math.round(value).toLocaleString(lab.locale) : format.format(value);
  };
  lab.percent = (share) =>
    lab.typeset(
      share > 0 && share < 0.001 ? "<\u00a00.1\u00a0%" : `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`,
    );
})();
