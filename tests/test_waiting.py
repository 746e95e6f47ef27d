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


@pytest.mark.parametrize("door", [["lab", "models"], ["lab", "app"], ["app.py"]], ids=" ".join)
@pytest.mark.parametrize(
    ("own", "heard"),
    [
        ({}, "PASSIVE 1000"),
        ({"GOMP_SPINCOUNT": "7"}, "PASSIVE 7"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE None"),
    ],
)
def test_openmp_hears_it_before_torch_is_loaded_unless_one_has_said_otherwise(
    door: list[str], own: dict[str, str], heard: str
) -> None:
    others = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run(
        [sys.executable, "-c", HEARD, *door], cwd=ROOT, env=others | own, capture_output=True, text=True
    )
    assert done.stdout == f"heard {heard}\n", done.stderr
