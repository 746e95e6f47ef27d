// The min-p sampler: tokens that are not much less likely than the likeliest stay.
window.lab.sampler("min_p", (logits, { p }) => {
  const { keep, highest } = window.lab.sampling,
    least = Math.fround(highest(logits) + Math.fround(Math.log(p)));
  return keep(logits, (logit) => logit >= least);
});
