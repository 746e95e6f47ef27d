// Draws nothing, and says when a visitor opens its page for the first time, and when one comes back to it.
window.lab.component("opener", (element, tools) => {
  setTimeout(() => tools.fire("opened"), 0);
  const back = () => {
    if (window.lab.page === tools.given("page")) tools.fire("reopened");
  };
  window.addEventListener("lab:page", back);
  tools.onLeave(() => window.removeEventListener("lab:page", back));
  return () => {};
});
