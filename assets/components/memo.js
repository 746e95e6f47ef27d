// A text that the browser keeps for the handlers; draws nothing.
window.lab.component("memo", () => () => {});
