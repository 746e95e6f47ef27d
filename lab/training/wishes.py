"""What others wish of a run under way: that it stops, or waits after a step."""

import math
import time

from lab.runs.folder import RunFolder
from lab.settings import SettingsError

EVERY = 0.05  # seconds between looks at the disk: a look costs up to a hundredth of a small model's step


class Wishes:
    """The wishes that lie in the folder of a run, as they stood not longer than EVERY ago."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._looked = -math.inf
        self._stop: bool = False
        self._pause_after: int | None = None

    def to_stop(self) -> bool:
        """Whether the run is to save and to end. Raises SettingsError where its folder is gone: it would take a place
        among the workers for nothing."""
        self._look()
        return self._stop

    def to_pause(self, step: int) -> bool:
        """Whether it is to wait after ``step``."""
        self._look()
        return self._pause_after is not None and step >= self._pause_after

    def _look(self) -> None:
        if time.monotonic() - self._looked >= EVERY:
            if not (self._folder.path / "run.json").exists():
                raise SettingsError("the run was deleted while it learnt", "训练过程中，这次训练被删除了")
            self._stop, self._pause_after = self._folder.asked_to_stop(), self._folder.paused_after()
            self._looked = time.monotonic()
