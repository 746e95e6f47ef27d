// Lines that grow while one watches: several series, dashed baselines, points of validation, smoothing in the browser.
window.lab.component("curve", (element, tools) => {
  const lab = window.lab;
  const body = tools.card();
  const title = element.querySelector(".card-title");
  const legend = lab.el("div", { class: "legend", role: "group" });
  const chart = lab.el("div", { class: "chart" });
  const slider = lab.el("input", { type: "range", min: 0, max: 0.98, step: 0.02, value: 0, oninput: () => show() });
  const logs = lab.el("input", { type: "checkbox", onchange: () => show() }),
    steep = lab.el("input", { type: "checkbox", onchange: () => show() }),
    upward = lab.el("label", {}, steep, lab.word("components.logy"));
  const dials = lab.el(
    "div",
    { class: "dials" },
    lab.el("label", {}, lab.word("components.smooth"), slider),
    lab.el("label", {}, logs, lab.word("components.logx")),
    upward,
  );
  const none = lab.el("div", { class: "empty" }),
    lacking = lab.el("p", { class: "lacking" });
  const axis = chooser("components.axis"),
    scale = chooser("components.scale");
  dials.prepend(axis.node, scale.node);
  body.append(lab.el("div", { class: "curve-head" }, legend, dials), chart, lacking, none);
  const paint = lab.plot(chart, tools);
  const hidden = new Set();
  let value = null,
    started = false,
    held = { key: null, series: [] };

  // One of several ways to draw the same numbers, which changes nothing but the drawing.
  function chooser(word) {
    const select = lab.el("select", { "aria-label": lab.word(word), onchange: () => show() });
    const node = lab.el("label", { hidden: true }, lab.word(word), select);
    const offer = (ways) => {
      node.hidden = !ways;
      if (ways && select.options.length !== ways.length)
        select.replaceChildren(...ways.map(([name, title]) => lab.el("option", { value: name }, lab.say(title))));
    };
    return { node, offer, of: (ways) => ways?.find(([name]) => name === select.value) };
  }
  // A line along the chosen axis and in the chosen unit; without points where those are not known of it.
  function placed(one, [along], [unit]) {
    const x = along === null ? one.x : (one.by?.[along] ?? (along === "step" ? one.x : null));
    const times = unit === null ? 1 : one.times?.[unit];
    return x && times
      ? { ...one, x, y: (one.y || []).map((y) => (y === null ? y : y * times)) }
      : { ...one, x: [], y: [] };
  }

  // A message with "from" carries only what is new; where it does not join on, the page is asked for all.
  function joined(given) {
    if (!given || given.from === undefined) return given;
    const have = held.key === given.key ? held.series.map((one) => one.x.length) : [];
    const fits = given.series.every((_, i) => (given.from[i] ?? 0) === (have[i] ?? 0));
    if (given.series.every((_, i) => !given.from[i]))
      held = { key: given.key, series: given.series.map((one) => ({ ...one })) };
    else if (fits)
      given.series.forEach((one, i) => {
        const old = held.series[i] || { x: [], y: [] };
        held.series[i] = { ...old, ...one, x: old.x.concat(one.x), y: old.y.concat(one.y) };
      });
    else if (held.last !== JSON.stringify(given.from)) tools.fire("gap", { have, key: given.key });
    held.last = JSON.stringify(given.from);
    return { ...given, series: held.series };
  }

  function show() {
    axis.offer(value?.axes);
    scale.offer(value?.scales);
    const along = axis.of(value?.axes) ?? [null, value?.x],
      unit = scale.of(value?.scales) ?? [null, "", value?.y];
    const series = (value?.series || []).map((one) => placed({ ...one, x: one.x || [] }, along, unit));
    const unknown = series.filter((one, i) => !one.x.length && value.series[i].x?.length);
    lacking.hidden = !unknown.length;
    lacking.textContent = lab.word("components.lacking", {
      names: lab.listed(unknown.map((one) => lab.say(one.name))),
    });
    const some = series.some((one) => one.x.length) || value?.baselines?.length;
    chart.hidden = !some;
    none.hidden = !!some;
    none.textContent = lab.say(value?.empty) || lab.word("components.empty");
    dials.hidden = !some || value.dials === false;
    upward.hidden = !value?.scales; // of one run alone there is no law to be read off
    legend.replaceChildren(
      ...(series.length > 1 || value?.legend
        ? series
            .map((one, i) => {
              if (some && !one.x.length) return null; // nothing to show of it, or not yet
              const style = { ...lab.plot.styles[i % lab.plot.styles.length], ...one };
              const sample = lab.svg(
                "svg",
                { width: 26, height: 12, "aria-hidden": "true" },
                lab.svg("line", {
                  x1: 1,
                  x2: 25,
                  y1: 6,
                  y2: 6,
                  stroke: `var(--lab-${style.colour})`,
                  "stroke-width": 2.6,
                  "stroke-dasharray": one.kind === "points" ? "3 3" : style.dash || null,
                }),
                one.kind === "points"
                  ? lab.svg("circle", {
                      cx: 13,
                      cy: 6,
                      r: 3.6,
                      fill: "var(--lab-card)",
                      stroke: `var(--lab-${style.colour})`,
                      "stroke-width": 2,
                    })
                  : null,
              );
              return lab.el(
                "button",
                {
                  type: "button",
                  "aria-pressed": String(!hidden.has(i)),
                  onclick: () => {
                    if (hidden.has(i)) hidden.delete(i);
                    else hidden.add(i);
                    show();
                  },
                },
                sample,
                lab.say(one.name),
              );
            })
            .filter(Boolean)
        : []),
    );
    const drawn = { ...value, x: along[1], y: unit[2], series, hidden, keep: Number(slider.value), logx: logs.checked };
    paint(upward.hidden ? drawn : { ...drawn, logy: steep.checked });
  }

  return (given) => {
    value = joined(given);
    if (value?.title) title.textContent = lab.say(value.title);
    if (!started && given) {
      started = true;
      slider.value = given.smooth ?? 0;
      logs.checked = !!given.logx;
    }
    show();
  };
});
