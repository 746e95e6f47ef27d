// The frequency penalty: the more often a token was written, the less likely it becomes.
window.lab.sampler("frequency_penalty", (logits, { penalty }, { ids, given }) => {
  const by = Math.fround(penalty),
    counts = new Map(),
    changed = logits.slice();
  for (const id of ids.slice(given)) counts.set(id, (counts.get(id) || 0) + 1);
  for (const [id, count] of counts) changed[id] = logits[id] - Math.fround(by * count);
  return changed;
});
