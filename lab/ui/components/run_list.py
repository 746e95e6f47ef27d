"""The list of runs: open one, lay several over each other, delete those that are no longer wanted."""

from lab.ui.components.drawn import Drawn


class RunList(Drawn):
    """Value: {"runs": [{"id", "title": text, "facts": [text, ...], "number": text, "note": text, "when": seconds,
    "status": text, "live": bool, "busy": bool, "own": bool, "tags": [text, ...]}], "open": id, "empty": text,
    "pick": bool, "ticked": [id, ...]}.

    Fires ``show`` with id, ``overlay`` with ids (of the ticked ones) and ``discard`` with id, which is asked about
    first. Only ``own`` runs can be discarded, while they are not ``busy``; ``pick`` false leaves out the ticks, and
    ``ticked`` adds to them. Where runs have tags, those that have all that are chosen are listed.
    """

    script = "run_list"
    fires = ("show", "overlay", "discard")
