"""A corpus from the Hub: streamed through the real client, no more of it than is wanted, and kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest
from loopback_hub import Fake, ask_only, hub

from lab.catalog import CORPORA
from lab.cli.main import main
from lab.corpora.hub import wanted
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

NAME = "somebody/tales"
TEXTS = [f"Story {n}: 猫在垫子上 🙂\n“yes”, it said." for n in range(40)]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Fake]:
    with hub() as found:
        found.datasets[NAME] = tmp_path / "tales"
        (tmp_path / "tales" / "data").mkdir(parents=True)
        ask_only(found, monkeypatch)
        monkeypatch.setattr("huggingface_hub.constants.HF_ASSETS_CACHE", str(tmp_path / "kept"))
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        yield found


def offered(fake: Fake, name: str, texts: list[str]) -> None:
    table, file = pandas.DataFrame({"id": range(len(texts)), "text": texts}), fake.datasets[NAME] / name
    if name.endswith(".parquet"):
        table.to_parquet(file, row_group_size=10)
    elif name.endswith(".csv"):
        table.to_csv(file, index=False)
    else:
        table.to_json(file, orient="records", lines=True, force_ascii=False)


def read(address: str = f"hf://datasets/{NAME}", **also: object) -> list[str]:
    entry = CORPORA["hub"]
    return sorted(document.text for document in entry.build(entry.settings(path=address, **also)))


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_a_column_of_a_data_set_is_read(fake: Fake, ending: str) -> None:
    offered(fake, f"data/train-0{ending}", TEXTS[:20])
    offered(fake, f"data/train-1{ending}", TEXTS[10:])
    offered(fake, f"data/test{ending}", ["held out"])
    assert read() == sorted(TEXTS)
    assert len(read(documents=7)) == 7 and read(f"hf://datasets/{NAME}/data/test{ending}") == ["held out"]


def test_what_was_read_is_kept_for_days_without_a_network(fake: Fake) -> None:
    offered(fake, "a.csv", TEXTS)
    before = read()
    fake.broken = True
    assert read() == before
    with pytest.raises(SettingsError, match="the Hub answered with the error 500"):
        read(documents=3)  # nobody has asked for these


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_of_a_large_table_no_more_is_fetched_than_there_is_room_for(fake: Fake, ending: str) -> None:
    long = [f"{n} {'word, ' * 20_000}\n“{n}”" for n in range(60)]  # 7 MB
    offered(fake, f"a{ending}", long)
    texts = read(megabytes=1)
    assert 5 <= len(texts) <= 9 and {*texts} < {*long}
    assert fake.sent < 7_000_000


def test_the_command_line_names_it_like_any_corpus(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    offered(fake, "a.jsonl", TEXTS)
    assert main(["corpus", "--corpus", f"hf://datasets/{NAME}", "--documents", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 30


def test_a_model_is_pretrained_on_it(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    offered(fake, "a.jsonl", TEXTS)
    words = ["pretrain", "--model", "gpt", "--size", "tiny", "--steps", "2", "--batch", "2", "--vocab", "300"]
    words += ["--corpus", f"hf://datasets/{NAME}", "--documents", "30", "--out", str(tmp_path / "run")]
    assert main(words) == 0, capsys.readouterr().err
    run = RunFolder(tmp_path / "run").run
    assert (run.corpus, run.corpus_settings["path"]) == ("hub", f"hf://datasets/{NAME}")
    assert main([*words[:-1], str(tmp_path / "other"), "--megabytes", "5"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "column", "sentence"),
    [
        ("hf://datasets/nobody/nothing", "text", "there is no data set 'nobody/nothing' on the Hub"),
        (f"hf://datasets/{NAME}@gone", "text", "has no revision 'gone'"),
        (f"hf://datasets/{NAME}/b.csv", "text", "has no b.csv"),
        (f"hf://datasets/{NAME}", "words", "there is no column 'words'; there are: id, text"),
        ("hf://datasets/one", "text", "an address is hf://datasets/OWNER/NAME"),
        (f"hf://datasets/{NAME}/empty.csv", "text", "holds no text"),
    ],
)
def test_what_cannot_be_had_is_one_sentence_and_nothing_is_kept(
    fake: Fake, tmp_path: Path, address: str, column: str, sentence: str
) -> None:
    offered(fake, "a.parquet", TEXTS)
    (fake.datasets[NAME] / "empty.csv").write_text("text\n  \n")
    with pytest.raises(SettingsError, match=sentence) as error:
        read(address, column=column)
    assert "\n" not in str(error.value)
    assert "empty" in address or not [*(tmp_path / "kept").rglob("*.jsonl")]


def test_training_tables_are_read_where_the_names_tell_which_they_are() -> None:
    files = ["README.md", "data/test.csv", "data/train.csv", "x/Train-0.parquet"]
    assert wanted(files, "") == ["data/train.csv", "x/Train-0.parquet"]
    assert wanted(files, "data") == ["data/test.csv", "data/train.csv"] and wanted(files, "dat") == []
    assert wanted(["a.csv", "b.md"], "") == ["a.csv"]
