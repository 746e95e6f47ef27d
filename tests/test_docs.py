"""The README tells the truth: its tables are those of the registers, and its examples can be added as they stand."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lab import docs
from lab.catalog import CLAIMS, REGISTRIES
from lab.cli.main import COMMANDS
from lab.runs.folder import SHIPPED, RunFolder
from lab.training.run_request import command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\S+) -->\n```python\n(.*?)```", README, re.DOTALL))


def test_the_tables_are_those_of_the_registers() -> None:
    assert docs.main(["--check"]) == 0, "run python -m lab.docs"
    for kind in ("models", "objectives", "tokenizers", "samplers", "corpora", "tasks"):
        for entry in REGISTRIES[kind]:
            assert f"| `{entry.name}` | {entry.title} | {entry.summary} |" in README
    for claim in CLAIMS:
        assert f"| `{claim.name}` | {claim.summary} | {claim.paper} |" in README


def test_the_readme_says_which_models_are_read_but_not_written_and_which_are_neither() -> None:
    assert re.search(r"\| `glm` \| `glm` \| .* \| `import` \|\n", README)
    assert re.search(r"\| `gpt` \| `gpt2` \| .* \| `import`, `export` \|\n", README)
    last = next(line for line in README.splitlines() if line.startswith("Not exported"))
    assert all(title in last for title in ("ELMo", "n-gram", "Linear Transformer", "LSTM", "GLM"))
    assert "ChatGLM" not in last


def test_a_table_out_of_date_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "README", tmp_path / "README.md")
    docs.README.write_text(README.replace("| `bert` |", "| `bret` |"), encoding="utf-8")
    assert docs.main(["--check"]) == 1
    assert docs.main([]) == 0
    assert docs.README.read_text(encoding="utf-8") == README


def test_the_examples_can_be_added_and_trained_as_they_stand(tmp_path: Path) -> None:
    assert set(EXAMPLES) == {"models/early.py", "objectives/tail.py", "claims/width.py"}
    for name, source in EXAMPLES.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(source, encoding="utf-8")
    own = tmp_path / "own.txt"
    own.write_text("The cat sat on the mat, and the dog saw it. " * 200, encoding="utf-8")
    words = "pretrain --model early --objective tail --count 2 --steps 1 --vocab 300 --stories 40 --context 16 --json"
    claim = f"claim width --steps 1 --seeds 2 --threads 1 --corpus {own} --json"
    code = (
        "import sys, lab.models, lab.objectives, lab.claims\n"
        f"lab.models.__path__.append({str(tmp_path / 'models')!r})\n"
        f"lab.objectives.__path__.append({str(tmp_path / 'objectives')!r})\n"
        f"lab.claims.__path__.append({str(tmp_path / 'claims')!r})\n"
        "from lab.cli.main import main\n"
        f"sys.exit(main({words.split()!r}) or main({claim.split()!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    trained, measured = map(json.loads, done.stdout.splitlines())
    assert trained["steps"] == 1 and [arm["title"] for arm in measured["arms"]] == ["width 96", "width 32"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_as_tidy_as_the_code_beside_which_it_is_put(name: str) -> None:
    """Or the linter's own test would fail for whoever adds it."""
    for words in (["check"], ["format", "--check"]):
        call = [sys.executable, "-m", "ruff", *words, "--stdin-filename", f"lab/{name}", "-"]
        done = subprocess.run(call, cwd=ROOT, input=EXAMPLES[name], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_of_the_readme_exist() -> None:
    named = re.findall(r"python -m lab (\w+)", README)
    assert named and set(named) <= set(COMMANDS)


def test_what_continuous_integration_runs_is_the_line_of_the_readme() -> None:
    awk = re.search(r"awk '(.*)' README.md", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert awk
    line = subprocess.run(["awk", awk[1], "README.md"], cwd=ROOT, capture_output=True, text=True).stdout
    assert (
        line == "pip install -r tests/requirements.txt && python tests/browser.py && "
        "python -m pytest -n 2 --dist worksteal\n"
    )


def test_the_front_matter_suits_a_space() -> None:
    matter = README.split("---\n")[1]
    for line in ("sdk: gradio", "sdk_version: 6.31.0", 'python_version: "3.12"', "app_file: app.py"):
        assert f"{line}\n" in matter
    short = re.search(r"short_description: (.*)", matter)
    assert short and len(short[1]) <= 60
    assert re.search(r"^gradio>=6\.31,<7$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)


def test_the_shipped_models_are_made_by_the_commands_that_are_named() -> None:
    """A run that was made by an earlier recipe needs more words today."""
    named = [shlex.split(line) for line in README.splitlines() if line.startswith("python -m lab pretrain --model ")]
    made = {words[-1]: " ".join(words) for words in named if (SHIPPED / words[-1] / "run.json").is_file()}
    assert {"bert-town", "albert-town", "gpt-town", "t5-town"} <= made.keys()
    for name, line in made.items():
        whole = command(RunFolder.open(SHIPPED / name).run)
        training = re.findall(r"--[a-z-]+(?: [^\s-]\S*)?", re.findall(r"--(?:steps|seconds) \S+ (.*) --seed", whole)[0])
        assert len(training) > 1 and [words for words in training if words not in line] == [], name
