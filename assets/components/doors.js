// Cards that lead to the other pages. They are links, so that they can be opened beside each other.
window.lab.component("doors", (element) => {
  const lab = window.lab;
  const carried = (door) => {
    const here = new URLSearchParams(location.search);
    return (door.carry || []).filter((key) => here.has(key)).map((key) => [key, here.get(key)]);
  };
  const address = (door) => {
    const query = new URLSearchParams(lab.href(door.page));
    carried(door).forEach(([key, value]) => query.set(key, value));
    return "?" + query.toString();
  };
  return (value) => {
    element.replaceChildren(lab.el("nav", { class: "doors", "aria-label": lab.word("frame.pages") }, (value || []).map((door) => {
      const link = lab.el("a", { href: address(door) },
        lab.el("strong", {}, lab.say(door.title), lab.el("span", { class: "arrow", "aria-hidden": "true" }, "→")),
        lab.el("span", {}, lab.say(door.text)));
      link.addEventListener("pointerenter", () => { link.href = address(door); });
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        const pairs = carried(door);
        lab.goto(door.page, pairs.map(([key]) => key), pairs.map(([, text]) => text));
      });
      return link;
    })));
  };
});
