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

  // What a request asks: the components to which it is answered, and what it is about, as the texts of those memos that
  // say so.
  function read(body) {
    const { fn_index, data } = JSON.parse(body || "{}");
    const { inputs = [], outputs = [] } = lab.config.dependencies.find(({ id }) => id === fn_index) ?? {};
    const subjects = inputs.map((id, n) => [id, data?.[n]]).filter(([id]) => lab.built.get(id)?.subject);
    return { outputs: [...outputs], subjects };
  }

  // An answer that is overtaken: what it is about is no longer on show, and it would be taken for what is. What went
  // wrong is said all the same, which is the last of an answer and then all of it.
  const SAME = { __type__: "update" }; // Gradio's sign that a component stays as it is
  const stays = (value) => value?.__type__ === SAME.__type__ && Object.keys(value).length === 1;
  async function current(answer, subjects) {
    if (!subjects.length || !answer.ok) return answer;
    const text = await answer.clone().text();
    if (subjects.every(([id, asked]) => !lab.memos.has(id) || (lab.memos.get(id) ?? "") === asked)) return answer;
    const said = JSON.parse(text);
    if (!said.data || said.data.slice(0, -1).every(stays)) return answer;
    return Response.json({ ...said, data: said.data.map(() => SAME) });
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
    const { outputs, subjects } = asks ? read(args[1]?.body) : {};
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
    return asks ? current(answer, subjects) : answer;
  };
})();
