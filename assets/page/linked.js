// The same thing lights up everywhere: components of one group share what is pointed at; a click locks it.
(() => {
  "use strict";
  const lab = window.lab;

  // What is locked in a group with a name of its own is part of the address.
  const groups = new Map(),
    NAMELESS = /^(strip|table|map)-\d+$/;
  function opened(name) {
    const view = NAMELESS.test(name) ? null : lab.view(`locked.${name}`),
      at = lab.parse(view?.value);
    const locked = !!at && typeof at === "object" && Object.values(at).every(Number.isInteger);
    if (view?.value && !locked) view.refuse();
    return { listeners: new Set(), at: locked ? at : null, locked, view };
  }
  lab.linked = (name, listener, tools) => {
    const group = groups.get(name) || opened(name);
    groups.set(name, group);
    group.listeners.add(listener);
    tools?.onLeave(() => group.listeners.delete(listener));
    if (group.locked) queueMicrotask(() => listener(group.at, true)); // once it is drawn
    const tell = () => group.listeners.forEach((each) => each(group.at, group.locked));
    return {
      point(at) {
        if (!group.locked) {
          group.at = at;
          tell();
        }
      },
      lock(at) {
        group.locked = !(group.locked && JSON.stringify(group.at) === JSON.stringify(at)) && at !== null;
        group.at = at;
        group.view?.set(group.locked ? JSON.stringify(at) : "");
        tell();
      },
      get at() {
        return group.at;
      },
      get locked() {
        return group.locked;
      },
    };
  };
})();
