// Elements of a page, made from names, attributes and children; strings among them become text.
(() => {
  "use strict";
  const lab = window.lab;

  // lab.el("span", {class: "chip", title: "..."}, "text", child, ...)
  lab.el = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
  lab.svg = (tag, attributes = {}, ...children) =>
    build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  function build(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(
      ...children
        .flat()
        .filter((child) => child !== null && child !== undefined)
        .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))),
    );
    return node;
  }

  // A citation, of whose pieces [text, address] some lead to their paper.
  lab.cited = (pieces) =>
    pieces.map(([text, address]) =>
      address.startsWith("https://")
        ? lab.el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, lab.say(text))
        : lab.say(text),
    );
})();
