// Draws nothing. Once it has been stirred it says when no request is on its way any more, but such as answer to one
// component: what one choice means for the others is there then.
window.lab.stir = (id) => document.querySelector(`#${id} .lab-still`)?.dispatchEvent(new Event("lab:stir"));
window.lab.component("still", (element, tools) => {
  let waits = false;
  element.addEventListener("lab:stir", async () => {
    if (waits) return;
    waits = true;
    await window.lab.still(tools.given("but"));
    waits = false;
    tools.fire("still", window.lab.fired); // what a click has fired may not have been read yet
  });
  return () => {};
});
