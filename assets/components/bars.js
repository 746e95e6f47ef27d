// Horizontal bars: probabilities with what is cut off greyed; and parts that add up to a whole.
(() => {
  const lab = window.lab;

  lab.component("bars", (element, tools) => {
    const body = tools.card();
    const list = lab.el("ol", { class: "bars" });
    const none = lab.el("div", { class: "empty" });
    body.append(list, none);
    // Where the bar should end, and how far chance alone may move it.
    function expect(row, bar, most) {
      const place = (v) => Math.min(100, Math.max(0, (100 * v) / most));
      row.band.hidden = row.mark.hidden = bar.expected === undefined;
      if (row.band.hidden) return;
      const [low, high] = bar.band || [bar.expected, bar.expected];
      row.band.style.left = `${place(low)}%`;
      row.band.style.width = `${place(high) - place(low)}%`;
      row.mark.style.left = `${place(bar.expected)}%`;
    }

    const rows = new Map(); // kept by name, so that lengths glide instead of jumping

    return (value) => {
      const bars = value?.bars || [];
      list.classList.toggle("wide", !!value?.wide);
      const most = value?.max || Math.max(1e-12, ...bars.flatMap((bar) => [bar.value, bar.expected ?? 0]));
      const wanted = bars.map((bar, i) => {
        const key = bar.key ?? JSON.stringify(bar.name);
        if (!rows.has(key)) {
          const name = lab.el("span", { class: "name" }),
            fill = lab.el("span", { class: "fill" }),
            number = lab.el("span", { class: "number" });
          const band = lab.el("span", { class: "band" }),
            mark = lab.el("span", { class: "expected" });
          rows.set(key, {
            node: lab.el("li", {}, name, lab.el("span", { class: "track" }, fill, band, mark), number),
            name,
            fill,
            number,
            band,
            mark,
          });
        }
        const row = rows.get(key),
          label = lab.say(bar.name);
        row.name.textContent = bar.token === false ? label : lab.visible(label) || "∅";
        row.fill.style.width = `${Math.min(100, (100 * bar.value) / most)}%`;
        expect(row, bar, most);
        row.number.textContent = bar.said
          ? lab.say(bar.said)
          : value.unit === "number"
            ? lab.number(bar.value)
            : lab.percent(bar.value);
        row.node.className = [
          bar.kind || "",
          bar.said ? "told" : "",
          bar.cut ? "cut" : "",
          bar.chosen ? "chosen" : "",
        ].join(" ");
        row.node.title = [bar.cut ? lab.word("components.cut") : "", lab.say(bar.note)].filter(Boolean).join(" · ");
        row.node.onclick = () => tools.fire("pick", { i, key });
        return row.node;
      });
      list.replaceChildren(...wanted);
      for (const [key, row] of rows) if (!row.node.isConnected) rows.delete(key);
      none.hidden = bars.length > 0;
      none.textContent = lab.say(value?.empty) || lab.word("components.empty");
    };
  });

  const PARTS = 7;
  lab.component("stacked", (element, tools) => {
    const body = tools.card();
    const short = (v) => v.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

    return (value) => {
      const rows = value?.rows || [];
      const names = [...new Map(rows.flatMap((row) => row.parts).map((part) => [lab.say(part.name), part])).keys()];
      const total = (row) => row.parts.reduce((sum, part) => sum + part.value, 0);
      const most = Math.max(1e-12, ...rows.map(total));
      const nodes = [];
      const light = (name) =>
        nodes.forEach((node) => {
          node.classList.toggle("dim", name !== null && node.dataset.name !== name);
        });
      const point = (node, name) => {
        nodes.push(node);
        node.dataset.name = name;
        node.addEventListener("mouseenter", () => light(name));
        node.addEventListener("mouseleave", () => {
          light(null);
          lab.unnote();
        });
        node.addEventListener("focus", () => light(name));
        node.addEventListener("blur", () => {
          light(null);
          lab.unnote();
        });
        return node;
      };
      const exact = (v) => v.toLocaleString(lab.locale);
      const drawn = rows.map((row) => {
        const whole = total(row);
        const bar = lab.el(
          "div",
          { class: "whole" },
          row.parts
            .filter((part) => part.value > 0)
            .map((part) => {
              const name = lab.say(part.name),
                share = part.value / whole,
                text = `${short(part.value)}`;
              const piece = lab.el(
                "span",
                {
                  class: "part p" + (names.indexOf(name) % PARTS),
                  tabindex: 0,
                  role: "img",
                  "aria-label": `${name}: ${exact(part.value)} (${lab.percent(share)})`,
                },
                lab.el("span", {}, text),
              );
              piece.style.flexGrow = part.value;
              const tell = (x, y) =>
                lab.note(
                  [
                    name,
                    lab.word("components.share", { n: exact(part.value), share: lab.percent(share) }),
                    lab.say(part.note),
                  ],
                  x,
                  y,
                );
              piece.addEventListener("mousemove", (event) => tell(event.clientX, event.clientY));
              piece.addEventListener("focus", () => {
                const box = piece.getBoundingClientRect();
                tell(box.left, box.bottom);
              });
              return point(piece, name);
            }),
        );
        bar.style.width = `${(100 * whole) / most}%`;
        return lab.el(
          "div",
          { class: "stack-row" },
          lab.el(
            "div",
            { class: "stack-name" },
            lab.el("strong", {}, lab.say(row.name)),
            lab.el("span", {}, exact(whole) + (value.unit ? " " + lab.say(value.unit) : "")),
          ),
          bar,
          row.note ? lab.el("div", { class: "stack-note" }, lab.say(row.note)) : null,
        );
      });
      const legend = lab.el(
        "div",
        { class: "legend" },
        names.map((name, i) =>
          point(lab.el("span", { class: "key" }, lab.el("i", { class: "p" + (i % PARTS) }), name), name),
        ),
      );
      body.replaceChildren(
        ...drawn,
        rows.length ? legend : lab.el("div", { class: "empty" }, lab.say(value?.empty) || lab.word("components.empty")),
      );
      // A label that does not fit its part is left to the note and the legend.
      requestAnimationFrame(() =>
        body
          .querySelectorAll(".part")
          .forEach((part) => part.classList.toggle("tight", part.clientWidth < part.firstChild.scrollWidth + 8)),
      );
    };
  });
})();
