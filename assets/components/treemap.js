// Every tensor of a model as an area as large as its numbers are many, blocks beside blocks; the same as a CSV file.
window.lab.component("treemap", (element, tools) => {
  const lab = window.lab,
    { exact } = lab.counting;
  const PARTS = [
    "embeddings",
    "attention",
    "ffn",
    "norms",
    "heads",
    "conv",
    "lstm",
    "char_cnn",
    "highway",
    "projection",
  ];
  const TALL = 0.42; // of the width
  const body = tools.card();
  const tabs = lab.el("div", { class: "presets", role: "group", "aria-label": lab.word("parameters.treemap.which") });
  const map = lab.el("div", { class: "map" }),
    said = lab.el("p", { class: "said", "aria-live": "polite" });
  const csv = lab.el(
    "button",
    { type: "button", class: "plain", onclick: download },
    lab.word("parameters.treemap.csv"),
  );
  const legend = lab.el("div", { class: "legend" });
  body.append(lab.el("div", { class: "top" }, tabs, csv), map, said, legend);
  // Which model and which of its blocks are open, as the address has them.
  const view = lab.view("tensors"),
    asked = view.value.match(/^([01])(?:\.(.+))?$/);
  let models = [],
    at = Number(asked?.[1] || 0),
    inside = null,
    fresh = true;
  const choose = (model, block) => {
    const [tab, area] = [tabs, map].map((box) => box.contains(document.activeElement)),
      closed = inside;
    [at, inside] = [model, block];
    view.set(block === null ? String(model) : `${model}.${block}`);
    draw();
    const again = tab ? tabs.children[at] : area && map.querySelector(`[data-key="${block ?? closed}"]`);
    if (again) again.focus({ preventScroll: true }); // what was pressed is drawn anew
  };

  // ---- the areas (Bruls, Huizing and van Wijk 2000: rows as square as can be)

  function squares(items, x, y, w, h) {
    const found = [],
      whole = items.reduce((sum, item) => sum + item.size, 0);
    let left = items.filter((item) => item.size > 0).sort((a, b) => b.size - a.size),
      rest = whole;
    while (left.length && w > 0 && h > 0) {
      const side = Math.min(w, h),
        scale = (w * h) / rest;
      const worst = (row) => {
        const sum = row.reduce((total, item) => total + item.size * scale, 0);
        return Math.max(
          (side * side * row[0].size * scale) / (sum * sum),
          (sum * sum) / (side * side * row.at(-1).size * scale),
        );
      };
      let row = [left[0]];
      while (row.length < left.length && worst([...row, left[row.length]]) <= worst(row))
        row = [...row, left[row.length]];
      const sum = row.reduce((total, item) => total + item.size, 0),
        thick = (sum * scale) / side;
      let along = 0;
      for (const item of row) {
        const long = (item.size / sum) * side;
        found.push(
          w >= h ? { item, x, y: y + along, w: thick, h: long } : { item, x: x + along, y, w: long, h: thick },
        );
        along += long;
      }
      if (w >= h) {
        x += thick;
        w -= thick;
      } else {
        y += thick;
        h -= thick;
      }
      rest -= sum;
      left = left.slice(row.length);
    }
    return found;
  }

  // ---- the groups: each block, and what stands before and behind them

  const group = ([path, , part]) => path.match(/^(?:.*\.)?blocks\.\d+/)?.[0] ?? (part === "heads" ? "head" : "embed");
  function groups(tensors) {
    const found = new Map();
    for (const tensor of tensors) {
      const key = group(tensor),
        known = found.get(key) || { key, size: 0, tensors: [] };
      known.size += tensor[3];
      known.tensors.push(tensor);
      found.set(key, known);
    }
    return [...found.values()];
  }
  const name = (key) => {
    const block = key.match(/blocks\.(\d+)$/);
    const stack = key.match(/^(encoder|decoder|generator)\b/)?.[1];
    return block
      ? lab.word("parameters.treemap.block", { n: Number(block[1]) + 1 }) +
          (stack ? ` · ${lab.word("parameters.treemap." + stack)}` : "")
      : lab.word("parameters.treemap." + key);
  };

  const shape = (dims) => (dims.length ? dims.map(exact).join(" × ") : "1");
  const short = (n) => n.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
  function tell(tensor, whole) {
    said.textContent = tensor
      ? lab.word("parameters.treemap.tensor", {
          path: tensor[0],
          shape: shape(tensor[1]),
          n: exact(tensor[3]),
          share: lab.percent(tensor[3] / whole),
        })
      : lab.word(inside ? "parameters.treemap.back" : "parameters.treemap.hint");
  }

  const pen = document.createElement("canvas").getContext("2d");
  function fits(text, width) {
    pen.font = `13px ${getComputedStyle(body).fontFamily}`;
    return pen.measureText(text).width + 14 <= width;
  }
  function draw() {
    const model = models[at];
    if (!model) return;
    tabs.replaceChildren(
      ...models.map((each, i) =>
        lab.el(
          "button",
          { type: "button", class: "plain", "aria-pressed": String(i === at), onclick: () => choose(i, null) },
          lab.say(each.name),
        ),
      ),
    );
    const width = Math.max(280, map.clientWidth || 800),
      height = Math.max(320, Math.round(width * TALL));
    const whole = model.tensors.reduce((sum, tensor) => sum + tensor[3], 0);
    const all = groups(model.tensors),
      open = all.filter((each) => inside === null || each.key === inside);
    map.style.height = `${height}px`;
    const nodes = [];
    const put = (node, box) => {
      Object.assign(node.style, {
        left: `${box.x}px`,
        top: `${box.y}px`,
        width: `${Math.max(1, box.w - 1)}px`,
        height: `${Math.max(1, box.h - 1)}px`,
      });
      nodes.push(node);
    };
    for (const place of squares(open, 0, 0, width, height)) {
      const { item } = place,
        told = [`${name(item.key)} · ${short(item.size)}`, name(item.key)].find((text) => fits(text, place.w)),
        label = told && place.h > 44 ? 18 : 0;
      const frame = lab.el(
        "button",
        {
          type: "button",
          class: "group",
          "data-key": item.key,
          "aria-label": `${name(item.key)} · ${short(item.size)} (${exact(item.size)})`,
          onclick: () => choose(at, inside === null && all.length > 1 ? item.key : null),
        },
        label ? lab.el("span", {}, told) : null,
      );
      put(frame, place);
      const inner = item.tensors.map((tensor) => ({ size: tensor[3], tensor }));
      for (const box of squares(inner, place.x + 1, place.y + label, place.w - 2, place.h - label - 1)) {
        const { tensor } = box.item;
        if (box.w < 2 || box.h < 2) continue;
        const text =
          box.w > 90 && box.h > 34
            ? [
                lab.el(
                  "b",
                  {},
                  tensor[0]
                    .replace(/^.*blocks\.\d+\./, "")
                    .replace(/^(stack|encoder|decoder)\./, "")
                    .replace(/\.weight$/, ""),
                ),
                lab.el("span", {}, shape(tensor[1])),
              ]
            : [];
        const node = lab.el("i", { class: "p" + Math.max(0, PARTS.indexOf(tensor[2])) }, text);
        node.addEventListener("mouseenter", () => tell(tensor, whole));
        node.addEventListener("mouseleave", () => tell(null));
        node.addEventListener("click", () => frame.click());
        put(node, box);
      }
    }
    map.replaceChildren(...nodes);
    legend.replaceChildren(
      ...PARTS.filter((part) => model.tensors.some((tensor) => tensor[2] === part)).map((part) =>
        lab.el(
          "span",
          { class: "key" },
          lab.el("i", { class: "p" + PARTS.indexOf(part) }),
          lab.word("parameters.part." + part),
        ),
      ),
    );
    tell(null);
  }

  function download() {
    const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
    const rows = models[at].tensors.map(([path, dims, part, n]) =>
      [quoted(path), part, quoted(dims.join("x")), n].join(","),
    );
    const file = new Blob([["tensor,part,shape,parameters", ...rows].join("\r\n") + "\r\n"], { type: "text/csv" });
    const link = lab.el("a", { href: URL.createObjectURL(file), download: `${models[at].file}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  new ResizeObserver(() => draw()).observe(body);
  function begin() {
    fresh = false;
    if (asked?.[2] && groups(models[at].tensors).some((each) => each.key === asked[2])) inside = asked[2];
    else if (view.value && (!asked || asked[2])) view.refuse();
  }
  return (value) => {
    models = value?.models || [];
    if (models.length) at = Math.min(at, models.length - 1);
    inside = null;
    body.hidden = !models.length;
    if (fresh && models.length) begin();
    draw();
  };
});
