// The branches of a text: those that were left or kept, by the visitor's own names, each a way back.
(() => {
  "use strict";
  const lab = window.lab;
  const MOST = 8,
    LONGEST = 512, // tokens of one
    NAMED = 40; // characters
  let redraw = () => {},
    card = null, // what the card offers: {leave, told}
    spelt = { of: "", texts: new Map() };
  const key = (branch) => branch[1] + branch[2].join();

  lab.branches = {
    draw: () => redraw(),
    // The text is about to be left for another: it is kept, unless a branch holds it already.
    leave: () => card?.leave(),
    waiting: null,
    told(value) {
      lab.branches.waiting = value;
      card?.told(value);
    },
  };

  const PATIENCE = 1000; // milliseconds
  const until = (done, start = performance.now()) =>
    new Promise((then) => {
      const look = () => (done() || performance.now() - start > PATIENCE ? then() : setTimeout(look, 10));
      look();
    });

  lab.component("branches", (element, tools) => {
    const body = tools.card();
    const list = lab.el("ul", { class: "kept", "aria-label": lab.word("generate.branches") }),
      said = lab.el("p", { class: "note", role: "status" }),
      note = lab.el("p", { class: "note" }, lab.word("generate.branches.note"));
    const button = lab.el(
      "button",
      { type: "button", class: "plain keep", onclick: () => keep(true) },
      lab.word("generate.branches.keep"),
    );
    body.append(list, lab.el("div", { class: "offer" }, button, said), note);
    let branches = [], // [name, tokenizer, ids, places of those that were picked]
      shown = "";
    // Which of them, from 1, the text above is: a page that is loaded anew opens with it,
    // unless the visitor has gone elsewhere before the texts came.
    const above = lab.view("branch"),
      INDEX = /^[1-9]\d?$/;
    if (above.value && !INDEX.test(above.value)) above.refuse();
    let wanted = Number(above.value);

    const holds = ([, of, ids], text) => of === spelt.of && text.every((token, at) => ids[at] === token.id);
    const full = () => lab.word("generate.branches.full", { n: MOST });
    const say = (text) => (said.textContent = text);
    function save(changed) {
      branches = changed;
      tools.keep(branches.length ? JSON.stringify(branches) : "");
      draw();
    }
    function keep(asked) {
      const text = lab.writing.text;
      if (!text.length || !spelt.of || branches.some((branch) => holds(branch, text))) return;
      if (branches.length >= MOST || text.length > LONGEST) {
        say(text.length > LONGEST ? lab.word("generate.branches.long", { n: LONGEST }) : full());
        return;
      }
      const taken = new Set(branches.map(([name]) => name));
      let n = 1;
      while (taken.has(lab.word("generate.branches.name", { n }))) n++;
      const name = lab.word("generate.branches.name", { n });
      const picked = text.flatMap((token, at) => (token.picked ? [at] : []));
      save([...branches, [name, spelt.of, text.map(({ id }) => id), picked]]);
      say(lab.word("generate.branches.kept", { name }));
      if (asked) list.lastElementChild.querySelector("input").select();
    }
    // A text in which the visitor chose tokens comes from no seed: a link carries it as a branch.
    const linked = ({ detail }) => {
      const before = lab.shown("branches"),
        count = branches.length;
      if (lab.writing?.text.some((token) => token.picked)) keep(false);
      if (branches.length > count) detail.push(until(() => lab.shown("branches") !== before));
    };
    window.addEventListener("lab:link", linked);
    tools.onLeave(() => window.removeEventListener("lab:link", linked));
    function drop(at) {
      const [name] = branches[at];
      save(branches.filter((_, i) => i !== at));
      say(lab.word("generate.branches.dropped", { name }));
      const next = list.children[Math.min(at, branches.length - 1)];
      (next?.querySelector(".drop") ?? button).focus();
    }
    function rename(at, field) {
      const name = field.value.trim().slice(0, NAMED) || branches[at][0];
      field.value = name;
      if (name === branches[at][0]) return;
      save(branches.map((branch, i) => (i === at ? [name, ...branch.slice(1)] : branch)));
      say(lab.word("generate.branches.renamed", { name }));
    }

    function row(at) {
      const [name] = branches[at];
      const field = lab.el("input", { type: "text", maxlength: NAMED, dir: "auto" });
      field.value = name;
      field.setAttribute("aria-label", lab.word("generate.branches.rename", { n: at + 1 }));
      field.addEventListener("change", () => rename(at, field));
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.isComposing) field.blur();
        if (event.key === "Escape") field.value = branches[at][0];
      });
      const act = (what, label, onclick) =>
        lab.el(
          "button",
          {
            type: "button",
            class: "plain " + what,
            "aria-label": lab.word(label, { name }),
            onclick,
          },
          lab.word("generate.branches." + what),
        );
      const back = act("return", "generate.branches.return.to", () => {
        const [, , ids, picked] = branches[at];
        wanted = 0;
        lab.writing.goTo(ids, picked);
      });
      return lab.el(
        "li",
        {},
        field,
        lab.el(
          "span",
          { class: "acts" },
          back,
          act("drop", "generate.branches.drop.it", () => drop(at)),
        ),
        lab.el("span", { class: "reads", dir: "auto" }),
        lab.el("span", { class: "facts" }),
      );
    }
    // What a branch has in common with the text above is quiet, and what is its own stands out.
    function fill(node, branch) {
      const [, of, ids] = branch,
        tokens = of === spelt.of ? spelt.texts.get(key(branch)) : undefined;
      const strange = (spelt.of && of !== spelt.of) || tokens === null;
      const same = strange ? 0 : lab.writing.shared(ids),
        here = !strange && same === ids.length && same === lab.writing.text.length;
      node.classList.toggle("here", here);
      node.querySelector(".return").disabled = strange || !tokens || here;
      const what = strange ? "other" : here ? "here" : "forks";
      node.querySelector(".facts").textContent = lab.word("generate.branches." + what, {
        n: ids.length,
        same,
      });
      const parts = tokens ? lab.surprise.whole(tokens.map(([text, bytes]) => ({ text, bytes }))) : [];
      const joined = (some) => some.join("").replace(/\n/g, "↵");
      const BEFORE = 4; // tokens that stand before the fork
      node
        .querySelector(".reads")
        .replaceChildren(
          lab.el(
            "span",
            { class: "same" },
            (same > BEFORE ? "…" : "") + joined(parts.slice(Math.max(0, same - BEFORE), same)),
          ),
          lab.el("span", { class: "own" }, joined(parts.slice(same))),
        );
    }
    function reopen() {
      const branch = branches[wanted - 1];
      wanted = 0;
      if (branch && spelt.texts.get(key(branch))) lab.writing.goTo(branch[2], branch[3]);
    }
    function draw() {
      const now = JSON.stringify(branches);
      if (now !== shown) {
        shown = now;
        list.replaceChildren(...branches.map((_, at) => row(at)));
      }
      if (!lab.writing) return;
      if (wanted && spelt.all && lab.writing.text.length) reopen();
      const text = lab.writing.text;
      branches.forEach((branch, at) => fill(list.children[at], branch));
      const here = String([...list.children].findIndex((node) => node.classList.contains("here")) + 1 || "");
      if (!wanted && here !== above.value) above.set(here);
      list.hidden = !branches.length;
      button.disabled = !text.length || !spelt.of || branches.some((branch) => holds(branch, text));
    }
    card = {
      leave() {
        wanted = 0;
        keep(false);
      },
      told({ of, texts }) {
        // An answer about branches that have changed meanwhile has another number of them.
        if (texts.length === branches.length)
          spelt = { of, all: true, texts: new Map(branches.map((branch, at) => [key(branch), texts[at]])) };
        else spelt = { of, texts: of === spelt.of ? spelt.texts : new Map() };
        draw();
      },
    };
    redraw = draw;
    tools.onLeave(() => {
      if (redraw === draw) [redraw, card] = [() => {}, null];
    });
    return (value) => {
      branches = Array.isArray(value) ? value.map(([name, ...more]) => [String(name).slice(0, NAMED), ...more]) : [];
      if (lab.branches.waiting) card.told(lab.branches.waiting);
      draw();
    };
  });
})();
