// Eta sampling: epsilon sampling whose threshold falls where the model is in doubt.
window.lab.sampler("eta", (logits, { epsilon }) => {
  const { keep, highest, surprises } = window.lab.sampling,
    best = highest(logits),
    { shares, entropy } = surprises(logits),
    least = Math.min(epsilon, Math.sqrt(epsilon) * Math.exp(-entropy));
  return keep(logits, (logit, id) => shares[id] >= least * (1 - 1e-6) || logit === best);
});
