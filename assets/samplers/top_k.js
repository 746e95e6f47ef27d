// The top-k sampler: the k likeliest tokens stay; of those that equal the last, the first.
window.lab.sampler("top_k", (logits, { k }) => {
  const ordered = logits.slice().sort(),
    last = ordered[Math.max(0, ordered.length - k)];
  let room = k - logits.reduce((count, logit) => count + (logit > last), 0);
  return window.lab.sampling.keep(logits, (logit) => logit > last || (logit === last && room-- > 0));
});
