"""Early stopping: a run ends when so many evaluations in a row have not made it better, and its best checkpoint stays
(Prechelt 1998).

Those evaluations count that stand evenly over the run. More often than that it is looked at in the beginning, when one
bad look says little.
"""

from typing import Any


class EarlyStopping:
    """How good a run was at its best, and for how many evaluations it has not been better. Without ``patience`` it
    never stops."""

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.step = 0  # of the best evaluation; 0 before there is one
        self.best: float | None = None
        self._since = 0

    @property
    def over(self) -> bool:
        """Whether patience has run out."""
        return self.patience is not None and self._since >= self.patience

    def look(self, step: int, score: float) -> None:
        """Take note of an evaluation; the higher its score, the better."""
        if self.patience is None:
            return
        if self.best is None or score > self.best:
            self.step, self.best, self._since = step, score, 0
        else:
            self._since += 1

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"best_step": self.step, "best": self.best, "since": self._since}

    def restore(self, facts: dict[str, Any]) -> None:
        """Take up what a checkpoint kept; one of a run without patience has kept nothing."""
        self.step, self.best, self._since = facts.get("best_step", 0), facts.get("best"), facts.get("since", 0)
