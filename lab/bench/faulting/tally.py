"""What came of disturbed runs, each held against one that nothing ever happened to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.bench.faulting.outcome import outcome
from lab.runs.folder import RunFolder


@dataclass
class Tally:
    """What came of one kind of fault."""

    faults: int = 0
    lost: int = 0  # runs that could not be brought to their end
    altered: int = 0  # runs that ended otherwise than the undisturbed one
    orphans: int = 0  # processes that were left over

    def hold(self, folder: RunFolder, undisturbed: Mapping[str, Any]) -> None:
        """Take note of a run that should have come to its end by now."""
        if folder.status() != "finished":
            self.lost += 1
        else:
            self.altered += outcome(folder) != undisturbed
