// Typical sampling: the tokens whose surprise is nearest to the entropy and that together reach p stay.
window.lab.sampler("typical", (logits, { p }) => {
  const { keep, surprises, order } = window.lab.sampling,
    { logs, shares, entropy } = surprises(logits);
  const stays = new Set();
  let before = 0;
  for (const id of order(logs.map((log) => -Math.abs(log + entropy)))) {
    if (before >= p * (1 - 1e-9)) break;
    stays.add(id);
    before += shares[id];
  }
  return keep(logits, (_, id) => stays.has(id));
});
