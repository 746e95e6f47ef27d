// The page's words in the visitor's language, which come with Gradio's configuration.
(() => {
  "use strict";
  const lab = window.lab;

  const FIGURES = /^[\d.,<>±+−–%()\s\u2060]*$/; // nothing but numbers
  lab.words = {};
  // Numbers and their units as the language sets them: Chinese has no blank before a sign of percent.
  lab.typeset = (text) => (lab.language === "zh" ? text.replace(/(?<=[\d}])[ \u00a0]%/g, "%") : text);
  lab.word = (key, data = {}) => fill(lab.words[key] ?? key, data);
  // A text inside a component's value: plain, a pair of languages, or a key with data.
  lab.say = (text) => {
    if (text === null || text === undefined) return "";
    if (typeof text !== "object") return FIGURES.test(text) ? lab.typeset(String(text)) : String(text);
    if (text.word) return lab.word(text.word, text);
    return lab.typeset(String(text[lab.language] ?? text.en ?? ""));
  };
  // Several texts in a row, as the language sets them apart.
  lab.listed = (texts) => texts.join(lab.language === "zh" ? "、" : ", ");
  // Whether a text is the lab's own throughout: a pair of languages, or a word whose gaps hold numbers and such texts.
  lab.ours = (text) => {
    if (typeof text === "number") return true;
    if (text === null || typeof text !== "object") return false;
    return text.word ? Object.entries(text).every(([name, data]) => name === "word" || lab.ours(data)) : "en" in text;
  };
  // A number and its unit stay on one line. {n|step|steps} is "step" where n is 1.
  const fill = (text, data) =>
    lab
      .typeset(text)
      .replace(/([}\d]) (?=%|(?:[kMG]B|s)\b)/g, "$1\u00a0")
      .replace(/\{(\w+)\|([^|}]+)\|([^|}]+)\}/g, (_, name, one, many) => (String(data[name]) === "1" ? one : many))
      .replace(/\{(\w+)\}/g, (gap, name) => (name in data ? lab.say(data[name]) : gap));
})();
