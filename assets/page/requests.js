// The requests whose answers are awaited, the sign that one takes its time, and what is said of one that was refused.
(() => {
  "use strict";
  const lab = window.lab;

  const LONG = 700, // milliseconds: sooner a sign would only flicker
    PATIENCE = 8000,
    STILL = 6; // looks without a request: an answer that changes a control makes it ask soon, however busy the browser

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

  // A promise that is kept once no request is on its way: what one choice means for the others is there. Those do not
  // count that answer to the component ``but``.
  const underWay = new Set(); // the components that each request answers to
  lab.still = (but) =>
    new Promise((done) => {
      const start = performance.now();
      let looks = 0;
      const look = () => {
        looks = [...underWay].some((outputs) => !outputs.includes(but)) ? 0 : looks + 1;
        if (looks < STILL && performance.now() - start < PATIENCE) setTimeout(look, 10);
        else done();
      };
      look();
    });

  function answered(body) {
    const { fn_index } = JSON.parse(body || "{}");
    return [...(lab.config.dependencies.find(({ id }) => id === fn_index)?.outputs ?? [])];
  }

  // Gradio says in English that the connection was lost, a moment after it has noticed.
  const LOST = "Connection to the server was lost",
    MOMENTS = [50, 500, 2000]; // milliseconds
  function sayLost() {
    for (const text of document.querySelectorAll(".toast-message-text")) {
      if (!text.textContent.startsWith(LOST)) continue;
      text.textContent = lab.word("frame.error.lost");
      text.closest(".toast-body").querySelector(".toast-title").textContent = lab.word("frame.error.lost.title");
    }
  }

  // Gradio keeps silent about a request outside its queue that the server refused.
  const fetched = window.fetch.bind(window);
  window.fetch = async (...args) => {
    const asks = String(args[0]?.url ?? args[0]).includes("/gradio_api/run/");
    const outputs = asks ? answered(args[1]?.body) : null;
    if (asks) {
      awaits(1);
      underWay.add(outputs);
    }
    const done = () => {
      if (!asks) return;
      awaits(-1);
      underWay.delete(outputs);
    };
    const answer = await fetched(...args).catch((error) => {
      done();
      for (const moment of MOMENTS) setTimeout(sayLost, moment);
      throw error;
    });
    // It is there when all of it is, not its head alone.
    if (asks)
      answer
        .clone()
        .arrayBuffer()
        .catch(() => {})
        .then(done);
    if (!answer.ok && answer.status !== 404 && String(answer.url).includes("/gradio_api/run/"))
      lab.toast(lab.word("frame.error.title"), lab.word("frame.error.refused", { status: answer.status }));
    return answer;
  };
})();
