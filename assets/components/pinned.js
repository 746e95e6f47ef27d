// A sentence whose gaps, or whose continuation, a model fills: the guesses of every recorded moment, with a scrubber.
window.lab.component("pinned", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const sentence = lab.el("p", { class: "sentence" }),
    suspects = lab.el("div", { class: "suspects" }),
    lists = lab.el("div", { class: "lists" });
  const scrub = lab.el("input", { type: "range", min: 0, step: 1, "aria-label": lab.word("components.scrub") });
  const reading = lab.el("output", { class: "reading" }),
    none = lab.el("div", { class: "empty" });
  const controls = lab.el("div", { class: "controls" }, scrub, reading);
  const begun = lab.el("p", { class: "begun" }),
    kept = lab.el("p", { class: "kept" });
  body.append(sentence, controls, suspects, lists, begun, kept, none);
  let value = null,
    at = 0,
    back = false,
    told = "",
    key = null;
  scrub.addEventListener("input", () => {
    at = Number(scrub.value);
    back = at < last();
    show();
  });
  // The snapshot nearest to the moment that is shown, by the logarithm of the step; none at the newest moment.
  function tell() {
    const far = (step) => Math.abs(Math.log2((1 + step) / (1 + value.moments[at].step)));
    const near = back
      ? (value.snapshots || []).reduce((one, other) => (far(other) < far(one) ? other : one), Infinity)
      : Infinity;
    const step = Number.isFinite(near) ? String(near) : "";
    kept.textContent = step ? lab.word("run.kept", { n: near.toLocaleString(lab.locale) }) : "";
    if (step !== told) tools.fire("scrub", { step });
    told = step;
  }
  const last = () => (value?.moments?.length || 1) - 1;
  // Inside the sentence the spaces of a span are spaces.
  const clean = ([text, , begins]) =>
    text.trim() ? text.replace(/^ /, "").split(" ").map(lab.visible).join(" ") + (begins ? "…" : "") : lab.guess(text);

  function words(moment) {
    if (moment?.next)
      return [lab.el("span", {}, value.sentence), lab.el("span", { class: "written" }, moment.text ?? "")];
    const pieces = String(value.sentence).split(value.gap || "[MASK]");
    return pieces.flatMap((piece, i) => {
      const best = moment?.gaps?.[i - 1]?.[0];
      const gap = lab.el("span", { class: "gap" }, best ? clean(best) : "…");
      return i ? [gap, lab.el("span", {}, piece)] : [lab.el("span", {}, piece)];
    });
  }
  // What a discriminator holds for replaced, the darker the likelier.
  function suspected(tokens) {
    suspects.hidden = !tokens?.length;
    if (suspects.hidden) return;
    suspects.replaceChildren(
      lab.el("div", { class: "name" }, lab.word("run.suspected")),
      lab.el(
        "div",
        { class: "tokens" },
        tokens.map(([text, share]) => {
          const chip = lab.el(
            "span",
            { class: "suspect" },
            lab.el("span", {}, lab.spelt(text)),
            lab.el("small", {}, lab.percent(share)),
          );
          chip.style.setProperty("--share", share);
          return chip;
        }),
      ),
    );
  }
  function list(guesses, name, truth, number = lab.percent) {
    const rows = guesses.map(([text, share, begins]) => {
      const fill = lab.el("i");
      fill.style.width = `${Math.max(0, Math.min(100, share * 100))}%`;
      return lab.el(
        "li",
        {},
        lab.el("span", { class: "token" }, lab.guess(text, begins)),
        lab.el("span", { class: "track" }, fill),
        lab.el("span", { class: "share" }, number(share)),
      );
    });
    return lab.el(
      "div",
      {},
      name ? lab.el("div", { class: "name" }, name) : null,
      lab.el("ol", {}, rows),
      truth ? lab.el("div", { class: "truth" }, lab.word("run.truth", { word: truth })) : null,
    );
  }
  function show() {
    const moments = value?.moments || [],
      moment = moments[at],
      some = moments.length > 0;
    sentence.hidden = !value?.sentence;
    sentence.replaceChildren(...(value?.sentence ? words(moment) : []));
    lists.hidden = controls.hidden = !some;
    none.hidden = some;
    none.textContent = lab.say(value?.empty) || lab.word("components.empty");
    begun.textContent = "";
    if (!some) {
      tell();
      suspected(null);
      return;
    }
    const gaps = moment.next ? [moment.next] : moment.gaps || [];
    suspected(moment.suspected);
    begun.textContent = lab.begun(gaps) ? lab.word("components.begun") : "";
    lists.replaceChildren(
      ...gaps
        .slice(0, 6)
        .map((guesses, i) =>
          list(guesses, gaps.length > 1 ? lab.word("run.gap", { n: i + 1 }) : "", value.truths?.[i]),
        ),
      ...(moment.near || []).map(([word, near]) =>
        list(near, lab.word("run.near", { word: word.trim() }), "", lab.number),
      ),
    );
    scrub.max = last();
    scrub.value = at;
    scrub.disabled = moments.length < 2;
    reading.textContent = lab.word("components.step", { n: moment.step.toLocaleString(lab.locale) });
    scrub.setAttribute("aria-valuetext", reading.textContent);
    tell();
  }

  return (given) => {
    value = given;
    if (given?.key !== key) {
      key = given?.key;
      back = false;
    }
    if (!back || at > last()) at = last();
    show();
  };
});
