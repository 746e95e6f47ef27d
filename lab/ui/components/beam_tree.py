"""Beam search as a tree: the candidates of each step, what was kept, and the texts that the search ended with."""

from lab.ui.components.drawn import Drawn


class BeamTree(Drawn):
    """Value: {"prompt": text, "steps": [[{"text", "parent": place in the step before or -1, "p", "score": nats,
    "fate": "kept", "ended" or "dropped", "greedy": whether greedy decoding goes there, or nothing}, ...], ...],
    "ends": [{"text", "logprob": nats, "length": n, "score": nats, "place": [step, place]}, ...], "greedy": one of these
    without place, or nothing, "note": text, "penalised": whether the sums include penalties, "empty": text}.
    Candidates and ends stand in falling order of their scores."""

    script = "beam_tree"
