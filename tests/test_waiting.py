"""Threads that wait for one another spin for a moment and then sleep: OpenMP hears so before torch is loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEARD = """
import os, runpy, sys
class Loaded:
    def find_spec(self, name, *_):
        if name == "torch":
            print("heard", os.environ.get("OMP_WAIT_POLICY"), os.environ.get("GOMP_SPINCOUNT"))
            sys.exit()
sys.meta_path.insert(0, Loaded())
sys.argv = sys.argv[1:]
runpy.run_module("lab", run_name="__main__") if sys.argv[0] == "lab" else runpy.run_path("app.py", run_name="__main__")
"""


SAID = "import os, lab.waiting; print('heard', os.environ.get('OMP_WAIT_POLICY'), os.environ.get('GOMP_SPINCOUNT'))"


def heard(code: str, *words: str, **own: str) -> str:
    """What a fresh process that has been told ``own`` prints."""
    others = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=ROOT, env=others | own, capture_output=True, text=True)
    assert done.stdout, done.stderr
    return done.stdout


def test_the_page_takes_no_arguments_and_says_where_its_port_is_chosen() -> None:
    said = subprocess.run([sys.executable, "app.py", "--port", "1"], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 1 and "GRADIO_SERVER_PORT" in said.stderr and len(said.stderr.splitlines()) == 1


@pytest.mark.parametrize("door", [["lab", "models"], ["lab", "app"], ["app.py"]], ids=" ".join)
def test_openmp_hears_it_before_torch_is_loaded(door: list[str]) -> None:
    assert heard(HEARD, *door) == "heard PASSIVE 1000\n"


def test_whoever_has_said_otherwise_is_obeyed() -> None:
    assert heard(SAID) == "heard PASSIVE 1000\n"
    assert heard(SAID, GOMP_SPINCOUNT="7") == "heard PASSIVE 7\n"
    assert heard(SAID, OMP_WAIT_POLICY="ACTIVE") == "heard ACTIVE None\n"
