// Greedy decoding: always take the likeliest token, the first of equals.
window.lab.sampler("greedy", (logits) => {
  const { keep, highest } = window.lab.sampling,
    best = logits.indexOf(highest(logits));
  return keep(logits, (_, id) => id === best);
});
