// The numbers of attention maps, a byte a cell. Of a longer text thumbnails alone are sent, and a whole map as it is
// asked for. Layers and heads count from 0; behind a layer's heads stand their mean and the rollout up to it.
(() => {
  "use strict";
  const lab = window.lab;
  const KEPT = 64, // whole maps of a longer text
    SOON = 30; // milliseconds that one points at a head before it is fetched

  // `fetch` asks for a whole map by its name.
  lab.attentionNumbers = (fetch) => {
    const whole = new Map(); // maps of a longer text, by their names
    let map = null,
      heads = new Uint8Array(),
      extras = new Uint8Array(),
      rows = 0,
      cols = 0,
      shades = null;

    const all = () => map.heads + map.extras.length; // the maps of a layer
    const named = (l, h, of = map) => {
      const last = h < of.heads ? h + 1 : of.extras[h - of.heads];
      return [...(of.kind ? [of.kind] : []), l + 1, last].join(".");
    };
    const cut = (l, h, size) =>
      h < map.heads
        ? heads.subarray((l * map.heads + h) * size)
        : extras.subarray((l * map.extras.length + h - map.heads) * size);
    const numbers = (l, h) => (map.sheet ? whole.get(named(l, h)) : cut(l, h, rows * cols));
    const small = () => map.sheet || { rows, cols };
    function thumbnail(l, h) {
      const { rows: high, cols: wide } = small();
      return lab.heatmap.image(cut(l, h, high * wide), high, wide, shades);
    }
    // Until the map itself has come, its thumbnail stands in its place.
    const picture = (l, h) => (numbers(l, h) ? lab.heatmap.image(numbers(l, h), rows, cols, shades) : thumbnail(l, h));

    // What one points at, or comes to with the next key, is fetched before it is picked: then it is there at once.
    let soon = 0;
    function ahead(l, h, wait = SOON) {
      clearTimeout(soon);
      if (!map.sheet || l < 0 || h < 0 || l >= map.layers || h >= all() || numbers(l, h)) return;
      soon = setTimeout(() => map?.sheet && !numbers(l, h) && fetch(named(l, h)), wait);
    }
    function keep(one, of) {
      whole.set(named(one.layer, one.head, of), lab.bytes(one.data));
      if (whole.size > KEPT) whole.delete(whole.keys().next().value);
    }
    // The kind of maps that is shown from now on, in its colours.
    function show(given, ramp) {
      map = given;
      shades = ramp;
      rows = map?.lookers.length ?? 0;
      cols = map?.tokens.length ?? 0;
      heads = lab.bytes(map?.data ?? "");
      extras = lab.bytes(map?.extra ?? "");
    }
    return { all, named, numbers, small, thumbnail, picture, ahead, keep, show, clear: () => whole.clear() };
  };
})();
