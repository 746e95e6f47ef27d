"""Published models are fetched once, kept for everybody, asked without a network, and go when they are deleted."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_hub import COMMIT, Fake, ask_only, hub
from random_runs import TEXT, run_of
from test_exchange import WRITTEN

from lab.cli.main import main
from lab.exchange import hub_models, hub_store
from lab.exchange.export import export
from lab.exchange.hub_store import coming, fetch_and_keep, forget, kept, kept_as, run_id, state_of, tokenizer_files
from lab.exchange.known import naming_of
from lab.exchange.naming import Naming
from lab.inference.attention_maps import attention
from lab.inference.model import load
from lab.runs.finding import find_run
from lab.runs.folder import home
from lab.runs.folder import hub as place
from lab.settings import SettingsError

NAME, MOST = "somebody/tiny-bert", 10**9


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store")
    return export(run_of(naming_of("bert"), path / "run"), path / "out").folder


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, exported: Path, tmp_path: Path) -> Iterator[Fake]:
    with hub() as found:
        found.models[NAME] = exported
        ask_only(found, monkeypatch)
        monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        yield found


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("naming", [pytest.param(naming, id=naming.tokens) for naming in WRITTEN])
def test_a_tiny_model_of_every_architecture_is_fetched_and_asked(fake: Fake, tmp_path: Path, naming: Naming) -> None:
    name, run = f"somebody/tiny-{naming.model}", run_of(naming, tmp_path / "run")
    fake.models[name] = export(run, tmp_path / "out").folder
    folder = fetch_and_keep(name, None, MOST)
    assert folder.name == run_id(name) and folder.is_everybodys and state_of(name) == {"is": "here"}
    assert find_run(folder.name).run.title == name
    theirs, ours = load(folder), load(run)
    assert theirs.tokenizer.encode(TEXT).tolist() == ours.tokenizer.encode(TEXT).tolist()
    for mine, brought in zip(ours.model.parameters(), theirs.model.parameters(), strict=True):
        assert (mine == brought).all()


def test_what_was_fetched_is_asked_without_a_network(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch_and_keep(NAME, None, MOST)
    asked = len(fake.asked)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    folder = fetch_and_keep(NAME, None, MOST)  # it is here: nobody is asked
    assert len(fake.asked) == asked
    assert attention(load(folder), "a text")[0].maps.shape[0] == folder.run.settings_of("model").depth
    source = folder.document("source.json")
    assert source["name"] == NAME and source["revision"] == COMMIT and len(source["sha256"]["model.safetensors"]) == 64


def test_a_fetch_that_was_cut_off_goes_on_where_it_was(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 1)
    fake.cut = 100  # more often than the client tries again
    with pytest.raises(SettingsError, match="the connection was lost"):
        fetch_and_keep(NAME, None, MOST)
    assert state_of(NAME)["is"] == "failed" and "connection was lost" in state_of(NAME)["en"]
    assert kept_as(NAME) is None and not [*kept()]
    fake.cut, fake.asked = 0, []
    assert fetch_and_keep(NAME, None, MOST).name == run_id(NAME)
    again = {line.rpartition("/")[2] for line in fake.asked if line.startswith("GET") and "/resolve/" in line}
    assert again == {"model.safetensors"}  # the small files had come
    assert not [*place().glob(".*")]


def test_a_fetch_stops_when_it_is_asked_to(fake: Fake) -> None:
    def stop(done: int, of: int) -> None:
        assert state_of(NAME)["is"] == "coming" and coming() == [run_id(NAME)]
        hub_store.ask_to_stop(NAME)

    with pytest.raises(SettingsError, match="stopped"):
        fetch_and_keep(NAME, None, MOST, stop)
    assert state_of(NAME)["is"] == "failed" and not coming() and kept_as(NAME) is None
    assert fetch_and_keep(NAME, None, MOST)


def test_what_has_come_of_a_model_is_deleted_as_that(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="stopped"):
        fetch_and_keep(NAME, None, MOST, lambda done, of: hub_store.ask_to_stop(NAME))
    assert main(["models", "delete", NAME]) == 0
    assert "what had come of" in capsys.readouterr().out and main(["models", "delete", NAME]) == 2


def test_one_model_is_fetched_once_at_a_time(fake: Fake) -> None:
    refused = []

    def second(done: int, of: int) -> None:
        with pytest.raises(SettingsError, match="is being fetched already"):
            fetch_and_keep(NAME, None, MOST)
        with pytest.raises(SettingsError, match="is being fetched: stop that first"):
            forget(NAME)
        refused.append(done)

    assert fetch_and_keep(NAME, None, MOST, second) and refused


def test_a_damaged_or_too_large_model_is_said_and_not_kept(fake: Fake) -> None:
    with pytest.raises(SettingsError, match="at most 0.000 MB"):
        fetch_and_keep(NAME, None, 10)
    fake.swapped = True
    with pytest.raises(SettingsError, match="checksum is wrong"):
        fetch_and_keep(NAME, None, MOST)
    assert kept_as(NAME) is None
    fake.swapped = False
    assert fetch_and_keep(NAME, None, MOST)  # the damaged file is fetched anew


def test_the_terminal_fetches_lists_and_deletes(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    fetched = told(capsys, "models", "fetch", NAME)["models"]
    assert [(each["name"], each["run"], each["revision"]) for each in fetched] == [(NAME, run_id(NAME), COMMIT)]
    assert [each["name"] for each in told(capsys, "models")["here"]] == [NAME]
    assert main(["models", "fetch", NAME, "--revision", "main"]) == 2  # it might be another one
    assert f"is here already, of the commit {COMMIT[:12]}" in capsys.readouterr().err
    assert told(capsys, "models", "fetch", NAME, "--revision", COMMIT)["models"] == fetched
    assert told(capsys, "attention", "--run", run_id(NAME), "--text", "a b")["maps"]
    assert not told(capsys, "runs", "list")["runs"]  # it is nobody's own
    assert told(capsys, "models", "delete", NAME) == {"name": NAME, "status": "deleted", "whole": True}
    assert not told(capsys, "models", "list")["here"] and not [*place().glob("*/*")]
    assert main(["models", "delete", NAME]) == 2
    assert main(["models", "fetch", NAME, "other/one", "--revision", "main"]) == 2


@pytest.mark.parametrize("word", ["", ".", "..", "../x", "a/../../b", "a--b"])
def test_a_word_that_is_no_model_deletes_and_fetches_nothing(
    word: str, fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_and_keep(NAME, None, MOST)
    there = sorted(place().parent.rglob("*"))
    for part in ("delete", "fetch"):
        said = "is no name of a model on the Hub" if word or part == "fetch" else "NAME is empty"
        assert main(["models", part, word]) == 2 and said in capsys.readouterr().err
    assert sorted(place().parent.rglob("*")) == there and kept_as(NAME)
    for size in ("nan", "inf", "-1", "0", "x"):
        assert main(["models", "fetch", "other/one", "--gigabytes", size]) == 2
        assert "is no size above 0" in capsys.readouterr().err


def test_a_tokenizer_comes_alone_or_with_its_model_and_stays(
    fake: Fake, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.models["somebody/other"] = exported
    [file] = tokenizer_files("somebody/other")
    assert file.read_bytes() == (exported / "tokenizer.json").read_bytes()
    assert {line.rpartition("/")[2] for line in fake.asked if "/resolve/" in line} == {"tokenizer.json"}
    fetch_and_keep(NAME, None, MOST)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert tokenizer_files("somebody/other") == [file] and tokenizer_files(NAME)[0].is_file()
    with pytest.raises(SettingsError, match="cannot be reached"):
        tokenizer_files("somebody/third")


def test_a_model_of_the_list_is_fetched_at_its_commit(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = hub_models.MODELS[0]
    fake.models[listed.name] = fake.models[NAME]
    with pytest.raises(SettingsError, match=f"has no revision '{listed.revision}'"):
        fetch_and_keep(listed.name, None, MOST)  # the Hub of the tests has another one
    assert fetch_and_keep(listed.name, COMMIT, MOST).run.model == listed.model


def test_the_models_of_the_list_are_told_apart_and_each_has_a_family() -> None:
    names = [model.name for model in hub_models.MODELS]
    assert len({name.rpartition("/")[2] for name in names}) == len(names)
    for model in hub_models.MODELS:
        assert naming_of(model.model) and (model.revision is None or len(model.revision) == 40)
        assert hub_models.hub_model(model.name.rpartition("/")[2]) is model


def test_half_a_model_of_a_killed_fetch_is_no_model(fake: Fake) -> None:
    folder = fetch_and_keep(NAME, None, MOST)
    work = place() / f".{run_id(NAME)}"
    shutil.copytree(folder.path, work / run_id(NAME))  # killed after it was made, before it was put in its place
    shutil.rmtree(folder.path)
    assert state_of(NAME) == {"is": "absent"} and not [*kept()]
    assert fetch_and_keep(NAME, None, MOST) and not work.exists()
    assert home() == place().parent
