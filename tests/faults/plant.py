"""Plants faults in a copy of the lab, one after the other, and notes which test catches each.

``python tests/faults/plant.py`` plants them all and writes result.md; with words behind it only those whose names hold
one of the words, and their rows are written anew. It ends with 1 where a fault was missed. Nothing is ever planted in
the working tree.
"""

import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from fault import Fault
from in_layers import LAYERS
from in_models import MODELS
from in_objectives import OBJECTIVES
from in_rules import RULES

ROOT = Path(__file__).parents[2]
RESULT = Path(__file__).with_name("result.md")
FAULTS = (*LAYERS, *MODELS, *OBJECTIVES, *RULES)
MISSED = "MISSED"


@contextmanager
def copy_of_the_lab() -> Iterator[Path]:
    """A folder with the lab, its tests and what it needs of assets, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="cloze-lab-faults-") as name:
        for part in ("lab", "tests", "assets/corpora"):
            shutil.copytree(ROOT / part, Path(name) / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", name)
        yield Path(name)


class Noted:
    """Keeps the first test that fails or breaks down."""

    test: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.test is None:
            self.test = report.nodeid.removeprefix("tests/")


def _run(place: Path, tests: Sequence[str], told: Connection) -> None:
    """In a process of its own: the exit code of pytest, and the first test under ``place`` that fails."""
    os.chdir(place)
    sys.path.insert(0, str(place))
    for name in [name for name in sys.modules if name.partition(".")[0] == "lab"]:
        del sys.modules[name]  # the server that forks may have been started by a test, and then it knows the sound lab
    sys.dont_write_bytecode = True  # a file that changes twice in a second would be taken for the one before
    noted = Noted()
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        code = pytest.main(["-x", "-p", "no:cacheprovider", *(f"tests/{test}" for test in tests)], plugins=[noted])
    told.send((int(code), noted.test))


def failing(place: Path, tests: Sequence[str]) -> str | None:
    """The first of the tests under ``place`` that fails, None if none does."""
    context = multiprocessing.get_context("forkserver")
    ear, mouth = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(place, tests, mouth))
    process.start()
    mouth.close()
    code, test = ear.recv()
    process.join()
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise ValueError(f"pytest could not run {' '.join(tests)}: it ended with {code}")
    return test


def plant(place: Path, fault: Fault) -> str:
    """The test that catches the fault, planted under ``place`` for as long as its tests take."""
    path = place / "lab" / fault.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(fault.planted(sound), encoding="utf-8")
    try:
        return failing(place, fault.tests.split()) or MISSED
    finally:
        path.write_text(sound, encoding="utf-8")


def recorded() -> dict[str, str]:
    """What result.md says: the test that caught each fault, by the fault's name."""
    text = RESULT.read_text(encoding="utf-8") if RESULT.exists() else ""
    return dict(re.findall(r"^\| (.+?) \| `lab/.+?` \| `(.+)` \|$", text, re.MULTILINE))


def record(found: Mapping[str, str]) -> None:
    """Write result.md: those found just now, and what it says of others."""
    known = recorded() | found
    rows = [f"| {each.name} | `lab/{each.file}` | `{known[each.name]}` |" for each in FAULTS if each.name in known]
    head = ["What `python tests/faults/plant.py` found.", "", "| fault | planted in | caught by |", "|---|---|---|"]
    RESULT.write_text("\n".join([*head, *rows, ""]), encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """Plant what the words name, or everything, and say what came of it."""
    chosen = [fault for fault in FAULTS if not words or any(word in fault.name for word in words)]
    for fault in chosen:
        fault.planted((ROOT / "lab" / fault.file).read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    with copy_of_the_lab() as place:
        broken = failing(place, sorted({test for fault in chosen for test in fault.tests.split()}))
        if broken:
            raise ValueError(f"without any fault {broken} fails already")
        for fault in chosen:
            found[fault.name] = plant(place, fault)
            print(f"{fault.name}: {found[fault.name]}", flush=True)
            record(found)
    return int(MISSED in found.values())


if __name__ == "__main__":
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    multiprocessing.set_forkserver_preload(["torch", "transformers.modeling_utils"])  # what all tests share, and no lab
    try:
        sys.exit(main(sys.argv[1:]))
    except ValueError as reason:
        sys.exit(str(reason))
