// A row of numbers, each with its name, its unit and its yardstick.
window.lab.component("tiles", (element) => {
  const lab = window.lab,
    LONG = 9; // characters that a tile holds in large letters
  return (value) => {
    const tiles = value?.tiles || [];
    element.replaceChildren(
      lab.el(
        "dl",
        { class: "tiles" },
        tiles.map((tile) => {
          const text =
            typeof tile.value === "number" ? lab.number(tile.value, tile.digits ?? 3) : lab.say(tile.value) || "–";
          return lab.el(
            "div",
            { class: `tile ${tile.kind || ""}${text.length > LONG ? " long" : ""}` },
            lab.el("dt", {}, lab.say(tile.name)),
            lab.el(
              "dd",
              {},
              lab.el("span", { class: "number" }, text),
              " ",
              tile.unit ? lab.el("span", { class: "unit" }, lab.say(tile.unit)) : null,
            ),
            Number.isFinite(tile.share) ? meter(tile.share) : null,
            tile.note ? lab.el("dd", { class: "note" }, lab.say(tile.note)) : null,
          );
        }),
      ),
    );
  };
  function meter(share) {
    const fill = lab.el("span");
    fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    return lab.el("dd", { class: "meter", "aria-hidden": "true" }, fill);
  }
});
