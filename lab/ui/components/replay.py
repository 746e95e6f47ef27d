"""A recorded run, played in the browser."""

from lab.ui.components.drawn import Drawn


class Replay(Drawn):
    """Value: {"steps": [{"step": n, "loss": number, "guesses": [[text, share], ...]}], "sentence": [text or
    {"answer": text}, ...], "baselines": [{"name": text, "y": number}], "name": text, "x": text, "y": text,
    "logx": bool, "height": pixels, "autoplay": bool}.

    A gap of the sentence is {"answer": text}; each step has one guess a gap. The last step is shown first.
    """

    script = "replay"
