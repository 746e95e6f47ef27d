// Components of our own: how one is registered, drawn, told of changes and heard.
(() => {
  "use strict";
  const lab = window.lab;

  const kinds = {};
  lab.memos = new Map(); // id of a memo -> the text that it holds
  lab.drawn = new Set(); // ids of the components that are drawn
  // id of a component -> what it was built with. An answer that reaches one before it is drawn, even one that leaves it
  // as it is, makes Gradio forget all but its value.
  lab.built = new Map();

  // A component: name and a function (element, tools) that returns draw(value).
  lab.component = (name, make) => {
    kinds[name] = make;
  };

  lab.mount = (name, id, element, props, watch, trigger, events) => {
    lab.drawn.add(id);
    const stops = [];
    const tools = {
      // The box most components stand in, with the component's label as its title.
      card() {
        const title = lab.el("h2", { class: "card-title" }),
          body = lab.el("div", { class: "body" });
        const name = () => {
          title.textContent = props.label || "";
          title.hidden = !props.label;
        };
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
      keep: (value) => {
        props.value = typeof value === "string" ? value : JSON.stringify(value);
      },
      // What the component was built with and never changes.
      given: (key) => lab.built.get(id)?.[key],
      onLeave: (stop) => stops.push(stop),
    };
    const draw = kinds[name](element, tools);
    const show = () => {
      // Gradio keeps no notice of a component that it takes away.
      if (!element.isConnected) {
        stops.splice(0).forEach((stop) => stop());
        return;
      }
      if (name === "memo") lab.memos.set(id, props.value);
      try {
        draw(name === "memo" ? props.value : lab.parse(props.value));
      } catch (error) {
        console.error(error);
      }
    };
    stops.push(lab.onShade(show));
    watch("value", show);
    show();
  };
  // A value is JSON, or a short choice as plain text, which reads well in an address.
  lab.parse = (text) => {
    if (!/^[[{"]/.test(text || "")) return text || null;
    try {
      return JSON.parse(text);
    } catch {
      return null;
    } // an address may hold anything
  };
})();
