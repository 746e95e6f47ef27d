"""The loss that stands beside that of the tokens, in a chart of its own: that of a second question, about a pair of
sentences or replaced tokens; or what static vectors learn from, which is not what they are measured by."""

import math
from collections.abc import Sequence
from typing import Any

from lab.catalog import MODELS
from lab.runs.run import Run
from lab.ui.runs.follow import SMOOTH, lines
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.words import say


def kind(log: RunLog, run: Run) -> str:
    """What the second chart shows; empty where there is none."""
    return str(MODELS[run.model].own_loss) or log.second


def points(log: RunLog, run: Run) -> list[Points]:
    """Training and validation of the first chart, and of the second."""
    if MODELS[run.model].own_loss:  # what falls in training is no loss of guessing tokens
        return [Points(), log.valid, log.loss, Points()]
    return [log.loss, log.valid, log.second_loss, log.second_valid]


def second_curve(log: RunLog, run: Run, name: str, before: Sequence[int], now: Sequence[int]) -> dict[str, Any]:
    """The second chart, from the points that were sent ``before`` up to those of ``now``, two counts each."""
    own = MODELS[run.model].own_loss  # then it is the only loss in training, and no second one
    return {
        "title": say(f"pretrain.second.{own}" if own else "pretrain.second"),
        "series": lines(points(log, run)[2:], before, now, run),
        "from": list(before),
        "key": f"{name}:{log.number}:2",
        "baselines": _blind(log),
        "x": say("run.step"),
        "y": say(f"run.second.{kind(log, run)}"),
        "until": log.last.get("of"),
        "smooth": SMOOTH,
    }


def _blind(log: RunLog) -> list[dict[str, Any]]:
    """The least loss of whoever answers every question alike."""
    if log.second == "sequence":
        return [{"name": say("run.blind.pair"), "y": round(math.log(2), 4)}]
    share = log.check.get("discriminator_majority")
    if log.second != "detection" or not share or share >= 1:
        return []
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return [{"name": say("run.blind.detection"), "y": round(entropy, 4)}]
