// How the tokens of the branches read by the chosen run's tokenizer: passed on to the card that shows them.
window.lab.component("branch_texts", () => (value) => value && window.lab.branches.told(value));
