// Long values of an address: packed, behind "#", which no server is sent.
(() => {
  "use strict";
  const lab = window.lab;

  const LONG = 400; // characters: a longer value is packed
  const MOST = 1 << 20; // bytes that a packed value may become
  const packed = new Map(); // a long value -> as it stands in an address

  // A loop, for Uint8Array.from takes ten times as long: 20 ms of the attention of 512 tokens.
  lab.bytes = (base64) => {
    const text = atob(base64 || ""),
      bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  };

  const through = async (bytes, stream) => {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(),
      parts = [];
    for (let n = 0, part; !(part = await reader.read()).done;) {
      if ((n += part.value.length) > MOST) throw new Error("too long");
      parts.push(part.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  async function pack(text) {
    if (packed.size > 50) packed.clear();
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    packed.set(text, base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, ""));
  }
  async function unpack(text) {
    const bytes = lab.bytes(text.replace(/-/g, "+").replace(/_/g, "/"));
    const unpacked = await through(bytes, new DecompressionStream("deflate-raw"));
    const plain = new TextDecoder("utf-8", { fatal: true }).decode(unpacked);
    packed.set(plain, text);
    return plain;
  }

  const isLong = (value) => encodeURIComponent(value).length > LONG;
  const behind = () => new URLSearchParams(location.hash.slice(1));
  lab.packing = {
    isLong,
    packed: (value) => packed.get(value),
    lacks: (values) => values.filter((value) => isLong(value) && !packed.has(value)),
    pack: (values) => Promise.all(lab.packing.lacks(values).map(pack)),
    short: (value) => value.slice(0, LONG),
    names: () => [...behind().keys()],
    // The values that stand packed in the address.
    async unpacked() {
      const query = new URLSearchParams();
      for (const [key, value] of behind())
        try {
          query.set(key, await unpack(value));
        } catch {
          lab.complain("frame.link.value", { key, value: value.slice(0, 60) });
        }
      return query;
    },
  };
})();
