// The repetition penalty: tokens that stand in the text already become less likely.
window.lab.sampler("repetition_penalty", (logits, { penalty }, { ids }) => {
  const by = Math.fround(penalty),
    changed = logits.slice();
  for (const id of new Set(ids)) changed[id] = logits[id] < 0 ? logits[id] * by : logits[id] / by;
  return changed;
});
