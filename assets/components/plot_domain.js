// From where to where the axes of a chart reach: all that is drawn, with some room.
window.lab.plotDomain = (spec, series) => {
  const all = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
  const take = (axis, v) => {
    if (Number.isFinite(v) && (axis === "x" || !spec.logy || v > 0)) {
      all[axis][0] = Math.min(all[axis][0], v);
      all[axis][1] = Math.max(all[axis][1], v);
    }
  };
  for (const one of series) {
    one.x.forEach((v) => (!spec.logx || v > 0) && take("x", v));
    [...one.y, ...(one.low || []), ...(one.high || [])].forEach((v) => take("y", v));
  }
  if (all.x[0] > all.x[1]) all.x = [0, 1];
  for (const line of spec.baselines || []) take("y", line.y);
  if (Number.isFinite(spec.low)) take("y", spec.low);
  if (Number.isFinite(spec.high)) take("y", spec.high);
  if (Number.isFinite(spec.until)) take("x", spec.until);
  if (all.y[0] > all.y[1]) all.y = spec.logy ? [0.1, 1] : [0, 1];
  if (spec.logy) {
    all.y = [all.y[0] / 1.25, all.y[1] * 1.25];
    if (all.x[0] === all.x[1]) all.x = [all.x[0] / 2, all.x[1] * 2];
    return all;
  }
  const pad = (all.y[1] - all.y[0] || Math.abs(all.y[1]) || 1) * 0.06;
  // The name of a lowest baseline may stand below it, and must not run into the axis.
  const room = (spec.baselines || []).some((line) => line.y === all.y[0]) ? 2.4 * pad : pad;
  all.y = [all.y[0] - (all.y[0] === spec.low ? 0 : room), all.y[1] + pad];
  if (all.x[0] === all.x[1]) all.x = spec.logx ? [all.x[0] / 2, all.x[1] * 2] : [all.x[0] - 1, all.x[1] + 1];
  return all;
};
