// Round numbers for the marks of an axis: evenly spaced, or by powers of ten.
(() => {
  const lab = window.lab;

  lab.ticks = (low, high, count) => {
    const span = high - low || 1,
      rough = span / Math.max(1, count),
      power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const found = [];
    for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++)
      found.push(Number((n * step).toPrecision(12))); // 2, not 1.9999999999999998
    return found;
  };
  lab.logTicks = (low, high) => {
    const found = [];
    for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
      for (const m of [1, 2, 5]) {
        const v = m * 10 ** p;
        if (v >= low && v <= high) found.push(v);
      }
    return found.length > 8 ? found.filter((v) => Math.log10(v) % 1 === 0) : found;
  };
})();
