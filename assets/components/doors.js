// Cards that lead to the other pages. They are links, so that they can be opened beside each other.
window.lab.component("doors", (element) => {
  const lab = window.lab;
  const carried = (door) => {
    return (door.carry || []).map((key) => [key, lab.shown(key)]).filter(([, value]) => value !== undefined);
  };
  const address = (door) => lab.href(door.page, Object.fromEntries(carried(door)));
  return (value) => {
    element.replaceChildren(
      lab.el(
        "nav",
        { class: "doors", "aria-label": lab.word("start.doors") },
        (value || []).map((door) => {
          const link = lab.el(
            "a",
            { href: address(door) },
            lab.el("strong", {}, lab.say(door.title), lab.el("span", { class: "arrow", "aria-hidden": "true" }, "→")),
            lab.el("span", {}, lab.say(door.text)),
          );
          link.addEventListener("pointerenter", () => {
            link.href = address(door);
          });
          link.addEventListener("click", (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
            event.preventDefault();
            const pairs = carried(door);
            lab.goto(
              door.page,
              pairs.map(([key]) => key),
              pairs.map(([, text]) => text),
            );
          });
          return link;
        }),
      ),
    );
  };
});
