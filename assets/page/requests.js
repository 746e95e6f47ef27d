// The requests whose answers are awaited, the sign that one takes its time, and what is said of one that was refused.
(() => {
  "use strict";
  const lab = window.lab;

  const LONG = 700; // milliseconds: sooner a sign would only flicker

  lab.awaited = 0; // requests

  // What stands on the page meanwhile is the answer to what was asked before: a large model may need seconds.
  let sign = null,
    soon = 0;
  function awaits(more) {
    lab.awaited += more;
    clearTimeout(soon);
    if (lab.awaited) soon = setTimeout(() => show(true), sign?.hidden === false ? 0 : LONG);
    else show(false);
  }
  function show(on) {
    if (!sign && !on) return;
    if (!sign) document.body.append((sign = lab.el("div", { class: "lab-working", role: "status" })));
    sign.hidden = !on;
    sign.textContent = on ? lab.word("frame.working") : "";
  }

  // Gradio keeps silent about a request outside its queue that the server refused.
  const fetched = window.fetch.bind(window);
  window.fetch = async (...args) => {
    const asks = String(args[0]?.url ?? args[0]).includes("/gradio_api/run/");
    if (asks) awaits(1);
    const answer = await fetched(...args).finally(() => {
      if (asks) awaits(-1);
    });
    if (!answer.ok && answer.status !== 404 && String(answer.url).includes("/gradio_api/run/"))
      lab.toast(lab.word("frame.error.title"), lab.word("frame.error.refused", { status: answer.status }));
    return answer;
  };
})();
