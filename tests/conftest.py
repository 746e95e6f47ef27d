"""What every test stands on: one thread, a home of its own, no network."""

import gc
import os
import tempfile
from collections.abc import Iterator

import pytest

HOME = tempfile.TemporaryDirectory(prefix="cloze-lab-")  # removed when the interpreter ends
os.environ.update(
    CLOZE_LAB_HOME=HOME.name,
    OMP_NUM_THREADS="1",
    TOKENIZERS_PARALLELISM="false",
    HF_HUB_OFFLINE="1",
    GRADIO_ANALYTICS_ENABLED="False",
)

gc.disable()  # until all tests are gathered: nothing of what is made for that can go

import torch  # noqa: E402  it reads the environment when it is imported

torch.set_num_threads(1)

from lab.serve.workers import children  # noqa: E402
from lab.training.matrix_products import choose  # noqa: E402

children()  # whichever test is the first to fork: the server that forks has loaded what a child would else load anew


def pytest_collection_finish() -> None:
    """From now on garbage is collected, and what is there already is never looked through again."""
    gc.freeze()
    gc.enable()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test as soon as it fails: a run that is ended before its summary has said which."""
    if report.failed and os.environ.get("PYTEST_XDIST_WORKER") is None:
        took = f"{report.when}, {report.duration:.0f} s"
        print(f"\nFAILED {report.nodeid} ({took})\n{report.longreprtext[-3000:]}", flush=True)


@pytest.fixture(autouse=True)
def products_as_before() -> Iterator[None]:
    """A test that trains leaves no other library multiplying for the next one."""
    yield
    choose(onednn=False, fused=True)
