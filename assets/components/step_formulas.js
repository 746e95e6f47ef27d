// The formula of each step of a head, with the numbers of the cell that is meant filled in; and the same written out as
// a table, term by term: for the products of a query with a key this is the neuron view (Vig 2019).
(() => {
  "use strict";
  const lab = window.lab;
  const TERMS = 3; // as many are written before the dots

  const n = (x) => lab.matrixView.number(x);
  const signed = (x) => (x < 0 ? `− ${n(-x)}` : `+ ${n(x)}`);
  const factor = (x) => (x < 0 ? `(${n(x)})` : n(x));

  // A sum of products, the first few of them written out.
  function terms(left, right, count) {
    const few = [];
    for (let i = 0; i < Math.min(TERMS, count); i++) few.push(`${factor(left(i))}·${factor(right(i))}`);
    return few.join(" + ") + (count > TERMS ? " + …" : "");
  }

  // `of(name, row, col)` is a number of a matrix, `row(name)` one of its rows; r and c are the cell that is meant.
  function formula(value, step, of, row, r, c) {
    const [first, second] = step.takes,
      made = of(step.makes, r, c),
      width = value.width;
    const took = () => of(first, r, c);
    const from = value.behind.includes(step.makes) ? r - value.prefix : r; // learned rows stand before those of tokens
    const mapped = (map, left, right, bias) => {
      if (from < 0) return n(made);
      const weight = (i) => map.weight[i * map.cols + c];
      const offset = bias && map.bias[c] ? ` ${signed(map.bias[c])}` : "";
      const sum = terms((i) => of(first, from, i), weight, row(first, from).length);
      return `${left} · ${right} = ${sum}${offset} = ${n(made)}`;
    };
    switch (step.name) {
      case "q":
      case "k":
      case "v":
        return mapped(value.maps[step.name], "x", "W_" + step.name.toUpperCase(), true);
      case "norm":
        return normed(value.norms[step.makes], row(first, r), c, made);
      case "rotary":
        return from < 0 ? n(made) : turned(value, (i) => of(first, from, i), from, c, made);
      case "features":
        return took() > 0 ? `elu(${n(took())}) + 1 = ${n(took())} + 1 = ${n(made)}` : `e^${n(took())} = ${n(made)}`;
      case "products":
        return `q · k = ${terms(
          (i) => of(first, r, i),
          (i) => of(second, c, i),
          width,
        )} = ${n(made)}`;
      case "scaled": {
        if (value.scale === 1) return `${n(took())} · 1 = ${n(made)}`;
        const under = Math.round(value.scale ** -2);
        return `${n(took())} / √${under} = ${n(took())} / ${n(1 / value.scale)} = ${n(made)}`;
      }
      case "masked":
        return made === -Infinity ? `${n(took())} → −∞` : `${n(took())} → ${n(made)}`;
      case "zeroed":
        return `${n(took())} → ${n(made)}`;
      case "softmax": {
        const sum = row(first, r).reduce((total, x) => total + Math.exp(x), 0);
        return `e^${n(took())} / Σ e^… = ${n(Math.exp(took()))} / ${n(sum)} = ${n(made)}`;
      }
      case "shares": {
        const sum = row(first, r).reduce((total, x) => total + x, 0);
        return `${n(took())} / ${n(sum)} = ${n(made)}`;
      }
      case "mixed":
        return `Σ a · v = ${terms(
          (i) => of(first, r, i),
          (i) => of(second, i, c),
          row(first, r).length,
        )} = ${n(made)}`;
      case "own":
        return mapped(value.maps.own, "AV", "W_O", false);
      case "merged": {
        const own = of("own", r, c),
          bias = value.maps.own.bias[c];
        const others = made - own - bias;
        return `${n(own)} ${signed(others)}${bias ? " " + signed(bias) : ""} = ${n(made)}`;
      }
      case "bias":
      case "c2p":
      case "p2c":
      case "residual":
        return `${n(took())} ${signed(of(second, r, c))} = ${n(made)}`;
      default:
        return `${step.makes === "out" ? "x′" : "x"} = ${n(made)}`;
    }
  }
  function normed(norm, x, c, made) {
    const mean = norm.kind === "layer" ? x.reduce((sum, each) => sum + each, 0) / x.length : 0;
    const spread = Math.sqrt(x.reduce((sum, each) => sum + (each - mean) ** 2, 0) / x.length + norm.eps);
    const above = norm.kind === "layer" ? `(${n(x[c])} ${signed(-mean)})` : n(x[c]);
    const moved = norm.bias ? ` ${signed(norm.bias[c])}` : "";
    return `${above} / ${n(spread)} · ${factor(norm.weight[c])}${moved} = ${n(made)}`;
  }
  function turned(value, of, r, c, made) {
    const pair = c >> 1;
    if (pair >= value.speeds.length) return `${n(of(c))} → ${n(made)}`;
    const angle = r * value.speeds[pair],
      [x, y] = [of(2 * pair), of(2 * pair + 1)];
    const turn =
      c % 2 ? `${factor(x)}·sin ${n(angle)} + ${factor(y)}·cos` : `${factor(x)}·cos ${n(angle)} − ${factor(y)}·sin`;
    const longer = value.longer === 1 ? "" : `${n(value.longer)} · `;
    return `${longer}(${turn} ${n(angle)}) = ${n(made)}`;
  }

  // The table: [{name, numbers}], its columns, and which of them is meant; a product's columns are its terms.
  function written(step, of, row, names, r, c) {
    const [first, second] = step.takes;
    const product = step.name === "products" || step.name === "mixed";
    if (product) {
      const left = [...row(first, r)],
        right = left.map((_, i) => (step.name === "mixed" ? of(second, i, c) : of(second, c, i)));
      const both = left.map((x, i) => x * right[i]);
      return {
        rows: [
          { name: names(first), numbers: left },
          { name: names(second), numbers: right },
          { name: "·", numbers: both },
        ],
        at: -1,
      };
    }
    const made = [...row(step.makes, r)];
    const mapped = ["q", "k", "v", "own"].includes(step.name); // then the columns are others
    const same = mapped ? [] : step.takes.filter((name) => row(name, r).length === made.length);
    return { rows: [...same, step.makes].map((name) => ({ name: names(name), numbers: [...row(name, r)] })), at: c };
  }

  lab.stepFormulas = { formula, written };
})();
