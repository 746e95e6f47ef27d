// The next token's distribution as next_token.py tells it, worked out in the browser while a sampler is turned: the
// server is asked for the logits once, and only for what no script here knows.
(() => {
  const lab = window.lab;
  const BARS = 14,
    SEGMENTS = 60;
  const hearers = new Set();
  let samplers = [], // {name, title, knobs: [{name, low, high, whole}]}, in the order of their register
    on = new Set(),
    order = [];
  const values = {};
  let known = null, // logits, text and uniform number of the token that is shown
    names = [],
    of = "",
    latest = 0,
    picture = null,
    painted = "";

  const bounded = (value, { low, high, whole }) =>
    typeof value === "number" && value >= low && value <= high && (!whole || Number.isInteger(value));
  // The samplers that are on with their settings; null where the server says what is wrong, or no script knows one.
  function chain() {
    const found = order.filter((name) => on.has(name)).map((name) => [name, values[name]]);
    const sound = samplers.every(({ name, knobs }) => knobs.every((knob) => bounded(values[name]?.[knob.name], knob)));
    return sound && lab.sampling.knows(found) ? found : null;
  }
  function tell() {
    const now = JSON.stringify([known?.number, chain()]);
    if (now === painted) return;
    painted = now;
    if (!known || !chain()) return; // what is shown stays until the server answers
    picture = drawn(known, chain());
    hearers.forEach((hear) => hear());
  }

  const short = (share) => Number(share.toPrecision(5)),
    digits = (logit) => (Number.isFinite(logit) ? Math.round(logit * 1000) / 1000 : null);
  const name = (id) => names[id] ?? { word: "generate.end" };
  const counted = (n) => n.toLocaleString("en-US");

  function drawn({ logits, before, likeliest, ids, given, uniform, number }, chain) {
    const stages = lab.sampling.stages(logits, chain, { ids, given });
    const after = lab.sampling.softmax(stages.at(-1) ?? logits).map(Math.fround);
    const { line, place, drawn } = lab.sampling.draw(after, uniform);
    // A mark of the gap takes the place of one.
    const shown = likeliest.includes(drawn) ? [...likeliest] : [...likeliest.slice(0, -2), drawn];
    const cumulative = new Map();
    let sum = 0;
    line.forEach((id) => cumulative.set(id, (sum += after[id])));
    const bars = shown.map((id) => ({
      name: name(id),
      token: names[id] !== null,
      logit: digits(logits[id]),
      steps: stages.map((stage) => digits(stage[id])),
      value: short(after[id]),
      expected: short(before[id]),
      cumulative: cumulative.has(id) ? short(cumulative.get(id)) : null,
      cut: !(after[id] > 0),
      chosen: id === drawn,
      apart: !likeliest.includes(id),
      key: String(id),
    }));
    const segments = Array.from(line.subarray(0, SEGMENTS), (id) => [name(id), short(after[id])]);
    if (line.length > SEGMENTS) {
      const rest = line.subarray(SEGMENTS).reduce((total, id) => total + after[id], 0);
      segments.push([{ word: "generate.others", n: counted(line.length - SEGMENTS) }, short(rest)]);
    }
    const chosen = Math.min(place, SEGMENTS),
      kept = line.reduce((total, id) => total + before[id], 0);
    const token = { word: "generate.quoted", token: name(drawn) },
      others = { word: "generate.among", n: counted(line.length - SEGMENTS), token };
    const note = {
      word: "generate.lot",
      n: ids.length - given + 1,
      left: counted(line.length),
      all: counted(before.reduce((count, share) => count + (share > 0), 0)),
      share: lab.typeset(`${(100 * kept).toFixed(1)}\u00a0%`),
      uniform: uniform.toFixed(3),
      token: place < SEGMENTS ? token : others,
    };
    const draw = {
      segments,
      uniform,
      chosen,
      place: ids.length - given,
      note,
      number,
    };
    return { bars: { bars, chain: chain.map(([name]) => name), number }, draw };
  }

  lab.nextToken = {
    describe(list) {
      samplers = list;
      order = list.map(({ name }) => name);
    },
    titled: (name) => lab.say(samplers.find((each) => each.name === name)?.title),
    hear(hearer, tools) {
      hearers.add(hearer);
      tools.onLeave(() => hearers.delete(hearer));
    },
    // What was worked out here in the place of what the server said.
    instead: (part, value) => (picture && value && picture[part].number >= value.number ? picture[part] : value),
    get order() {
      return order;
    },
    get on() {
      return order.filter((name) => on.has(name));
    },
    get of() {
      return of;
    },
    paints: () => !!known && !!chain(),
    forget() {
      known = null;
    },
    // The server's answer.
    take(value) {
      if (!value || value.number < latest) return;
      latest = value.number;
      const sent = value.known;
      if (sent?.names) [names, of] = [sent.names, sent.of];
      known = null;
      if (sent && sent.of === of) {
        const logits = new Float32Array(lab.bytes(sent.logits).buffer),
          before = lab.sampling.softmax(logits).map(Math.fround);
        const likeliest = Array.from(lab.sampling.order(before).subarray(0, BARS));
        known = { ...sent, logits, before, likeliest, number: value.number };
      }
      tell();
    },
    // What the page's controls say: the switches of all samplers, then all their knobs, then their order.
    told(controls) {
      const rest = controls.slice(-1 - samplers.reduce((n, { knobs }) => n + 1 + knobs.length, 0));
      on = new Set(samplers.filter(({ name }) => newest(name, rest.shift()) === true).map(({ name }) => name));
      for (const { name, knobs } of samplers)
        values[name] = Object.fromEntries(
          knobs.map((knob) => [knob.name, newest(`${name}-${knob.name}`, rest.shift())]),
        );
      lab.nextToken.reorder(String(rest.shift() ?? ""));
    },
    reorder(named) {
      const all = samplers.map(({ name }) => name);
      order = [...new Set([...named.split("*").filter((name) => all.includes(name)), ...all])];
      tell();
    },
  };

  // What a visitor turns is painted first; Gradio, whose own work takes longer than that, hears of it once they pause.
  const PAUSE = 80, // milliseconds
    PATIENCE = 1000; // until Gradio, too, says so
  const ahead = new Map(); // what it does not say yet, by the control's name: value, and until when that may be
  let waiting = null;
  function newest(name, said) {
    const { value, until } = ahead.get(name) ?? { value: said, until: 0 };
    if (value === said || until < performance.now()) ahead.delete(name);
    return ahead.has(name) ? value : said;
  }
  function passOn() {
    if (!waiting) return;
    const { target, type, timer, control } = waiting;
    waiting = null;
    clearTimeout(timer);
    control.until = performance.now() + PATIENCE;
    target.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { passedOn: true }));
  }
  function turned(event) {
    const { target, type } = event;
    const box = target.closest("[id^=sampler-]")?.id ?? "";
    const [, name, knob] = /^sampler-(\w+)(?:-(\w+))?$/.exec(box) ?? [];
    if (event.passedOn || !values[name] || type !== (target.type === "checkbox" ? "change" : "input")) return;
    const value = !knob ? target.checked : target.value === "" ? null : Number(target.value);
    if (knob) values[name] = { ...values[name], [knob]: value };
    else on[value ? "add" : "delete"](name);
    tell();
    if (!lab.nextToken.paints()) return;
    if (waiting?.target === target) clearTimeout(waiting.timer);
    else passOn();
    event.stopImmediatePropagation();
    const control = { value, until: Infinity };
    ahead.set(box.slice("sampler-".length), control);
    waiting = { target, type, control, timer: setTimeout(passOn, PAUSE) };
  }
  for (const type of ["input", "change"]) document.addEventListener(type, turned, true);
  document.addEventListener("focusout", passOn, true);
})();
