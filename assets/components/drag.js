// A thing dragged with mouse or finger: its ghost follows the pointer through `stage` from the first few pixels on,
// `over` is told where the pointer is, `dropped` that it was let go.
window.lab.drag = (event, thing, stage, { over, dropped }) => {
  if (event.button) return;
  event.preventDefault();
  thing.focus();
  const from = { x: event.clientX, y: event.clientY };
  let ghost = null,
    box = null;
  const lift = () => {
    box = thing.getBoundingClientRect();
    ghost = thing.cloneNode(true);
    ghost.classList.add("ghost");
    ghost.style.width = box.width + "px";
    stage.append(ghost);
  };
  const follow = (now) => {
    if (!ghost && Math.hypot(now.clientX - from.x, now.clientY - from.y) < 5) return;
    if (!ghost) lift();
    ghost.style.left = now.clientX - from.x + box.left + "px";
    ghost.style.top = now.clientY - from.y + box.top + "px";
    over(now.clientX, now.clientY);
  };
  const drop = () => {
    window.removeEventListener("pointermove", follow);
    window.removeEventListener("pointerup", drop);
    window.removeEventListener("pointercancel", drop);
    if (!ghost) return;
    ghost.remove();
    dropped();
  };
  window.addEventListener("pointermove", follow);
  window.addEventListener("pointerup", drop);
  window.addEventListener("pointercancel", drop);
};
