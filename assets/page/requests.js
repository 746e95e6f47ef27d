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
  function asked(body) {
    const { fn_index, data } = JSON.parse(body || "{}");
    const { inputs = [], outputs = [] } = lab.config.dependencies.find(({ id }) => id === fn_index) ?? {};
    const subjects = inputs.map((id, n) => [id, data?.[n]]).filter(([id]) => lab.built.get(id)?.subject);
    return { outputs: [...outputs], subjects };
  }

  // An answer that is overtaken: what it is about is no longer on show, and it would be taken for what is. What went
  // wrong is said all the same, which is the last of an answer and then all of it.
  const SAME = { __type__: "update" }; // Gradio's sign that a component stays as it is
  const stays = (value) => value?.__type__ === SAME.__type__ && Object.keys(value).length === 1;
  function current({ data }, subjects) {
    if (subjects.every(([id, text]) => !lab.memos.has(id) || (lab.memos.get(id) ?? "") === text)) return data;
    return !data || data.slice(0, -1).every(stays) ? data : data.map(() => SAME);
  }

  // The answer as it is to be shown. All of it is here then and is handed over at once: none that comes meanwhile takes
  // its turn between the look at what is on show and the showing, nor before the memos say what this one brings.
  async function read(answer, { outputs, subjects }) {
    const said = await answer.json();
    said.data = current(said, subjects);
    outputs.forEach((id, n) => {
      if (lab.memos.has(id) && typeof said.data?.[n] === "string") lab.memos.set(id, said.data[n]);
    });
    answer.json = async () => said;
    return answer;
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

  const fetched = window.fetch.bind(window);
  async function answered(args) {
    const question = asked(args[1]?.body);
    awaits(1);
    underWay.add(question.outputs);
    try {
      const answer = await fetched(...args);
      if (answer.ok) return await read(answer, question);
      // Gradio keeps silent about a request outside its queue that the server refused.
      if (answer.status !== 404)
        lab.toast(lab.word("frame.error.title"), lab.word("frame.error.refused", { status: answer.status }));
      return answer;
    } finally {
      awaits(-1);
      underWay.delete(question.outputs);
    }
  }
  window.fetch = async (...args) => {
    const asks = String(args[0]?.url ?? args[0]).includes("/gradio_api/run/");
    try {
      return await (asks ? answered(args) : fetched(...args));
    } catch (error) {
      for (const moment of MOMENTS) setTimeout(sayLost, moment);
      throw error;
    }
  };
})();
