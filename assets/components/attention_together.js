// The heads of a layer whose lines are drawn together: a button for each.
window.lab.attentionTogether = (changed) => {
  const lab = window.lab;
  const node = lab.el("div", { class: "combined", role: "group", "aria-label": lab.word("components.combined") });
  let heads = new Set();

  // None where no lines are drawn.
  function draw(count) {
    node.hidden = !count;
    node.replaceChildren(
      ...Array.from({ length: count }, (_, h) => {
        const button = lab.el(
          "button",
          {
            type: "button",
            "aria-pressed": String(heads.has(h)),
            "aria-label": lab.word("components.combine", { head: h + 1 }),
            onclick: () => combine(h),
          },
          h + 1,
        );
        button.style.setProperty("--head", `var(--lab-head-${(h % 8) + 1})`);
        return button;
      }),
    );
  }
  function combine(h) {
    if (heads.has(h) && heads.size > 1) heads.delete(h);
    else heads.add(h);
    changed();
    node.children[h].focus({ preventScroll: true });
  }
  return {
    node,
    draw,
    only: (h) => (heads = new Set([h])),
    get heads() {
      return [...heads].sort((a, b) => a - b);
    },
  };
};
