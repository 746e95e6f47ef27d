"""A model comes from the Hub through the real client, and what can go wrong on the way is said in one sentence."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_hub import COMMIT, CONVERTED, Fake, ask_only, hub
from random_runs import run_of, tokenizer
from test_exchange import same_weights, split_up

from lab.cli.main import main
from lab.exchange.export import export
from lab.exchange.hub import is_hub_id
from lab.exchange.known import naming_of
from lab.runs.folder import RunFolder, home

NAME = "somebody/tiny-bert"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Path]:
    path = tmp_path_factory.mktemp("hub")
    run = run_of(naming_of("bert"), path / "run")
    return run, export(run, path / "out").folder


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, exported: tuple[RunFolder, Path]) -> Iterator[Fake]:
    with hub() as found:
        found.models[NAME] = exported[1]
        ask_only(found, monkeypatch)
        monkeypatch.setattr("time.sleep", lambda seconds: None)  # the client waits before it tries again
        yield found


def brought(to: Path, *words: str) -> int:
    return main(["import", NAME, "--to", str(to), "--json", *words])


def refused(capsys: pytest.CaptureFixture[str], to: Path, *words: str) -> str:
    assert brought(to, *words) == 2 and not to.exists()
    assert not [*(home() / "cache").glob("hub-*")]  # nothing is left behind
    sentence = capsys.readouterr().err.splitlines()[-1]
    assert "Traceback" not in sentence
    return sentence


def test_a_model_comes_with_its_commit_and_with_nothing_but_what_is_needed(
    fake: Fake, exported: tuple[RunFolder, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brought(tmp_path / "run") == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["revision"] == COMMIT and document["source"] == NAME and document["model"] == "bert"
    assert NAME in err  # the progress bar
    same_weights(exported[0], RunFolder.open(tmp_path / "run"))
    fetched = {line.rpartition("/")[2] for line in fake.asked if "/resolve/" in line}
    assert fetched == {"config.json", "tokenizer.json", "model.safetensors"}
    assert all(COMMIT in line for line in fake.asked if "/resolve/" in line)
    assert not [*(home() / "cache").glob("hub-*")]


def test_a_model_in_pieces_comes_whole(
    fake: Fake, exported: tuple[RunFolder, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces = tmp_path / "pieces"
    shutil.copytree(exported[1], pieces)
    split_up(pieces)
    fake.models[NAME] = pieces
    assert brought(tmp_path / "run") == 0
    same_weights(exported[0], RunFolder.open(tmp_path / "run"))


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("../../model.safetensors", "no plain name"),
        ("/etc/model.safetensors", "no plain name"),
        ("gone.safetensors", "names gone.safetensors, which is not on the Hub"),
    ],
)
def test_an_index_that_points_elsewhere_fetches_no_weights(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, said: str
) -> None:
    pieces = tmp_path / "pieces"
    shutil.copytree(fake.models[NAME], pieces)
    split_up(pieces)
    index = json.loads((pieces / "model.safetensors.index.json").read_text())
    index["weight_map"]["bert.pooler.dense.bias"] = file
    (pieces / "model.safetensors.index.json").write_text(json.dumps(index))
    fake.models[NAME] = pieces
    assert said in refused(capsys, tmp_path / "run")
    assert not [line for line in fake.asked if line.endswith(".safetensors")]


def test_a_pinned_commit_is_asked_for_and_kept(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert brought(tmp_path / "run", "--revision", COMMIT) == 0
    assert json.loads(capsys.readouterr().out)["revision"] == COMMIT
    assert any(f"/revision/{COMMIT}" in line for line in fake.asked)


def test_a_spoilt_model_from_the_hub_is_said_and_not_kept(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt = tmp_path / "spoilt"
    shutil.copytree(fake.models[NAME], spoilt)
    (spoilt / "model.safetensors").write_bytes((spoilt / "model.safetensors").read_bytes()[:-1000])
    fake.models[NAME] = spoilt
    assert "is cut short" in refused(capsys, tmp_path / "run")


def test_a_connection_that_is_cut_once_is_taken_up_again(
    fake: Fake, exported: tuple[RunFolder, Path], tmp_path: Path
) -> None:
    fake.cut = 1
    assert brought(tmp_path / "run") == 0
    same_weights(exported[0], RunFolder.open(tmp_path / "run"))


def test_a_connection_that_is_always_cut_is_said(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.cut = 10**6
    assert "the connection was lost while model.safetensors" in refused(capsys, tmp_path / "run")


def test_a_wrong_checksum_is_said(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake.swapped = True
    assert "its checksum is wrong" in refused(capsys, tmp_path / "run")


def test_a_gated_model_is_said(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake.gated.add(NAME)
    assert "accept its terms" in refused(capsys, tmp_path / "run")


def test_a_missing_model_and_a_missing_revision_are_said(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "has no revision 'v9'" in refused(capsys, tmp_path / "run", "--revision", "v9")
    del fake.models[NAME]
    assert "no such model on the Hub" in refused(capsys, tmp_path / "run")


def test_a_model_that_is_too_large_is_not_fetched(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "at most 0.010 MB are fetched" in refused(capsys, tmp_path / "run", "--gigabytes", "0.00001")
    assert not [line for line in fake.asked if "/resolve/" in line]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("model.safetensors", "has no safetensors"),
        ("tokenizer.json", "has no tokenizer.json"),
        ("config.json", "has no config.json"),
    ],
)
def test_a_model_that_lacks_a_file_is_said(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, said: str
) -> None:
    poorer = tmp_path / "poorer"
    shutil.copytree(fake.models[NAME], poorer)
    (poorer / file).rename(poorer / "pytorch_model.bin")
    fake.models[NAME] = poorer
    assert said in refused(capsys, tmp_path / "run")


def without_weights(fake: Fake, tmp_path: Path) -> Path:
    """The model as if its weights were published in another format alone."""
    poorer = tmp_path / "poorer"
    shutil.copytree(fake.models[NAME], poorer)
    (poorer / "model.safetensors").rename(poorer / "pytorch_model.bin")
    fake.models[NAME] = poorer
    return poorer


def test_weights_that_the_hub_itself_has_converted_are_taken_from_its_request(
    fake: Fake, exported: tuple[RunFolder, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_weights(fake, tmp_path)
    fake.converted[NAME] = exported[1]
    assert brought(tmp_path / "run") == 0
    assert json.loads(capsys.readouterr().out)["revision"] == CONVERTED
    same_weights(exported[0], RunFolder.open(tmp_path / "run"))


def test_weights_that_a_stranger_has_converted_are_not_taken(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_weights(fake, tmp_path)  # the Hub lists a request of somebody else's, under the same title
    assert "has no safetensors" in refused(capsys, tmp_path / "run")
    assert any(line.partition("?")[0].endswith("/discussions") for line in fake.asked)


def test_a_tokenizer_in_parts_is_read_as_well(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = tokenizer("wordpiece")
    parts = export(run_of(naming_of("bert"), tmp_path / "own", known=known), tmp_path / "parts").folder
    (parts / "tokenizer.json").unlink()
    tokens = [known.inner.id_to_token(number) for number in range(known.vocabulary.size)]
    (parts / "vocab.txt").write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    (parts / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    (parts / "added_tokens.json").write_text("{}")
    (parts / "generation_config.json").write_text("{}")
    fake.models[NAME] = parts
    assert brought(tmp_path / "run") == 0
    theirs = RunFolder.open(tmp_path / "run").tokenizer()
    assert theirs is not None
    assert theirs.encode("the cat sat").tolist() == known.encode("the cat sat").tolist()
    assert theirs.encode("THE").tolist() != theirs.encode("the").tolist(), "capitals are kept as the file beside says"
    assert {line.rpartition("/")[2] for line in fake.asked if "/resolve/" in line} == {
        "config.json",
        "generation_config.json",
        "vocab.txt",
        "tokenizer_config.json",
        "added_tokens.json",
        "model.safetensors",
    }


def test_a_hub_that_fails_or_is_not_there_is_said(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.broken = True
    assert "the Hub answered with the error 500" in refused(capsys, tmp_path / "run")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "the Hub cannot be reached" in refused(capsys, tmp_path / "run")


def test_a_hub_that_is_switched_off_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "HF_HUB_OFFLINE" in refused(capsys, tmp_path / "run")


def test_the_terminal_fetches_a_model(fake: Fake, tmp_path: Path) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_TELEMETRY": "1"}
    words = [sys.executable, "-m", "lab", "import", NAME, "--to", str(tmp_path / "run"), "--json"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and json.loads(done.stdout)["revision"] == COMMIT


def test_a_path_is_no_name_on_the_hub() -> None:
    assert is_hub_id("gpt2") and is_hub_id("google-bert/bert-base-uncased")
    for word in ("", ".", "..", "../x", "/etc/passwd", "./here", "a/b/c", "a b", "a/../b", "a//b", "x" * 200, "a/b\n"):
        assert not is_hub_id(word)
