// A file that the browser saves as soon as it comes. Draws nothing.
window.lab.component("saved", () => {
  let last = null;
  return (value) => {
    if (!value?.data || value.at === last) return;
    last = value.at;
    const data = window.lab.bytes(value.data);
    const link = window.lab.el("a", {
      download: value.name,
      href: URL.createObjectURL(new Blob([data], { type: "application/zip" })),
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
});
