// Running text whose tokens speak for a class or against it: the stronger, the deeper the colour and the line below.
window.lab.component("evidence", (element, tools) => {
  const lab = window.lab;
  const body = tools.card(),
    view = lab.view("evidence");
  const dial = lab.el("div", { class: "methods", role: "group", "aria-label": lab.word("components.evidence.method") }),
    about = lab.el("p", { class: "about" }),
    stage = lab.el("div", { class: "stage" });
  const sign = (name, word) => lab.el("span", { class: `token ${name} deep` }, word);
  const signs = [
    sign("for", lab.word("components.evidence.for")),
    sign("against", lab.word("components.evidence.against")),
  ];
  body.append(dial, about, stage, lab.el("p", { class: "legend" }, signs));
  let value = null;

  function amount(token, method) {
    const number = lab.number(Math.abs(token[method]), 3);
    return (token[method] < 0 ? "−" : "+") + number;
  }
  function text(row, method) {
    if (row.lacks?.[method]) return lab.el("p", { class: "note" }, lab.say(row.lacks[method]));
    const most = Math.max(1e-9, ...row.tokens.map((token) => Math.abs(token[method])));
    const make = (token) => {
      if (token.special) return lab.el("span", { class: "special" });
      const strength = Math.abs(token[method]) / most;
      const node = lab.el("span", { class: token[method] < 0 ? "against" : "for", title: amount(token, method) });
      node.style.setProperty("--share", `${Math.round(60 * strength)}%`);
      node.classList.toggle("deep", strength > 0.5);
      return node;
    };
    return lab.el("p", { class: "running", dir: "auto" }, lab.surprise.spans(row.tokens, make));
  }
  function show() {
    const rows = value?.rows || [],
      methods = value?.methods || [];
    const chosen = methods.find(([name]) => name === view.value) || methods[0];
    dial.replaceChildren(
      ...methods.map(([name, title]) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(name === chosen[0]),
            onclick: () => {
              view.set(name);
              show();
            },
          },
          lab.say(title),
        ),
      ),
    );
    body.classList.toggle("bare", !rows.length);
    about.textContent = chosen ? lab.say(chosen[2]) : "";
    stage.replaceChildren(
      ...rows.map((row) =>
        lab.el(
          "div",
          { class: "row" },
          lab.el("div", { class: "row-label" }, lab.say(row.label)),
          text(row, chosen[0]),
        ),
      ),
    );
    if (!rows.length) stage.append(lab.el("div", { class: "empty" }, lab.say(value?.empty)));
  }
  return (given) => {
    value = given;
    show();
  };
});
