// The language: the address, else the last choice, else the browser.
(() => {
  "use strict";
  const lab = window.lab;

  const known = (tag) => (!tag ? null : /^zh/i.test(tag) ? "zh" : /^en/i.test(tag) ? "en" : null);
  lab.languageAsked = known(lab.asked.get("lang")); // by the address
  lab.language = lab.languageAsked || known(lab.memory.get("lab_lang")) || known(navigator.language) || "en";
  // Gradio reads the browser's language once, at its start.
  lab.locale = lab.language === "zh" ? "zh-CN" : "en";
  Object.defineProperty(navigator, "language", { configurable: true, get: () => lab.locale });
  Object.defineProperty(navigator, "languages", { configurable: true, get: () => [lab.locale] });
  document.documentElement.lang = lab.locale;

  // Inside a frame of another site only such a cookie is sent; the server reads it to say errors.
  const far = location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
  document.cookie = `lab_lang=${lab.language}; path=/; max-age=31536000${far}`;
  if (lab.languageAsked) lab.memory.set("lab_lang", lab.language);

  lab.speak = async (language) => {
    lab.memory.set("lab_lang", language);
    await lab.complete();
    await lab.follow();
    const query = new URLSearchParams(location.search);
    query.set("lang", language);
    location.search = query.toString();
  };
})();
