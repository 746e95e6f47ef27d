"""The house stands: imports go down only, the core knows no screen, every file says what it is for."""

import ast
import importlib
import json
import pkgutil
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from itertools import permutations
from pathlib import Path

import pytest

from lab.catalog import REGISTRIES, TRAITS

ROOT = Path(__file__).parents[1]
# From the ground up: a file imports only rooms on lines before its own. Those that share a line do not import one
# another; the files of the first two lines do, where that makes no circle.
FLOORS = (
    "settings registry published text token_bytes word_borders word_cache vocabulary tokenizer spelling noise masking "
    "padding sandbox glossary hub cross_entropy waiting",
    "batch examples asking entries claim catalog",
    "layers",
    "models objectives tasks samplers tokenizers corpora claims",
    "runs",
    "data",
    "inference",
    "training",
    "analysis",
    "exchange",
    "experiments",
    "serve",
    "bench docs",
    "ui.words",
    "ui.components",
    "ui.shell",
    "ui.exercise ui.runs",
    "ui.pages.start ui.pages.tokenize ui.pages.objectives ui.pages.models ui.pages.pretrain ui.pages.finetune "
    "ui.pages.parameters ui.pages.attention ui.pages.generate ui.pages.claims ui.pages.glossary",
    "ui.app",
    "cli",
    "__main__",
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms.split()}
FILES_AMONG_THEMSELVES = 2  # the first so many lines
SCREEN = {"gradio", "plotly"}
OTHERS = {  # which ask things of other libraries, whose versions differ, and of the system what it may lack
    *(f"lab/serve/{name}.py" for name in ("limits", "worker", "fetching", "places")),
    *("lab/hub.py", "lab/exchange/hub.py", "lab/exchange/special_tokens.py"),
}
BY_NAME = {"lab/registry.py", "lab/sandbox.py"}  # a register, whose entries are files; a call of anything at all
FILES = sorted((ROOT / "lab").rglob("*.py"))
TOP = ".ci .gitignore LICENSE README.md app.py assets lab pyproject.toml requirements.txt tests"


def room_of(module: str) -> str:
    """The part of the lab that a module belongs to, by its name without ``lab.``: a folder, or a file of the ground."""
    parts = module.split(".")
    return ".".join(parts[: {"ui": 3 if parts[1:2] == ["pages"] else 2}.get(parts[0], 1)])


def room(path: Path) -> str:
    """The same, of a file."""
    return room_of(".".join(path.relative_to(ROOT / "lab").with_suffix("").parts))


@cache
def imports(source: str) -> tuple[str, ...]:
    """The full names of the modules that a file imports, at its top or inside a function, in words or in a string."""
    return tuple(_imports(source))


def _imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(word.value) for word in node.args if isinstance(word, ast.Constant))


def wrong(own: str, source: str) -> list[str]:
    """The imports of a file in the room ``own`` that do not lead down."""
    found = []
    for name in imports(source):
        house, _, module = name.partition(".")
        if house == "lab" and module:
            theirs = room_of(module)
            ground = FLOOR[own] < FILES_AMONG_THEMSELVES and FLOOR[own] == FLOOR[theirs]
            if theirs != own and not ground and FLOOR[theirs] >= FLOOR[own]:
                found.append(name)
        elif house in {"app", "lab"} or (house in SCREEN and not own.startswith("ui.")):
            found.append(name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_lead_down(path: Path) -> None:
    assert not wrong(room(path), path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("own", sorted(FLOOR.keys() - {"__main__"}))
def test_in_every_room_an_import_that_leads_up_is_found(own: str) -> None:
    above = next(rooms for rooms in FLOORS[FLOOR[own] + 1 :])
    for other in above.split():
        assert wrong(own, f"from lab.{other} import something")
        assert wrong(own, f"def later():\n    import lab.{other}")
        assert wrong(own, f'importlib.import_module("lab.{other}.something")')


@pytest.mark.parametrize("rooms", [rooms.split() for rooms in FLOORS[FILES_AMONG_THEMSELVES:] if " " in rooms])
def test_rooms_on_one_floor_do_not_import_each_other(rooms: list[str]) -> None:
    for own, other in permutations(rooms, 2):
        assert wrong(own, f"from lab.{other} import something")


@pytest.mark.parametrize(
    ("own", "line"), [("serve", "import gradio as gr"), ("runs", "import app"), ("cli", "from plotly import express")]
)
def test_the_screen_and_the_app_are_known_to_the_page_alone(own: str, line: str) -> None:
    assert wrong(own, line)


def test_every_room_has_a_floor() -> None:
    folders = {ROOT / "lab", ROOT / "lab" / "ui", ROOT / "lab" / "ui" / "pages"}
    there = {path.parent if path.name == "__init__.py" else path for path in FILES} - folders
    assert {room(path) for path in there} == set(FLOOR)


def test_there_is_no_circle_of_imports() -> None:
    """Not even a lazy one, nor among the files of one room."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES}
    needs = {}
    for module, path in modules.items():
        named = set(imports(path.read_text(encoding="utf-8")))
        named |= {name.rpartition(".")[0] for name in named}
        needs[module] = named & modules.keys()
    for circle in TopologicalSorter(needs).static_order():
        assert circle


def test_nobody_but_the_registers_and_the_sandbox_imports_what_is_named_in_a_string() -> None:
    named = {str(path.relative_to(ROOT)) for path in FILES if "import_module(" in path.read_text(encoding="utf-8")}
    assert named == BY_NAME


def sniffed(source: str) -> list[str]:
    """The names by which a file asks whether, or what, an attribute is: written out, and unseen by the type checker."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) > 1]
    asked = [node.args[1] for node in calls if ast.unparse(node.func) in ("getattr", "hasattr")]
    return [str(name.value) for name in asked if isinstance(name, ast.Constant)]


def test_no_field_of_an_entry_or_of_settings_is_read_by_a_string() -> None:
    assert sniffed('hasattr(settings, "share")') + sniffed('getattr(town, "stories", 0)') == ["share", "stories"]
    assert not sniffed("[getattr(settings, name) for name in settings.knobs()]")
    asking = {str(path.relative_to(ROOT)) for path in FILES if sniffed(path.read_text(encoding="utf-8"))}
    assert asking == OTHERS
    assert not [path for path in FILES if re.search(r"\.extra\b", path.read_text(encoding="utf-8"))]


def test_the_core_knows_no_screen_no_table_reader_and_no_peer() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in FILES
        if not room(path).startswith(("ui.", "__main__")) and path.parent.name != "arms" and path.name != "__init__.py"
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


@pytest.mark.parametrize(
    ("term", "file"),
    [
        ("attention mask", "layers/masks.py"),
        ("key-value cache", "layers/kv_cache.py"),
        ("sentinel", "objectives/parts/sentinels.py"),
        ("position ids", "batch.py"),
        ("position embeddings", "layers/positions.py"),
        ("masked language modelling", "objectives/mlm.py"),
        ("learning rate", "training/budget.py"),
        ("padding", "padding.py"),
        ("weight initialisation", "layers/init.py"),
        ("validation", "training/evaluate.py"),
        ("data loader", "data/batches.py"),
        ("distillation", "training/distillation.py"),
        ("cross-layer parameter sharing", "models/albert.py"),
        ("sampler", "inference/decoding.py"),
        ("discriminator", "layers/discriminator.py"),
        ("span boundary objective", "layers/span_boundary.py"),
        ("character cnn", "layers/char_cnn.py"),
        ("metrics log", "runs/metrics_log.py"),
        ("uniform, unigram and bigram", "data/baselines.py"),
    ],
)
def test_who_searches_for_the_literature_s_word_finds_the_file(term: str, file: str) -> None:
    """In its docstrings, for that is where one who searches reads first."""
    tree = ast.parse((ROOT / "lab" / file).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    said = " ".join(" ".join((ast.get_docstring(node) or "").split()) for node in nodes).lower()
    assert term in said


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


def test_nothing_is_kept_at_the_top_but_what_belongs_there() -> None:
    """A run or a folder that a command of the README has made here is easily committed with the rest."""
    git = shutil.which("git")
    listed = subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout if git else ""
    if not listed:
        pytest.skip("this is no checkout")
    assert {line.split("/")[0] for line in listed.splitlines()} == {*TOP.split()}
