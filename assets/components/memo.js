// A text that the browser keeps for the handlers; draws nothing, and says once that its page was opened.
window.lab.component("memo", (element, tools) => {
  setTimeout(() => tools.fire("opened"), 0);
  return () => {};
});
