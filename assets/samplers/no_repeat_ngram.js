// No-repeat n-gram: what would complete a sequence of n tokens that stands in the text already is cut off.
window.lab.sampler("no_repeat_ngram", (logits, { n }, { ids }) => {
  const opening = ids.slice(Math.max(0, ids.length - n + 1)), // the n - 1 tokens that the next one would complete
    again = new Set();
  for (let at = 0; at + n <= ids.length; at++)
    if (opening.every((id, i) => ids[at + i] === id)) again.add(ids[at + n - 1]);
  const cut = window.lab.sampling.keep(logits, (_, id) => !again.has(id));
  // Where nothing else is possible, a repetition is better than no text.
  return cut.some(Number.isFinite) ? cut : logits;
});
