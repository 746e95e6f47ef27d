// A page is shown once it stands: its parts come in any order, and each would push the others about.
(() => {
  "use strict";
  const lab = window.lab;

  const QUIET = 80,
    PATIENCE = 5000,
    LONGEST = 10000; // milliseconds: without a change, for late answers, and for everything
  const settled = new Set(); // pages
  lab.settle = (then = () => {}) => {
    const page = lab.page;
    if (settled.has(page)) {
      // perhaps from one that still was not
      document.documentElement.classList.remove("settling");
      then();
      return;
    }
    settled.add(page);
    const wanted = ours(page),
      start = performance.now();
    let changed = start,
      some = Infinity;
    const changes = new MutationObserver(() => {
      changed = performance.now();
    });
    changes.observe(document.documentElement, { childList: true, subtree: true });
    document.documentElement.classList.add("settling");
    const look = () => {
      const now = performance.now();
      if (some > now && wanted.some((id) => lab.drawn.has(id))) some = now;
      const whole =
        wanted.every((id) => lab.drawn.has(id)) &&
        !lab.awaited &&
        now - changed > QUIET &&
        document.fonts.status === "loaded";
      if (!whole && now - some < PATIENCE && now - start < LONGEST && page === lab.page) {
        setTimeout(look, 20);
        return;
      }
      changes.disconnect();
      if (page !== lab.page) return;
      document.documentElement.classList.remove("settling");
      then();
    };
    look();
  };
  // The components of ours that stand on a page as it opens.
  function ours(page) {
    const known = new Map(lab.config.components.map((each) => [each.id, each])),
      found = [];
    const find = (node) =>
      known.get(node.id)?.type === "tabitem" && known.get(node.id).props.id === page
        ? node
        : (node.children || []).map(find).find(Boolean);
    const walk = (node) => {
      const { type, props } = known.get(node.id);
      if (props.visible === false) return;
      if (type === "html") found.push(node.id);
      if (type !== "accordion" || props.open) (node.children || []).forEach(walk);
    };
    (find(lab.config.layout)?.children || []).forEach(walk);
    return found;
  }
})();
