// What a head does on the whole: the share of all its looks that go to each kind of place, beside the share that they
// had if heads looked evenly. `weight(row, col)` is how much one token looks at another.
window.lab.habits = (map, weight) => {
  const lab = window.lab,
    rows = map.lookers.length,
    cols = map.tokens.length;
  const special = new Set(map.special),
    kinds = { self: [], before: [], after: [], same: [], special: [], other: [] };
  const own = map.rows_from === map.cols_from; // else the columns are another text: no token of it is before or after
  const placed = (row) => (map.places ? map.places[row] : row);
  const gaps = new Set(map.places); // a stream that answers in gaps sees none of them
  const unseen = (row, col) => gaps.has(col) || (map.reach && Math.abs(placed(row) - col) >= map.reach);
  for (let row = 0; row < rows; row++) {
    const seen = map.causal ? row + 1 : map.prefix ? Math.max(map.prefix, row + 1) : cols,
      sums = { self: 0, before: 0, after: 0, same: 0, special: 0, other: 0 },
      counts = { ...sums };
    let visible = 0;
    for (let col = 0; col < seen; col++) {
      if (unseen(row, col)) continue;
      visible += 1;
      const of =
        own && col === placed(row)
          ? "self"
          : special.has(col)
            ? "special"
            : map.tokens[col] === map.lookers[row]
              ? "same"
              : own && col === placed(row) - 1
                ? "before"
                : own && col === placed(row) + 1
                  ? "after"
                  : "other";
      sums[of] += weight(row, col);
      counts[of] += 1;
    }
    for (const of of Object.keys(kinds)) kinds[of].push([sums[of], counts[of] / Math.max(1, visible)]);
  }
  const mean = (pairs, i) => pairs.reduce((sum, pair) => sum + pair[i], 0) / Math.max(1, pairs.length);
  return Object.entries(kinds)
    .map(([of, pairs]) => ({
      label: lab.word("components.habit." + of),
      share: mean(pairs, 0),
      even: mean(pairs, 1),
    }))
    .filter((each) => each.even > 0);
};
