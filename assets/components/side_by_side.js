// Two pieces of source beside each other. On a narrow screen a line that differs stands above the one in its place.
window.lab.component("side_by_side", (element, tools) => {
  const lab = window.lab,
    body = tools.card();
  return (value) => {
    if (!value?.rows) {
      body.replaceChildren();
      return;
    }
    const cell = (side, text, same) =>
      lab.el("code", { class: `${side} ${text === null ? "none" : same ? "same" : "own"}` }, text ?? "");
    const rows = value.rows.flatMap(([left, right]) => [
      cell("left", left, left === right),
      cell("right", right, left === right),
    ]);
    const name = (side, text) => lab.el("strong", { class: side }, lab.say(text));
    body.replaceChildren(
      lab.el("div", { class: "sides", tabindex: 0 }, name("left", value.left), name("right", value.right), rows),
    );
  };
});

window.lab.component("table", (element, tools) => {
  const LINE = 24; // so many characters of a cell stay on one line, however narrow the page: the table scrolls then
  const lab = window.lab,
    body = tools.card();
  const shown = (each) =>
    typeof each === "number" ? each.toLocaleString(document.documentElement.lang) : lab.say(each);
  return (value) => {
    element.hidden = !value?.rows?.length && value?.empty === "";
    if (!value?.rows?.length) {
      body.replaceChildren(lab.el("p", { class: "none" }, lab.say(value?.empty)));
      return;
    }
    const numeric = (i) => value.rows.every((row) => typeof row[i] === "number");
    const brief = (each, at, i) => at >= 0 && i > 0 && String(shown(each)).length <= LINE;
    // A number that leads somewhere is a button, and so is a cell whose row has a name.
    const pick = (row, column, name) =>
      lab.el("button", { type: "button", class: "cell", onclick: () => tools.fire("pick", { row, column, name }) });
    const [leading, names] = value.leads || [];
    const content = (each, row, column) => {
      const name = column + 1 === leading ? names[row] : undefined;
      if (row < 0 || (!name && (!value.cells || typeof each !== "number"))) return shown(each);
      const cell = pick(row, column, name);
      cell.textContent = shown(each);
      return cell;
    };
    const cells = (tag, row, at = -1) =>
      row.map((each, i) =>
        lab.el(
          tag,
          { class: numeric(i) ? "number" : brief(each, at, i) ? "brief" : null, scope: tag === "th" ? "col" : null },
          content(each, at, i - 1),
        ),
      );
    body.replaceChildren(
      lab.el(
        "div",
        { class: "table", tabindex: 0 },
        lab.el(
          "table",
          {},
          lab.el("thead", {}, lab.el("tr", {}, cells("th", value.columns))),
          lab.el(
            "tbody",
            {},
            value.rows.map((row, at) => lab.el("tr", {}, cells("td", row, at))),
          ),
        ),
      ),
      ...(value.note ? [lab.el("p", { class: "about" }, lab.say(value.note))] : []),
    );
  };
});
