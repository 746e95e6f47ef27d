// A slider over the steps at which a run's weights were kept; at its end stands the run as it is.
window.lab.component("snapshots", (element, tools) => {
  const lab = window.lab;
  const scrub = lab.el("input", { type: "range", min: 0, step: 1 });
  const reading = lab.el("output", { class: "reading" });
  element.append(lab.el("label", { class: "snapshots" }, lab.word("run.snapshots"), scrub), reading);
  let steps = [];
  const name = (at) => lab.word("components.step", { n: steps[at].toLocaleString(lab.locale) });

  scrub.addEventListener("input", () => read());
  scrub.addEventListener("change", () => {
    const at = Number(scrub.value);
    tools.fire("scrub", { step: at < steps.length - 1 ? String(steps[at]) : "" });
  });
  function read() {
    reading.textContent = name(Number(scrub.value));
    scrub.setAttribute("aria-valuetext", reading.textContent);
  }

  return (value) => {
    steps = value?.steps || [];
    element.hidden = steps.length < 2;
    if (element.hidden) return;
    scrub.max = steps.length - 1;
    scrub.value = value.at === null ? steps.length - 1 : steps.indexOf(value.at);
    read();
  };
});
