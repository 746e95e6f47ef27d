"""A probe sentence: what a model that is learning would write into it, moment by moment."""

from lab.ui.components.drawn import Drawn


class Pinned(Drawn):
    """Value: {"key": name, "sentence": text as typed, "gap": "[MASK]", "moments": [{"step": n, "gaps": [[[text, share],
    ...], ...]} or {"step": n, "next": [[text, share], ...], "text": continuation}], "truths": [what stands in each gap,
    or goes on], "snapshots": [step, ...], "empty": text}.

    A third element of a guess, true, says that it only begins an answer. A moment may also have "suspected": [[token,
    share held for replaced], ...] and "near": [[word, [[token, cosine], ...]], ...].

    The newest moment is shown until the visitor goes back to an older one; new moments of the same ``key`` then leave
    it in place.

    Fires ``scrub`` with step, as text: that of the snapshot nearest to the moment that is shown, "" at the newest one.
    """

    script = "pinned"
    fires = ("scrub",)
