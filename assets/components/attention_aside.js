// Beside an attention map: where the token that is pointed at looks, else what the head does on the whole, or of
// differences what moved most.
(() => {
  "use strict";
  const lab = window.lab;
  const MOST = 7;

  // A difference has its sign.
  lab.attentionShare = (map, share) => {
    if (!map.signed || !share) return lab.percent(share);
    const sign = share < 0 ? "−" : "+",
      size = Math.abs(share);
    return sign + (size < 0.001 ? lab.percent(0) : lab.percent(size)); // no sign before a “<”
  };

  lab.attentionAside = (aside, { map, row, weight, name, whole: title }) => {
    const cols = map.tokens.length;
    const largest = (all) => all.sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, MOST);
    const targets = () =>
      largest(map.tokens.map((token, col) => ({ label: lab.visible(token), share: weight(row, col), token: true })));
    const moves = () =>
      largest(
        Array.from({ length: map.lookers.length * cols }, (_, i) => ({
          i,
          share: weight(Math.floor(i / cols), i % cols),
        })),
      ).map(({ i, share }) => ({
        label: `${lab.visible(map.lookers[Math.floor(i / cols)])} → ${lab.visible(map.tokens[i % cols])}`,
        share,
        token: true,
      }));
    const whole = map.signed ? ["components.moved", moves] : [title, () => lab.habits(map, weight)];
    const [said, found] =
      row === undefined
        ? [lab.word(whole[0]), whole[1]()]
        : [lab.word("components.from", { from: name(map.lookers[row]) }), targets()];
    // Shares of a whole fill so much of it; differences have none, and are measured by the largest.
    const most = map.signed ? Math.max(1e-9, ...found.map((each) => Math.abs(each.share))) : 1;
    aside.replaceChildren(
      lab.el("div", { class: "aside-name" }, said),
      ...found.map((each) => habit(map, each, most)),
      row === undefined && found.length && !map.signed
        ? lab.el("div", { class: "aside-note" }, lab.word("components.evenly"))
        : "",
    );
  };
  function habit(map, { label, share, even, token }, most) {
    const fill = lab.el("span", { class: share < 0 ? "fill below" : "fill" }),
      track = lab.el("span", { class: "track" }, fill);
    fill.style.width = `${(100 * Math.abs(share)) / most}%`;
    if (even !== undefined) {
      const mark = lab.el("i", { title: lab.word("components.even", { share: lab.percent(even) }) });
      mark.style.left = `${(100 * even) / most}%`;
      track.append(mark);
    }
    return lab.el(
      "div",
      { class: "habit" },
      lab.el("span", { class: token ? "token" : "" }, label),
      track,
      lab.el("span", { class: "number" }, lab.attentionShare(map, share)),
    );
  }
})();
