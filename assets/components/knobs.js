// The knobs of whatever is chosen elsewhere. What is typed is handed on as it is: the server says what is wrong.
(() => {
  const lab = window.lab;

  lab.component("knobs", (element, tools) => {
    const schemas = JSON.parse(tools.given("schemas") || "{}");
    let drawn = "",
      values = {},
      controls = [];

    function keep(name, value) {
      values[name] = value;
      tools.keep({ of: drawn, values });
    }

    function control(knob) {
      const title = lab.say(knob.title),
        set = (value) => keep(knob.name, value);
      const common = { "aria-label": title, name: knob.name };
      if (knob.kind === "switch") {
        const box = lab.el("input", { type: "checkbox", ...common, onchange: () => set(box.checked) });
        return {
          node: lab.el("label", { class: "knob switch" }, box, lab.el("span", {}, title)),
          show: (v) => {
            box.checked = v;
          },
        };
      }
      if (knob.kind === "choice") {
        const select = lab.el(
          "select",
          { ...common, onchange: () => set(knob.choices[select.selectedIndex]) },
          knob.titles.map((each) => lab.el("option", {}, lab.say(each))),
        );
        return {
          node: row(title, select),
          show: (v) => {
            select.selectedIndex = knob.choices.indexOf(v);
          },
        };
      }
      const field = lab.el("input", {
        type: "text",
        inputmode: knob.kind === "text" ? "text" : "decimal",
        autocomplete: "off",
        ...common,
        oninput: () => {
          const v = typed(field.value, knob);
          if (range && Number.isFinite(v)) range.value = v;
          set(v);
        },
      });
      const range = knob.slides
        ? lab.el("input", {
            type: "range",
            min: knob.low,
            max: knob.high,
            step: knob.step === "any" ? (knob.high - knob.low) / 100 : knob.step,
            tabindex: -1,
            "aria-hidden": "true",
            oninput: () => {
              field.value = tidy(range.value);
            },
            onchange: () => set(Number(tidy(range.value))),
          })
        : null;
      const show = (v) => {
        if (document.activeElement !== field) field.value = v === null || v === undefined ? "" : v;
        if (range) range.value = v;
      };
      return { node: row(title, field, range), show };
    }

    const tidy = (text) => String(Number(Number(text).toPrecision(6)));
    const row = (title, input, range = null) =>
      lab.el("div", { class: "knob" }, lab.el("div", { class: "knob-name" }, lab.el("span", {}, title), input), range);

    // A number, nothing where the field is empty, or the text that is no number.
    function typed(text, knob) {
      if (knob.kind === "text") return text;
      if (text.trim() === "") return null;
      return Number.isFinite(Number(text)) ? Number(text) : text.slice(0, 100);
    }

    function build(of) {
      drawn = of;
      const known = Object.hasOwn(schemas, of) ? schemas[of] : { knobs: [] };
      controls = known.knobs.map((knob) => ({ knob, ...control(knob) }));
      element.replaceChildren(
        ...(controls.length ? [lab.el("h3", {}, lab.say(known.title)), ...controls.map((each) => each.node)] : []),
      );
    }

    return (value) => {
      const of = String(value?.of ?? "");
      if (of !== drawn) build(of);
      values = { ...value?.values };
      for (const { knob } of controls)
        for (const was of knob.was ?? [])
          if (was in values && !controls.some((other) => other.knob.name === was)) {
            values[knob.name] ??= values[was]; // a link from before the setting had its name
            delete values[was];
          }
      for (const { knob, show } of controls) show(knob.name in values ? values[knob.name] : knob.start);
    };
  });
})();
