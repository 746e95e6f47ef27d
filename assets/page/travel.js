// Moving from page to page: first the values, then the tab, so that a page which opens for the first time finds them.
(() => {
  "use strict";
  const lab = window.lab;

  let arrival = null;
  lab.goto = (page, keys = [], values = [], sight = null) => {
    if (!lab.pages.includes(page)) return;
    const query = new URLSearchParams(lab.kept[page] || {});
    keys.forEach((key, i) => values[i] === null || values[i] === undefined || query.set(key, lab.write(values[i])));
    history.pushState(null, "", "?" + new URLSearchParams({ page }));
    lab.travel(page, query, keys.length > 0, sight);
  };
  lab.travel = (page, query, carries, sight = null, older = { values: new Map(), folds: [] }) => {
    const folds = [page, "open"]; // the key of lab.unfold, which is the value of no component
    for (const [home, key] of [...lab.shares, folds])
      if (home === page && query.has(key)) (lab.kept[page] ??= {})[key] = query.get(key);
    const values = new Map([...older.values, ...(carries ? lab.restored(page, query) : [])]);
    arrival = { page, sight, values, shut: older.folds };
    if (arrival.values.size) lab.move?.();
    else lab.arrived();
  };
  // Kept as soon as the bar is there, by which values are handed over.
  lab.withBar = new Promise((resolve) => {
    lab.mounted = resolve;
  });
  lab.arriving = () => lab.shares.map(([, , id]) => arrival?.values.get(id));
  lab.arrived = () => {
    if (!arrival) return;
    const { page, sight, shut } = arrival,
      left = heading();
    lab.page = page;
    arrival = null;
    document.querySelector(`#pages [data-tab-id="${CSS.escape(page)}"]`)?.click();
    lab.follow();
    lab.title();
    lab.shut(shut);
    lab.settle(() => {
      begin(page, left);
      if (sight) lab.show(sight);
    });
    window.scrollTo(0, 0);
    window.dispatchEvent(new CustomEvent("lab:page"));
  };
  // Whoever came by a door of the page before goes on by keyboard from the beginning of this one: what they pressed is
  // out of sight now, or an answer has drawn it anew. The heading itself may be drawn anew, too; its page stays.
  function begin(page, left, looks = 60) {
    const here = heading(),
      focused = document.activeElement;
    if (page !== lab.page || !looks) return;
    // Gradio takes a moment to show the one page and to hide the other.
    if (!here || here === left) setTimeout(begin, 50, page, left, looks - 1);
    else if (focused === document.body || !focused?.checkVisibility()) {
      const panel = here.closest(".tabitem");
      panel?.setAttribute("tabindex", "-1");
      panel?.focus({ preventScroll: true });
    }
  }
  function heading() {
    return [...document.querySelectorAll("#pages h1")].find((each) => each.checkVisibility());
  }
  // What a visitor does while a page still opens waits for what the page shows at first, which would else come behind
  // it and take its place; and so does a question that another one's answer is part of. Where that never comes, they
  // wait no longer than so many milliseconds.
  const answers = new Map();
  const answer = (number) => {
    if (!answers.has(number)) {
      let stands;
      answers.set(number, { stood: new Promise((resolve) => (stands = resolve)), stands });
    }
    return answers.get(number);
  };
  lab.stands = (number) => answer(number).stands();
  lab.standing = (numbers, longest) =>
    Promise.race([
      Promise.all(numbers.map((number) => answer(number).stood)),
      new Promise((resolve) => setTimeout(resolve, longest)),
    ]).then(() => undefined);
  window.addEventListener("popstate", async () => {
    const query = new URLSearchParams([...new URLSearchParams(location.search), ...(await lab.packing.unpacked())]);
    const page = lab.pages.includes(query.get("page")) ? query.get("page") : lab.pages[0];
    if (page) lab.travel(page, query, true, null, { values: unchosen(page, query), folds: lab.unopened(page, query) });
  });
  // What an older address does not hold had not been chosen yet: it goes back to what it began with. What a page is
  // about stays, for it is never without.
  function unchosen(page, query) {
    const held = (key) => (lab.kept[page]?.[key] ?? "") !== "";
    const gone = lab.shares.filter(
      ([home, key, id]) => home === page && held(key) && !query.has(key) && !lab.built.get(id)?.subject,
    );
    return new Map(gone.map(([, , id]) => [id, lab.began.get(id) ?? ""]));
  }

  // Bring what was opened into view, once it is there.
  lab.show = (selector) =>
    setTimeout(
      () =>
        [...document.querySelectorAll(selector)]
          .find((each) => each.offsetParent)
          ?.scrollIntoView({ behavior: lab.calm() ? "auto" : "smooth", block: "start" }),
      120,
    );
})();
