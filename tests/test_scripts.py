"""Scripts and styles of the page: formatted, linted, each of them joined once, and sent packed."""

import gzip
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from lab.ui.shell.shield import SCRIPTS, STYLES, bundle

ROOT = Path(__file__).parents[1]
FILES = sorted(path for path in (ROOT / "assets").rglob("*") if path.suffix in (".js", ".css"))


def ran(tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of the tools of tests/requirements.txt, with the settings that lie beside the tests."""
    place = shutil.which(tool, path=os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]))
    assert place, f"pip install -r tests/requirements.txt brings {tool}"
    return subprocess.run(
        [place, "--config", f"tests/{tool}.json", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_the_scripts_pass_the_linter() -> None:
    done = ran("oxlint", "assets")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("line", "fault"), [("absent();", "no-undef"), ("const idle = 1;", "no-unused-vars")])
def test_the_linter_finds_names_that_are_not_there_or_idle(line: str, fault: str, tmp_path: Path) -> None:
    script = tmp_path / "script.js"
    script.write_text(f"(() => {{\n  {line}\n}})();\n")
    done = ran("oxlint", str(script))
    assert done.returncode == 1 and fault in done.stdout


def test_scripts_and_styles_are_formatted() -> None:
    """All that lie in assets."""
    done = ran("oxfmt", "--check", "assets/**/*.js", "assets/**/*.css")
    assert done.returncode == 0, done.stdout
    assert f" {len(FILES)} files" in done.stdout


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_script_and_style_says_what_it_is_for_in_lines_of_120_columns(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("// " if path.suffix == ".js" else "/* ")
    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".js"], ids=lambda path: path.name)
def test_no_script_writes_a_number_in_the_browsers_language(path: Path) -> None:
    assert "toLocaleString()" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "named"), [("js", SCRIPTS), ("css", STYLES)])
def test_every_part_of_the_page_is_joined_once(kind: str, named: str) -> None:
    there = [path.stem for path in (ROOT / "assets" / "page").glob(f"*.{kind}")]
    assert sorted(named.split()) == sorted(there)


@pytest.mark.parametrize("encoding", ["", "gzip, br"])
def test_whoever_can_unpack_the_script_gets_it_packed(encoding: str) -> None:
    files, sent = bundle(), []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    path = files.links.partition('<script src="')[2].partition('"')[0]
    with pytest.raises(StopIteration):  # it waits for nothing; a loop of its own could not run beside the browser's
        files.send(send, "/" + path, {"accept-encoding": encoding}).send(None)
    headers, body = dict(sent[0]["headers"]), sent[1]["body"]
    assert int(headers[b"content-length"]) == len(body)
    assert headers.get(b"content-encoding") == (b"gzip" if encoding else None)
    assert (gzip.decompress(body) if encoding else body).startswith(b"// What the browser remembers")
