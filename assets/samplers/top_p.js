// The top-p sampler (nucleus sampling): the fewest tokens that together reach a probability of p stay.
window.lab.sampler("top_p", (logits, { p }) => {
  const { keep, softmax, order } = window.lab.sampling,
    shares = softmax(logits),
    ids = order(shares);
  const stays = new Set();
  let rest = 0; // the probability of a token and of all that are less likely
  for (let at = ids.length - 1; at >= 0; at--) {
    rest += shares[ids[at]];
    if (rest >= (1 - p) * (1 + 1e-6)) stays.add(ids[at]);
  }
  return keep(logits, (_, id) => stays.has(id));
});
