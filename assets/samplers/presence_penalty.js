// The presence penalty: a token that was written once becomes less likely.
window.lab.sampler("presence_penalty", (logits, { penalty }, { ids, given }) => {
  const by = Math.fround(penalty),
    changed = logits.slice();
  for (const id of new Set(ids.slice(given))) changed[id] = logits[id] - by;
  return changed;
});
