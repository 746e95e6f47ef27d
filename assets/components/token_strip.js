// Rows of tokens as chips. Rows of equal length stand under each other, position by position; those above them do not.
window.lab.component("token_strip", (element, tools) => {
  const lab = window.lab;
  const LIMIT = 4096;
  const body = tools.card();
  let rows = [],
    above = 0,
    chips = new Map(),
    lit = [],
    aligned = false; // chips by position

  const stage = lab.el("div", { class: "stage" });
  const note = lab.el("p", { class: "strip-note" });
  body.append(stage, note);

  let linked = null,
    group = null;

  function lines(token) {
    const parts = [`“${lab.visible(token.text)}”`];
    if (token.kind && token.kind !== "original") parts.push(lab.word("components.kind." + token.kind));
    if (token.id !== undefined && token.id !== null) parts.push(lab.word("components.id", { id: token.id }));
    if (token.bytes) {
      const pairs = token.bytes.match(/../g) || [];
      parts.push(
        lab.word("components.bytes", {
          n: pairs.length,
          bytes: pairs.slice(0, 16).join(" ") + (pairs.length > 16 ? " …" : ""),
        }),
      );
    }
    if (token.note) parts.push(lab.say(token.note));
    for (const [text, share, begins] of token.top || [])
      parts.push(`${lab.percent(share).padStart(6, "\u2007")}  ${lab.guess(text, begins)}`);
    return parts;
  }

  function chip(token, row, at) {
    if (!token) return lab.el("span", { class: "chip none" });
    const kind = token.kind || "original";
    const node = lab.el("span", { class: "chip " + kind, role: "option", "aria-selected": "false", "data-row": row });
    node.dataset.at = at += rows[row].from;
    // Bytes before a whole character are part of it in a token, but not in a few tokens together, which have no id.
    node.append(token.text === "" ? "∅" : token.id === undefined ? lab.visible(token.text) : lab.spelt(token.text));
    if (token.unknown) node.classList.add("unknown");
    if (token.text && !token.text.trim()) node.classList.add("blank");
    if (!chips.has(at)) chips.set(at, []);
    chips.get(at).push(node);
    return node;
  }

  function draw(value) {
    above = value?.above?.length || 0;
    rows = [...(value?.above || []), ...(value?.rows || [])].map((row) => ({
      label: lab.say(row.label),
      tokens: row.tokens || [],
      more: row.more || 0,
      from: row.from || 0,
    }));
    const below = rows.slice(above);
    chips = new Map();
    lit = [];
    const wanted = value?.group || "strip-" + element.dataset.n;
    if (!linked || group !== wanted) {
      group = wanted;
      linked = lab.linked(group, light, tools);
    }
    note.textContent = []
      .concat(value?.note || [])
      .map(lab.say)
      .join(lab.language === "zh" ? "" : " ");
    note.hidden = !note.textContent;
    const longest = Math.max(0, ...below.map((row) => row.tokens.length));
    if (!longest) {
      stage.replaceChildren(lab.el("div", { class: "empty" }, lab.say(value?.empty) || lab.word("components.empty")));
      return;
    }
    aligned =
      value.aligned !== false &&
      below.length > 1 &&
      longest <= 1024 &&
      below.every((row) => row.tokens.length === longest);
    stage.replaceChildren(...strips(aligned ? above : rows.length), ...(aligned ? [columns(longest)] : []));
    place();
    if (linked.locked) light(linked.at, true);
  }

  function strips(count) {
    let left = LIMIT;
    return rows.slice(0, count).map((row, r) => {
      const shown = row.tokens.slice(0, Math.max(0, left));
      left -= shown.length;
      const more = row.tokens.length - shown.length + row.more;
      return lab.el(
        "div",
        { class: "strip" },
        row.label ? lab.el("div", { class: "row-label" }, row.label) : null,
        lab.el(
          "div",
          { class: "chips", role: "listbox", tabindex: 0, "aria-label": row.label || lab.word("components.tokens") },
          shown.map((token, i) => chip(token, r, i)),
          more > 0
            ? lab.el("span", { class: "more" }, lab.word("components.more", { n: more.toLocaleString(lab.locale) }))
            : null,
        ),
      );
    });
  }

  // Columns wrap like words; the rows' labels are repeated at the head of every line once its place is known.
  function columns(longest) {
    const below = rows.slice(above),
      columns = [];
    for (let at = 0; at < longest; at++)
      columns.push(
        lab.el(
          "span",
          { class: "column" },
          below.map((row, r) => chip(row.tokens[at], above + r, at)),
        ),
      );
    const labels = lab.el("div", { class: "labels", "aria-hidden": "true" });
    const grid = lab.el(
      "div",
      { class: "columns", role: "listbox", tabindex: 0, "aria-label": lab.listed(below.map((row) => row.label)) },
      columns,
    );
    return lab.el("div", { class: "aligned" }, labels, grid);
  }
  function place() {
    const labels = stage.querySelector(".labels"),
      columns = stage.querySelectorAll(".column");
    if (!labels || !columns.length || !stage.clientWidth) return;
    const lines = new Map(); // by where they stand, with every row in place
    for (const column of columns) for (const node of column.children) node.hidden = false;
    for (const column of columns) lines.set(column.offsetTop, [...(lines.get(column.offsetTop) || []), column]);
    const told = [...lines.values()].map((line) =>
      rows.slice(above).map((_, r) => line.some((column) => !column.children[r].matches(".none"))),
    );
    [...lines.values()].forEach((line, i) => {
      // a row without anything in a line takes no room there
      for (const column of line)
        [...column.children].forEach((node, r) => {
          node.hidden = !told[i][r];
        });
    });
    labels.replaceChildren(
      ...[...lines.values()].map((line, i) => {
        const stack = lab.el(
          "div",
          { class: "stack" },
          rows
            .slice(above)
            .filter((_, r) => told[i][r])
            .map((row) => lab.el("span", { class: "row-label" }, row.label)),
        );
        stack.style.top = line[0].offsetTop + "px";
        return stack;
      }),
    );
  }
  lab.sized(stage, () => aligned && place(), tools);

  // ---- pointing

  function light(at, locked) {
    const wanted = at === null ? [] : [...new Set([at.at, at.row, at.col])].flatMap((i) => chips.get(i) || []);
    for (const node of lit) if (!wanted.includes(node)) mark(node, false, false);
    for (const node of wanted) mark(node, true, locked);
    lit = wanted;
  }
  function mark(node, on, locked) {
    node.classList.toggle("on", on);
    node.classList.toggle("locked", on && locked);
    node.setAttribute("aria-selected", String(on && locked));
  }
  const place_of = (node) => ({ row: Number(node.dataset.row), at: Number(node.dataset.at) });
  const tokenAt = ({ row, at }) => rows[row].tokens[at - rows[row].from];
  const about = (node) => lines(tokenAt(place_of(node)));
  function explain(node) {
    const box = node.getBoundingClientRect();
    lab.note(about(node), box.left + box.width / 2 - 14, box.bottom - 10);
  }
  const chipOf = (event) => event.target.closest?.("[role=option]");
  stage.addEventListener("mouseover", (event) => {
    const node = chipOf(event);
    if (!node) return;
    linked.point({ at: place_of(node).at });
    explain(node);
  });
  stage.addEventListener("mouseleave", () => {
    linked?.point(null);
    lab.unnote();
  });
  stage.addEventListener("click", (event) => {
    const node = chipOf(event);
    if (!node) return;
    const { row, at } = place_of(node);
    linked.lock({ at });
    tools.fire("pick", { row, at, id: tokenAt({ row, at }).id });
  });
  // The nearest chip that way; a row may have empty places.
  function beside(mine, node, [down, right]) {
    const { row, at } = place_of(node);
    if (!aligned) return mine[mine.indexOf(node) + down + right];
    const forward = (other) => {
      const there = place_of(other);
      return down ? there.at === at && (there.row - row) * down : there.row === row && (there.at - at) * right;
    };
    return mine.filter((other) => forward(other) > 0).sort((a, b) => forward(a) - forward(b))[0];
  }
  lab.walk(stage, {
    next: beside,
    point(node) {
      linked.point({ at: place_of(node).at });
      explain(node);
    },
    press: (node) => node.click(),
    leave: lab.unnote,
    free() {
      linked.lock(null);
      lab.unnote();
    },
    say: about,
  });

  element.dataset.n = String((window.lab.counter = (window.lab.counter || 0) + 1));
  return draw;
});
