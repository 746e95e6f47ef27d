// Headings and running text; the folded command.
window.lab.component("prose", (element) => {
  const lab = window.lab;

  function inline(text) {
    return lab
      .say(text)
      .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
      .map((part) => {
        if (part.startsWith("`") && part.length > 2) return lab.el("code", {}, part.slice(1, -1));
        if (part.startsWith("**") && part.length > 4) return lab.el("strong", {}, part.slice(2, -2));
        return part;
      });
  }
  const tags = { h1: "h1", h2: "h2", h3: "h3", lead: "p", p: "p", note: "p" };

  return (value) => {
    element.replaceChildren(
      ...(value || []).map(([kind, body]) => {
        if (kind === "ul" || kind === "ol")
          return lab.el(
            kind,
            {},
            body.map((item) => lab.el("li", { "data-ours": lab.ours(item) }, inline(item))),
          );
        if (kind === "code") return lab.el("pre", {}, lab.el("code", {}, lab.say(body)));
        if (kind === "cite") return lab.el("p", { class: "note" }, lab.cited(body));
        return lab.el(
          tags[kind] || "p",
          { class: kind, "data-ours": lab.ours(body), tabindex: kind === "h1" ? -1 : null },
          inline(body),
        );
      }),
    );
  };
});

window.lab.component("command", (element) => {
  const lab = window.lab;
  const code = lab.el("code");
  const copy = lab.el(
    "button",
    {
      type: "button",
      class: "plain",
      onclick: async () => {
        const done = await lab.copy(code.textContent, () => getSelection().selectAllChildren(code));
        copy.textContent = lab.word(done ? "frame.copied" : "frame.press");
        setTimeout(() => {
          copy.textContent = lab.word("frame.copy");
        }, 1500);
      },
    },
    lab.word("frame.copy"),
  );
  element.append(
    lab.el(
      "details",
      {},
      lab.el("summary", {}, lab.word("frame.command")),
      lab.el("div", { class: "line" }, lab.el("pre", { tabindex: 0 }, code), copy),
    ),
  );
  return (value) => {
    code.textContent = value?.command || "";
    element.hidden = !code.textContent;
  };
});
