// Draws nothing, and says when a visitor opens its page for the first time, and when one comes back to it: from another
// page, or from another window, where much may have been done meanwhile; or when a run has been deleted in one.
window.lab.component("opener", (element, tools) => {
  setTimeout(() => tools.fire("opened"), 0);
  const back = () => {
    if (window.lab.page === tools.given("page") && !document.hidden) tools.fire("reopened");
  };
  window.addEventListener("lab:page", back);
  document.addEventListener("visibilitychange", back);
  window.lab.otherWindows.addEventListener("message", back);
  tools.onLeave(() => {
    window.removeEventListener("lab:page", back);
    document.removeEventListener("visibilitychange", back);
    window.lab.otherWindows.removeEventListener("message", back);
  });
  return () => {};
});
