"""The house stands: imports go down only, the core knows no screen, every file says what it is for."""

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from lab.catalog import REGISTRIES, TRAITS

ROOT = Path(__file__).parents[1]
FLOORS = {
    **dict.fromkeys(("settings", "registry", "published", "vocab", "spelling", "noise", "damage"), 0.0),
    **dict.fromkeys(("batch", "catalog", "entries"), 1.0),
    "layers": 2.0,
    **dict.fromkeys(("models", "objectives", "tasks", "samplers", "tokenizers", "corpora", "claims"), 3.0),
    "engine": 4.0,
    "serve": 4.5,
    **dict.fromkeys(("cli", "docs", "bench", "ui"), 5.0),
    "__main__": 6.0,
}
SCREEN = {"gradio", "plotly"}
FILES = sorted((ROOT / "lab").rglob("*.py"))


def room(path: Path) -> str:
    """The part of the lab that a file belongs to."""
    return path.relative_to(ROOT / "lab").parts[0].removesuffix(".py")


def imports(source: str) -> Iterator[str]:
    """The full names of the modules that a file imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def wrong(own: str, source: str) -> list[str]:
    """The imports of a file in the room ``own`` that do not lead down."""
    found = []
    for name in imports(source):
        parts = name.split(".")
        if parts[0] == "app" or (parts[0] == "lab" and len(parts) == 1):
            found.append(name)
        elif parts[0] == "lab" and parts[1] != own:
            files = {own, parts[1]} <= {
                "settings",
                "registry",
                "vocab",
                "spelling",
                "noise",
                "damage",
                "batch",
                "catalog",
                "entries",
            }
            if not (FLOORS[parts[1]] < FLOORS[own] or (files and FLOORS[parts[1]] == FLOORS[own])):
                found.append(name)
        elif parts[0] in SCREEN and own != "ui":
            found.append(name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_lead_down(path: Path) -> None:
    assert not wrong(room(path), path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("own", "line"),
    [
        ("models", "from lab.engine.run import Run"),
        ("models", "from lab.objectives.mlm import mlm"),
        ("cli", "from lab.ui.app import launch"),
        ("serve", "import gradio as gr"),
        ("layers", "import lab.models.bert"),
        ("engine", "import app"),
        ("settings", "from lab.batch import Batch"),
    ],
)
def test_the_test_above_finds_imports_that_lead_up(own: str, line: str) -> None:
    assert wrong(own, line)


def test_every_room_has_a_floor() -> None:
    assert {room(path) for path in FILES} - {"__init__"} <= set(FLOORS)


def test_the_core_knows_no_screen_no_table_reader_and_no_peer() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in FILES
        if room(path) not in ("ui", "__main__") and path.parent.name != "arms" and path.name != "__init__.py"
    ]
    code = "import importlib, json, sys\nfor name in json.loads(sys.argv[1]): importlib.import_module(name)\n"
    code += "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code, json.dumps(modules)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "torch" in json.loads(done.stdout)
    assert not {"gradio", "plotly", "pandas", "transformers"} & set(json.loads(done.stdout))


@pytest.mark.parametrize("path", [*FILES, ROOT / "app.py", *sorted((ROOT / "tests").rglob("*.py"))], ids=str)
def test_every_file_says_what_it_is_for_and_init_files_say_nothing(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if path.name == "__init__.py":
        assert source == ""
    else:
        first = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        assert first and first[0] != " "


def twins(paths: Iterable[Path]) -> list[str]:
    """The names that more than one of the files has."""
    return sorted(name for name, times in Counter(path.name for path in paths).items() if times > 1)


def test_no_two_test_files_have_one_name() -> None:
    """pytest takes them for one: the second is not run, or all stops."""
    assert twins([Path("a/test_x.py"), Path("test_x.py"), Path("test_y.py")]) == ["test_x.py"]
    assert not twins(path for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py")


def test_nothing_unpickles() -> None:
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        assert not {"pickle", "cloudpickle", "joblib"} & {name.partition(".")[0] for name in imports(source)}
        assert "torch.load(" not in source, path


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_module_of_a_register_brings_an_entry(kind: str) -> None:
    package = importlib.import_module(f"lab.{kind}")
    modules = {f"lab.{kind}.{module.name}" for module in pkgutil.iter_modules(package.__path__) if not module.ispkg}
    assert {entry.build.__module__ for entry in REGISTRIES[kind]} == modules


def test_every_entry_describes_itself_in_both_languages() -> None:
    for kind, registry in REGISTRIES.items():
        for entry in registry:
            assert all((entry.title, entry.title_zh, entry.summary, entry.summary_zh)), (kind, entry.name)
            assert entry.summary.endswith(".") and entry.summary_zh.endswith("。"), (kind, entry.name)
            assert entry.traits <= TRAITS.keys(), (kind, entry.name)
            for name, item in entry.settings.knobs().items():
                knob = item.metadata["knob"]
                assert knob.en and knob.zh and not knob.en.endswith(".") and not knob.zh.endswith("。"), (kind, name)


def test_the_code_passes_the_linter() -> None:
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "."], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_code_passes_the_type_checker() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
