// A long text is pasted at once, and no more of it than its field takes: the browser lays it out line by line, which
// holds up the page for many seconds.
(() => {
  "use strict";
  const lab = window.lab;
  const AT_ONCE = 20000; // characters
  document.addEventListener(
    "paste",
    (event) => {
      const field = event.target,
        text = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
      if (!field.matches?.("textarea") || field.readOnly) return;
      const { selectionStart: from, selectionEnd: to, maxLength, value } = field;
      const room = maxLength > 0 ? Math.max(0, maxLength - value.length + to - from) : Infinity;
      if (text.length <= Math.min(room, AT_ONCE)) return;
      event.preventDefault();
      const kept = text.slice(0, room).replace(/[\ud800-\udbff]$/, "");
      field.setRangeText(kept, from, to, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
      const said = {
        kept: kept.length.toLocaleString(lab.locale),
        all: text.length.toLocaleString(lab.locale),
        most: maxLength.toLocaleString(lab.locale),
      };
      if (kept.length < text.length) lab.toast(lab.word("frame.paste"), lab.word("frame.paste.cut", said), true);
    },
    true,
  );
})();
