"""What the tests of the pages that train stand on: a home of their own, and workers that start nothing themselves."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import finished

from lab.runs.folder import RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.serve.ownership import owner_of
from lab.serve.workers import Workers
from lab.training.train import train
from lab.ui.runs import follow
from lab.ui.shell import visitor

ANN, BOB = "a" * 32, "b" * 32
MARKUP = [
    "<img src=x onerror=window.ran=1>",
    "${window.ran=2}",
    "{{window.ran}}",
    "'; rm -rf / #",
    "\u202eturned",
    "\ud800",
    "👩‍👩‍👧",
    "x" * 10_000,
]
NO_RUN = ["", ".", "..", "../x", "/etc/passwd", "a/b", "a\\..\\b", "\0", "x" * 5000, "\ud800", "nobody-knows-this"]


class Still(Workers):
    """Keeps the queue and trains nothing; a test trains what it wants to see trained."""

    def tick(self) -> None:
        """Nobody starts."""


@pytest.fixture
def still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Still]:
    """The pages' workers, in a home of their own."""
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    monkeypatch.setattr(visitor, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(Workers, "tick", Still.tick)  # those of earlier tests in this process look after any home
    workers = Still()
    for module in (follow, visitor, *pages()):
        monkeypatch.setattr(module, "workers", lambda: workers)
    yield workers


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A pretrained run of Ann's, learnt once: each test has a copy."""
    return finished(tmp_path_factory.mktemp("taught"), owner=owner_of(ANN))


@pytest.fixture
def parent(still: Still, taught: RunFolder) -> str:
    """A pretrained run of Ann's in the pages' home."""
    shutil.copytree(taught.path, home() / "parent")
    return "parent"


def pages() -> list[Any]:
    """The handlers of the pages that start something."""
    from lab.ui.pages.claims import handlers as claims  # noqa: PLC0415  the words are read when they are imported
    from lab.ui.pages.finetune import handlers as finetune  # noqa: PLC0415  the words are read when they are imported
    from lab.ui.pages.finetune import mask_shares, studies  # noqa: PLC0415  the words are read when they are imported
    from lab.ui.pages.pretrain import handlers as pretrain  # noqa: PLC0415  the words are read when they are imported

    return [claims, finetune, mask_shares, pretrain, studies]


def learn(folder: RunFolder, until: int = 10**9) -> RunFolder:
    """Train a run that waits, up to a step."""
    for step in train(folder, queued=True):
        if step.step >= until:
            break
    return folder


def records(folder: RunFolder, kind: str) -> list[dict[str, Any]]:
    """What the run's diary says of one kind."""
    return [record for record in MetricsLog(folder.path / "metrics.jsonl").read()[0] if record["kind"] == kind]
