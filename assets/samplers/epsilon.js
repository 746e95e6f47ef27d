// Epsilon sampling: the tokens that have at least a probability of epsilon stay, and the likeliest.
window.lab.sampler("epsilon", (logits, { epsilon }) => {
  const { keep, highest, softmax } = window.lab.sampling,
    best = highest(logits),
    shares = softmax(logits);
  return keep(logits, (logit, id) => shares[id] >= epsilon * (1 - 1e-6) || logit === best);
});
