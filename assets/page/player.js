// A player: buttons that walk along numbered steps, and one that plays them.
(() => {
  "use strict";
  const lab = window.lab;

  // `words` name the buttons: to the first step, back, on, and to the last. `span` gives the first and the last step,
  // `at` the present one, and `show` draws one. `jumped` hears that somebody has gone to a step, `halted` that playing
  // has ended.
  lab.player = (element, tools, { words, seconds, span, at, show, jumped = () => {}, halted = () => {} }) => {
    let timer = 0;
    const button = (which, sign, to) => {
      const name = lab.word(words[which]);
      const act = () => jump(to());
      return lab.el("button", { type: "button", class: "plain", "aria-label": name, title: name, onclick: act }, sign);
    };
    const play = lab.el("button", { type: "button", class: "plain play", onclick: () => toggle() });
    const buttons = [
      button(0, "|‹", () => span()[0]),
      button(1, "‹", () => at() - 1),
      play,
      button(2, "›", () => at() + 1),
      button(3, "›|", () => span()[1]),
    ];

    function jump(n) {
      stop();
      show(n);
      jumped();
    }
    function toggle() {
      if (timer) stop();
      else start();
    }
    function start() {
      if (at() >= span()[1]) show(span()[0]);
      timer = setInterval(() => {
        show(at() + 1);
        if (at() >= span()[1] || !element.isConnected) stop();
      }, 1000 * seconds);
      name();
    }
    function stop() {
      if (timer) halted();
      clearInterval(timer);
      timer = 0;
      name();
    }
    function name() {
      play.textContent = (timer ? "❚❚ " : "▶ ") + lab.word(timer ? "components.pause" : "components.play");
    }
    tools.onLeave(stop);
    name();
    return { buttons, jump, toggle, stop, playing: () => timer > 0 };
  };
})();
