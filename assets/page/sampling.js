// Drawing, as lab/inference/drawing.py does it: from logits, through a chain of samplers, to the token that a uniform
// number falls on. Logits are floats of 32 bits and what is worked out from them of 64, as there.
(() => {
  "use strict";
  const lab = window.lab;
  const rules = new Map();

  // A sampler: its name, and a function (logits, settings, soFar) that gives new logits, -Infinity for what is cut off.
  // `soFar` is {ids, given}: the text, of which the first `given` tokens were there before the model wrote.
  lab.sampler = (name, rule) => rules.set(name, rule);

  const sampling = (lab.sampling = {
    knows: (chain) => chain.every(([name]) => rules.has(name)),
    // The logits after each sampler of the chain, [name, settings] each.
    stages(logits, chain, soFar) {
      const found = [];
      for (const [name, settings] of chain) found.push((logits = rules.get(name)(logits, settings, soFar)));
      return found;
    },
    keep: (logits, stays) => logits.map((logit, id) => (stays(logit, id) ? logit : -Infinity)),
    highest: (logits) => logits.reduce((best, logit) => Math.max(best, logit), -Infinity),
    softmax(logits) {
      const best = sampling.highest(logits),
        shares = Float64Array.from(logits, (logit) => Math.exp(logit - best));
      const sum = shares.reduce((total, share) => total + share, 0);
      return shares.map((share) => share / sum);
    },
    // Log-probabilities, probabilities and the entropy in nats, to which what is impossible adds nothing.
    surprises(logits) {
      const best = sampling.highest(logits);
      const sum = logits.reduce((total, logit) => total + Math.exp(logit - best), 0);
      const logs = Float64Array.from(logits, (logit) => logit - best - Math.log(sum)),
        shares = logs.map(Math.exp);
      const entropy = logs.reduce((total, log, id) => (shares[id] > 0 ? total - shares[id] * log : total), 0);
      return { logs, shares, entropy };
    },
    // The ids in falling order of their values, equals by their ids.
    order: (values) =>
      Uint32Array.from(values, (_, id) => id).sort(
        (a, b) => (values[b] > values[a]) - (values[b] < values[a]) || a - b,
      ),
    // The tokens that are left, laid end to end from the likeliest down, and the one on which the number falls.
    draw(shares, uniform) {
      const order = sampling.order(shares.map(Math.fround)), // as they are where the server draws
        left = order.findIndex((id) => !(shares[id] > 0)),
        line = left < 0 ? order : order.subarray(0, left);
      const goal = uniform * shares.reduce((total, share) => total + share, 0);
      let sum = 0,
        place = 0;
      while (place < line.length - 1 && (sum += shares[line[place]]) <= goal) place++;
      return { line, place, drawn: line[place] };
    },
  });
})();
