// A component's value as an address writes it, and read back from one.
(() => {
  "use strict";
  const lab = window.lab;

  lab.write = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  function read(component, text) {
    const props = component.props;
    const choices = (props.choices || []).map((c) => (Array.isArray(c) ? c[1] : c));
    const choice = (wanted) => choices.find((c) => lab.write(c) === lab.write(wanted) || String(c) === String(wanted));
    switch (component.type) {
      case "checkbox":
        return { true: true, false: false }[text];
      case "number":
      case "slider": {
        const number = Number(text);
        if (text === "" || !Number.isFinite(number)) return undefined;
        return Math.min(props.maximum ?? Infinity, Math.max(props.minimum ?? -Infinity, number));
      }
      case "dropdown":
      case "radio":
      case "checkboxgroup": {
        if (component.type !== "checkboxgroup" && !props.multiselect)
          return props.allow_custom_value ? text : choice(text);
        try {
          return JSON.parse(text)
            .map(choice)
            .filter((c) => c !== undefined);
        } catch {
          return undefined;
        }
      }
      default: {
        const { pattern, schemas } = lab.built.get(component.id) ?? {}; // of one of our own components
        if (schemas && text && !lab.parse(text)?.values) return undefined; // the settings of a model, as JSON
        if (pattern && text && !new RegExp(`^(?:${pattern})$`).test(text)) return undefined;
        return text.slice(0, props.max_length || 100000);
      }
    }
  }

  const cut = (component, said, value) =>
    component.type === "textbox" && typeof value === "string" && value.length < said.length;

  // The values that an address names for a page: id of the component -> value.
  lab.restored = (page, query) => {
    const found = new Map();
    for (const [home, key, id] of lab.shares) {
      const component = lab.config.components.find((c) => c.id === id);
      if (home !== page || !query.has(key) || !component) continue;
      const said = query.get(key),
        value = read(component, said);
      if (value !== undefined) found.set(id, value);
      else query.delete(key);
      if (cut(component, said, value))
        lab.complain("frame.link.cut", {
          key,
          all: said.length.toLocaleString(lab.locale),
          most: value.length.toLocaleString(lab.locale),
        });
      if (value === undefined || (typeof value === "number" && value !== Number(said)))
        lab.complain(value === undefined ? "frame.link.value" : "frame.link.bound", {
          key,
          value: said.slice(0, 60),
          now: String(value),
        });
    }
    return found;
  };

  // What a link asks for and cannot have is said, once there is a page to say it on.
  lab.complain = (key, data) => {
    const speak = () => lab.toast(lab.word("frame.link"), lab.word(key, data), true);
    if (document.readyState === "complete") speak();
    else window.addEventListener("load", speak, { once: true });
  };
})();
