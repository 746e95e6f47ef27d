// Top-nσ: the tokens whose logits lie at most n standard deviations below the highest stay.
window.lab.sampler("top_n_sigma", (logits, { n }) => {
  const { keep, highest } = window.lab.sampling,
    possible = logits.filter(Number.isFinite); // what is impossible does not count
  const mean = possible.reduce((sum, logit) => sum + logit, 0) / possible.length;
  const spread = Math.sqrt(possible.reduce((sum, logit) => sum + (logit - mean) ** 2, 0) / possible.length);
  const least = highest(logits) - n * spread * (1 + 1e-6);
  return keep(logits, (logit) => logit >= least);
});
