// The requests whose answers are awaited, and what is said of one that was refused.
(() => {
  "use strict";
  const lab = window.lab;

  lab.awaited = 0; // requests

  // Gradio keeps silent about a request outside its queue that the server refused.
  const fetched = window.fetch.bind(window);
  window.fetch = async (...args) => {
    const asks = String(args[0]?.url ?? args[0]).includes("/gradio_api/run/");
    lab.awaited += asks;
    const answer = await fetched(...args).finally(() => {
      lab.awaited -= asks;
    });
    if (!answer.ok && answer.status !== 404 && String(answer.url).includes("/gradio_api/run/"))
      lab.toast(lab.word("frame.error.title"), lab.word("frame.error.refused", { status: answer.status }));
    return answer;
  };
})();
