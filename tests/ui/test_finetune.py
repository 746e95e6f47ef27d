"""The page that fine-tunes: two runs that differ in their start alone, fair numbers, and only one's own runs."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import gradio as gr
import pyarrow
import pytest
from bench import ANN, BOB, MARKUP, NO_RUN, Still, learn, parent, records, still, taught
from pyarrow import parquet

from lab.cli import tune as cli
from lab.cli.flags import Parser
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.inference.model import load
from lab.runs.checkpoint import newest
from lab.runs.folder import RunFolder, home
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.training.run_request import command
from lab.ui.pages.finetune import asking, comparison, cost, dataset, mistakes
from lab.ui.pages.finetune import handlers as finetune
from lab.ui.runs import columns, fine_tuning, plan
from lab.ui.runs.labelled_texts import FaultyFile
from lab.ui.runs.picker import RunPicker
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.shell.answers import NOTE
from lab.ui.shell.figures import percent
from lab.ui.shell.frame import Frame
from lab.ui.shell.visitor import label
from lab.ui.words import in_language, say

__all__ = ["parent", "still", "taught"]  # fixtures

TABLE = "text,mood\n" + "".join(f"I love {n}!,good\nI hate {n}.,bad\nHere is {n}.,neither\n" for n in range(10))


def asked(parent: str = "parent", **other: Any) -> dict[str, Any]:
    """What the page's controls say for two runs of a few milliseconds."""
    usual = {
        "parent": parent,
        "data": "town_en",
        "corpus_settings": {"stories": 40},
        "text": "",
        "text_column": None,
        "label_column": None,
        "epochs": 2,
        "training": {"batch": 4, "learning_rate": 1e-3},
        "seed": 0,
    }
    return {**usual, **other}


def begun(visitor: str = ANN, **other: Any) -> list[RunFolder]:
    values = finetune.start(visitor, asked(**other))
    return [RunFolder.open(home() / name) for name in values["arms"].split("*")]


def names_of(folders: list[RunFolder]) -> str:
    return "*".join(folder.name for folder in folders)


def said_of(text: str, folders: list[RunFolder]) -> list[Any]:
    """The bars of each arm."""
    values = asking.ask(ANN, names_of(folders), text, "", "")
    return [values[f"bars {number}"]["value"]["bars"] for number in range(len(folders))]


def table(tmp_path: Path, content: str = TABLE, name: str = "moods.csv") -> dict[str, Any]:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    return dataset.take_file(str(file))


def own(tmp_path: Path, content: str = TABLE) -> dict[str, Any]:
    return {"data": "own", "text": table(tmp_path, content)["text"], "text_column": "text", "label_column": "mood"}


# ---- the two runs


def test_the_two_runs_differ_in_their_start_and_in_nothing_else(parent: str) -> None:
    first, second = (folder.run.dump() for folder in begun())
    different = {name for name in first if first[name] != second[name]}
    assert different == {"fresh", "created"} and second["fresh"] and not first["fresh"]
    assert first["parent"] == parent and first["shape"] == RunFolder.open(home() / parent).run.shape


def test_a_model_that_was_made_elsewhere_is_fine_tuned_with_its_own_tokenizer(parent: str, tmp_path: Path) -> None:
    theirs = export(RunFolder.open(home() / parent), tmp_path / "theirs").folder
    elsewhere = bring(theirs, home() / "elsewhere").folder
    folders = [learn(folder) for folder in begun(parent=elsewhere.name)]
    assert [folder.status() for folder in folders] == ["finished", "finished"]
    assert {load(folder).tokenizer.vocabulary.size for folder in folders} == {elsewhere.tokenizer().vocabulary.size}


def test_both_learn_the_same_steps_and_every_text_so_many_times(parent: str) -> None:
    first, second = (learn(folder) for folder in begun(epochs=3))
    assert first.run.plan.steps == second.run.plan.steps == 27  # 3 times 36 of 40 texts, 4 at a time
    assert [len(records(folder, "train")) for folder in (first, second)] == [27, 27]


def test_what_is_shown_is_named_whatever_is_chosen_beside_it(parent: str) -> None:
    first, *arms = finetune.view(ANN, names_of([learn(folder) for folder in begun()]))["state"]
    assert first[1]["task"]["en"] == "sentence classification" and "town" in first[1]["corpus"]["en"].lower()
    pretrained = RunFolder.open(home() / parent)
    assert first[1]["runs"]["en"] == label(pretrained.run, pretrained), "once, though two arms start from it"
    assert len(arms) == 2 and all(kind == "note" for kind, _ in arms)


def test_the_numbers_on_the_tiles_are_those_of_the_diaries(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    tiles = finetune.view(ANN, names_of(folders))["tiles"]["tiles"]
    shares = [records(folder, "check")[-1]["accuracy"] for folder in folders]
    lines = records(folders[0], "begin")[0]["baselines"]
    said = [tile["value"] for tile in tiles]
    assert said[:3] == [f"{100 * share:.1f}\u00a0%" for share in (*shares, lines["majority"])]
    gain, chance = map(float, said[3].split("\u00a0±\u00a0"))
    assert gain == pytest.approx(100 * (shares[0] - shares[1]), abs=0.06)
    assert chance > 0 and tiles[3]["note"] == {"word": "finetune.gain.unclear", "n": "4"}  # four texts tell nothing
    table = records(folders[0], "check")[-1]["confusion"]
    assert sum(map(sum, table)) == 4 and sum(table[n][n] for n in (0, 1)) == round(4 * shares[0])


def test_a_difference_that_chance_may_give_is_no_result() -> None:
    """Of 40 texts 30 and 26 are right: ten points, and twenty may be chance; of 4,000 they are a result. Two texts that
    are both right here and both wrong there are none."""

    def tile(times: int) -> dict[str, Any]:
        tables = [
            [[15 * times, 5 * times], [5 * times, 15 * times]],
            [[13 * times, 7 * times], [7 * times, 13 * times]],
        ]
        shares = [0.75, 0.65]
        checks = [{"confusion": each, "accuracy": share} for each, share in zip(tables, shares, strict=True)]
        return comparison.gain([RunLog(Path("x"), check=check) for check in checks], start_alone=True)[0]

    assert tile(1)["value"] == "+10.0\u00a0±\u00a019.7" and tile(1)["note"]["word"] == "finetune.gain.unclear"
    assert tile(1)["kind"] == "faint"
    assert tile(100)["value"] == "+10.0\u00a0±\u00a02.0" and tile(100)["note"]["word"] == "finetune.gain.clear"
    right, wrong = {"confusion": [[1, 0], [0, 1]], "accuracy": 1.0}, {"confusion": [[0, 1], [1, 0]], "accuracy": 0.0}
    two = [RunLog(Path("x"), check=check) for check in (right, wrong)]
    assert comparison.gain(two, start_alone=True)[0]["kind"] == "faint"
    assert not comparison.gain([RunLog(Path("x"), check={"accuracy": 0.5})] * 2, start_alone=True), "of how many texts?"
    learning = comparison.gain(two, start_alone=True, ended=False)[0]
    assert learning["note"] == {"word": "finetune.gain.so_far"}  # no verdict while an arm still learns


def looked_at(mark: str, text: str = "text", label: str = "label", *, skip: bool = False) -> dict[str, Any]:
    return dataset.look_at(mark, "classify", skip, "", text, None, None, label)


def fault(answer: dict[str, Any], part: str = "facts") -> str:
    """What is wrong with a file, which stays on the page."""
    [(kind, said)] = answer[part]
    assert kind == "problem" and in_language(said, "zh")
    return in_language(said, "en")


def test_a_column_without_a_name_is_numbered_in_the_language_of_the_page(
    still: Still, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = table(tmp_path, "".join(f"今天看了 {n} 部很好的电影,好\n明天再看 {n} 部不好的,差\n" for n in range(20)))[
        "text"
    ]
    monkeypatch.setattr(columns, "language_now", lambda: "zh")
    first = looked_at(mark, "column 1", "column 2")["facts"][-1][1]
    assert first.startswith("第 1 列 | 第 2 列\n今天看了 0 部很好的电影 | 好\n")


def test_uneven_classes_and_rows_without_a_label_are_named(parent: str, tmp_path: Path) -> None:
    rows = "".join(f"text {n},{'rare' if n % 5 == 0 else 'common'}\n" for n in range(40))
    mark = table(tmp_path, "text,label\n" + rows + "no label,\n")["text"]
    assert re.search("has no label", fault(looked_at(mark)))
    chosen = {"data": "own", "text": mark, "text_column": "text", "label_column": "label"}
    foreseen = cost.cost(ANN, asked(**chosen))
    assert foreseen["objection"] == [["note", say("finetune.cost.file")]], "the page says it once, beside the file"
    *said, (_, first) = looked_at(mark, skip=True)["facts"]
    assert [each[1]["word"] for each in said] == ["finetune.own.facts", "finetune.own.left_out", "finetune.own.uneven"]
    assert said[1][1]["n"] == "1" and "line 42 has no label" in said[1][1]["why"]["en"]
    assert first.split("\n") == ["text | label", "text 0 | rare", "text 1 | common", "text 2 | common"]


def test_parquet_is_taken_as_the_table_that_it_packs(still: Still, tmp_path: Path) -> None:
    rows = [{"text": f"text\n{n} 🙂", "label": float(n % 2) if n else float("nan")} for n in range(9)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    taken = dataset.take_file(str(tmp_path / "rows.parquet"))
    assert taken["text_column"]["value"] == "text" and taken["label_column"]["value"] == "label"
    facts = looked_at(taken["text"], skip=True)["facts"]
    assert facts[0][1]["classes"] == "0 (4), 1 (4)" and facts[1][1]["n"] == "1"
    assert facts[-1][1].split("\n")[2] == "text 1 🙂 | 1.0"
    (tmp_path / "zip.parquet").write_bytes(b"PK\x03\x04" + bytes(60))
    assert "'zip.parquet' is no Parquet file" in fault(dataset.take_file(str(tmp_path / "zip.parquet")))


def test_rows_that_cannot_be_read_are_left_out_counted_and_named(still: Still, tmp_path: Path) -> None:
    rows = "".join(f'{{"text": "text {n}", "label": {n % 2}}}\n' for n in range(6))
    mark = table(tmp_path, '{"txt": 1}\n{oops\n' + rows, "rows.jsonl")["text"]
    assert re.search("In line 1 there is no column 'text'", fault(looked_at(mark)))
    facts = looked_at(mark, skip=True)["facts"]
    assert facts[0][1]["texts"] == "6" and facts[1][1]["n"] == "2" and "line 2 is not valid JSON" in str(facts[1])
    mark = table(tmp_path, "text,label\na,x,more\nb,x\nc,y\n")["text"]
    assert "line 2 has 3 fields" in str(looked_at(mark, skip=True)["facts"][1])
    bare = table(tmp_path, "text,label\na,\nb,nan\n")["text"]
    assert "ine 2 has no label" in fault(looked_at(bare, skip=True))


def test_a_model_that_has_learnt_from_a_file_is_not_asked_about_the_town(parent: str, tmp_path: Path) -> None:
    names = names_of(begun(**own(tmp_path)))
    laid = asking.fields(ANN, names, "", "en")
    assert laid["own"]["value"] == "" and not laid["ends"]["visible"]
    assert "value" not in asking.fields(ANN, names, "a text of mine", "en")["own"]
    town = asking.fields(ANN, names_of(begun()), "", "en")
    assert town["own"]["value"] and town["ends"]["visible"]


def test_a_test_file_of_ones_own_is_what_is_checked_on(parent: str, tmp_path: Path) -> None:
    mark = table(tmp_path)["text"]
    test = dataset.take_test(str(wrote(tmp_path, "text,mood\nLove!,good\nHate!,bad\n")))["test"]
    own = {"data": "own", "text": mark, "text_column": "text", "label_column": "mood", "test": test}
    folder = learn(begun(**own)[0])
    assert sum(map(sum, records(folder, "check")[-1]["confusion"])) == 2
    empty = dataset.take_test(str(wrote(tmp_path, "")))  # in its stead: the one before is not tested on any more
    assert "empty" in fault(empty, "test_fault") and not empty["test"]
    assert dataset.take_test(None)["test_fault"] == []


def wrote(tmp_path: Path, content: str) -> Path:
    (tmp_path / "test.csv").write_text(content, encoding="utf-8")
    return tmp_path / "test.csv"


def test_both_curves_stand_against_the_commonest_class(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    drawn = finetune.view(ANN, names_of(folders))["scores"]
    for line, folder in zip(drawn["series"], folders, strict=True):
        assert line["y"] == [record["accuracy"] for record in records(folder, "check")]
    assert drawn["baselines"][0]["y"] == records(folders[0], "begin")[0]["baselines"]["majority"]


def test_a_thinned_line_keeps_its_end() -> None:
    points = Points(list(range(5000)), [float(n) for n in range(5000)])
    thin = comparison.thin(points)
    assert len(thin["x"]) <= comparison.DRAWN * 1.1 and thin["x"][-1] == 4999 and thin["x"] == sorted(thin["x"])


def test_nothing_is_said_while_nothing_is_new(parent: str) -> None:
    folders = begun()
    first = finetune.view(ANN, names_of(folders))
    assert first["timer"]["active"] and finetune.view(ANN, names_of(folders), first["seen"]) == {}
    assert finetune.look_again(ANN, names_of(folders), first["seen"]) == {}
    learn(folders[0])
    assert finetune.view(ANN, names_of(folders), first["seen"])["again"] != first["again"]


def test_arms_that_are_gone_while_they_are_on_show_make_room_for_what_is_left(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    names, seen = names_of(folders), finetune.view(ANN, names_of(folders))["seen"]
    folders[0].delete()
    left = finetune.look_again(ANN, names, seen)
    assert left["tuned"] == left["arms"] == folders[1].name and NOTE not in left
    folders[1].delete()
    none = finetune.look_again(ANN, left["arms"], left["seen"])
    assert "another one is shown" in none[NOTE].en and folders[1].name not in none["arms"]


# ---- one's own file


def test_columns_are_proposed_and_the_classes_counted(still: Still, tmp_path: Path) -> None:
    taken = table(tmp_path, "id;review;mood\n" + "1;I love it, truly;good\n2;I hate it, truly;bad\n" * 5)
    assert (taken["text_column"]["value"], taken["label_column"]["value"]) == ("review", "mood")
    said = looked_at(taken["text"], "review", "mood")["facts"][0][1]
    assert (said["texts"], said["n"], said["classes"]) == ("10", 2, "bad (5), good (5)")


def test_columns_with_the_usual_names_are_proposed_whatever_they_hold(still: Still, tmp_path: Path) -> None:
    taken = table(tmp_path, "text,label\n" + "short,a much longer label\nbrief,the other of both\n" * 5)
    assert (taken["text_column"]["value"], taken["label_column"]["value"]) == ("text", "label")


def test_a_megabyte_in_one_field_is_no_fault_of_quotation_marks(still: Still, tmp_path: Path) -> None:
    assert table(tmp_path, "word " * 200_000)["label_column"]["value"] is None


def test_json_lines_are_read_like_a_table(still: Still, tmp_path: Path) -> None:
    lines = [json.dumps({"stars": n % 2, "words": "a long text " * 3}) for n in range(8)]
    taken = table(tmp_path, "\n".join(lines), "reviews.jsonl")
    assert (taken["text_column"]["value"], taken["label_column"]["value"]) == ("words", "stars")


def test_the_names_of_the_classes_reach_the_model_and_the_bars(parent: str, tmp_path: Path) -> None:
    folders = [learn(folder) for folder in begun(**own(tmp_path))]
    assert load(folders[0]).labels == ("bad", "good", "neither")
    for bars in said_of("I love it!", folders):
        assert [bar["name"] for bar in bars] == ["bad", "good", "neither"]
        assert sum(bar["value"] for bar in bars) == pytest.approx(1) and sum(bar["chosen"] for bar in bars) == 1


def test_the_towns_classes_are_named_in_both_languages(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    bars = said_of("She won.", folders)[0]
    assert [in_language(bar["name"], "zh") for bar in bars] == ["结局不好", "结局圆满"]
    pairs = comparison.named(["entailment", "neutral", "contradiction"])
    assert [in_language(name, "zh") for name in pairs] == ["蕴含", "中立", "矛盾"]
    assert comparison.named(["negative", "neutral"]) == ["negative", "neutral"]  # a set of somebody's own


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text,mood\nonly one class,good\nhere,good\n", "2 classes"),
        ("text,label\nno such column,good\n", "no column 'mood'"),
        ('text,mood\n"never closed,good\n', "quotation|fields"),
        ("text,mood\na,b,c\n", "line 2"),
        ('{"text": "a"}\n{"text": ', "line 2|no column"),
    ],
)
def test_a_table_with_a_fault_is_refused_with_the_fault(parent: str, tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        begun(**own(tmp_path, content))
    assert str(tmp_path) not in caught.value.en + caught.value.zh


def test_an_empty_or_binary_file_is_refused_by_its_own_name(still: Still, tmp_path: Path) -> None:
    for content in (b"", bytes(range(256)) * 9):
        file = tmp_path / "<b>.csv"
        file.write_bytes(content)
        taken = dataset.take_file(str(file))
        assert "<b>.csv" in fault(taken) and taken["text"] == ""
    assert dataset.take_file(None)["text"] == ""


# ---- what is refused


HOSTILE: list[dict[str, Any]] = [
    {"parent": ""},
    {"parent": "../parent"},
    {"parent": "nobody"},
    {"data": "file"},
    {"data": "labelled"},
    {"data": "own"},
    {"data": "own", "text": "0" * 64, "text_column": "text", "label_column": "mood"},
    {"data": "own", "text": "../parent/run", "text_column": "text", "label_column": "mood"},
    {"data": "own", "text": "0" * 64, "text_column": "text", "label_column": "text"},
    {"epochs": float("nan")},
    {"epochs": 0},
    {"epochs": 10**9},
    {"epochs": None},
    {"epochs": "3"},
    {"epochs": True},
    {"corpus_settings": {"stories": 10**9}},
    {"corpus_settings": {"stories": "many"}},
    {"training": {"batch": 0}},
    {"training": {"batch": 4, "learning_rate": float("inf")}},
    {"training": {"batch": 10**6}},
    {"seed": -1},
]


@pytest.mark.parametrize("wrong", HOSTILE, ids=str)
def test_a_wrong_choice_is_refused_in_one_sentence_and_leaves_no_run(parent: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        finetune.start(ANN, asked(**wrong))
    assert caught.value.zh and "\n" not in caught.value.en
    assert [path.parent.name for path in home().glob("*/run.json")] == [parent]
    [(_, objection)] = cost.cost(ANN, asked(**wrong))["objection"]
    if isinstance(caught.value, FaultyFile):  # which is said beside the file
        assert objection == say("finetune.cost.file")
    else:
        assert in_language(objection, "en").lower() == caught.value.titled.lower() + "."


def test_a_comparison_that_would_take_too_long_is_refused_in_minutes(
    parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    monkeypatch.setattr(fine_tuning, "forecast", lambda *_: type("Long", (), {"seconds": limits().seconds + 1})())
    with pytest.raises(SettingsError, match="15:01 for each run; at most 15:00"):
        begun()


def test_texts_that_anybody_has_asked_about_are_not_read_into_rows_again(
    parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = cost.cost(ANN, asked())
    again = asked()
    monkeypatch.setattr(fine_tuning, "labelled_rows", lambda *given: pytest.fail("read again"))
    assert cost.cost(ANN, again) == once
    with pytest.raises(pytest.fail.Exception):
        cost.cost(ANN, asked(data="town_zh"))


def test_a_run_without_weights_cannot_be_a_parent(still: Still) -> None:
    RunFolder.create(plan.pretraining(pretraining(), ANN), home() / "empty")
    with pytest.raises(SettingsError, match="saved its weights"):
        begun(parent="empty")


def pretraining() -> dict[str, Any]:
    chosen = {"corpus": "town_en", "model": "bert", "objective": "mlm", "pair": "none", "tokenizer": "byte_bpe"}
    return {**chosen, "vocabulary": 300, "seconds": 5, "shape": {"width": 16, "depth": 1, "heads": 2, "context": 16}}


@pytest.mark.parametrize("text", [*MARKUP, "", " ", "\n", "a", "[CLS]"], ids=lambda text: repr(text)[:30])
def test_any_text_can_be_classified(parent: str, text: str) -> None:
    folders = [learn(folder) for folder in begun(epochs=1)]
    bars = said_of(text, folders[:1])[0]
    assert len(bars) == (2 if text.strip() else 0)


def test_of_a_long_text_the_end_alone_is_read_and_that_is_said(parent: str) -> None:
    folders = [learn(folder, until=1) for folder in begun()]
    end = "The town was glad. " * 20
    long, other = (asking.ask(ANN, names_of(folders), begins + end, "", "") for begins in ("Anna left. ", "Tom fell. "))
    model = load(folders[0])
    n, room = len(model.tokenizer.encode("Anna left. " + end)), model.context - 2
    assert long["unread"] == [["note", {"word": "finetune.cut.end", "n": f"{n:,}", "shown": f"{room:,}"}]]
    assert long["bars 0"]["value"] == other["bars 0"]["value"] and len(model.tokenizer.encode(end)) > room
    assert asking.ask(ANN, names_of(folders), "Anna left.", "", "")["unread"] == []


def test_a_text_above_the_limit_is_refused(parent: str) -> None:
    with pytest.raises(SettingsError, match="characters"):
        asking.ask(ANN, "", "x" * (limits().prompt + 1), "", "")


# ---- whose runs


def test_two_visitors_never_see_each_others_comparisons(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    mine = [folder.name for folder in begun()]
    opened = finetune.open_page(BOB, mine[0])
    assert opened["tuned"] == "" and opened["list"]["runs"] == []
    calls = (
        lambda: finetune.view(BOB, "*".join(mine)),
        lambda: finetune.stop(BOB, mine[0]),
        lambda: finetune.resume(BOB, mine[0]),
        lambda: finetune.discard(BOB, mine[0], ""),
        lambda: asking.ask(BOB, "*".join(mine), "x", "", ""),
        lambda: asking.fields(BOB, "*".join(mine), "", "en"),
        lambda: finetune.start(BOB, asked()),
    )
    for call in calls:
        with pytest.raises(SettingsError, match="somebody else"):
            call()


@pytest.mark.parametrize("name", [name for name in NO_RUN if name], ids=repr)
def test_an_id_that_is_no_run_is_refused_and_never_a_path(still: Still, name: str) -> None:
    for call in (finetune.stop, finetune.resume, finetune.view):
        with pytest.raises(SettingsError):
            call(ANN, name)
    assert finetune.open_page(ANN, name)["tuned"] == ""


# ---- finding them again


def test_a_comparison_is_found_again_by_one_of_its_runs(parent: str) -> None:
    pairs = [[folder.name for folder in begun(seed=seed)] for seed in (1, 1, 2)]
    for first, second in pairs:
        opened = finetune.open_page(ANN, first)
        assert (opened["tuned"], opened["arms"]) == (first, f"{first}*{second}")
    assert [run["id"] for run in finetune.listing(ANN, "")["runs"]] == [first for first, _ in reversed(pairs)]


def test_a_comparison_is_finished_once_all_of_its_runs_are(parent: str) -> None:
    def said() -> tuple[str, bool]:
        listed = finetune.listing(ANN, "")["runs"][0]
        return listed["status"]["word"], listed["busy"]

    first, second = begun()
    assert said() == ("run.status.waiting", False)
    learn(first)
    assert said() == ("run.status.waiting", False)
    with second.lock:
        assert said() == ("run.status.running", True)
    second.ask_to_stop()
    assert said() == ("run.status.stopped", False)
    finetune.resume(ANN, first.name)
    learn(second)
    assert said() == ("run.status.finished", False)


def test_both_runs_are_stopped_resumed_and_deleted_together(parent: str) -> None:
    first, second = begun()
    assert not finetune.stop(ANN, first.name)["stop"]["visible"]
    assert [first.status(), second.status()] == ["stopped", "stopped"]
    assert finetune.resume(ANN, first.name)["stop"]["visible"]
    assert [first.status(), second.status()] == ["waiting", "waiting"]
    values = finetune.discard(ANN, first.name, first.name)
    assert values["tuned"] == "" and not first.path.exists() and not second.path.exists()


def test_of_a_stopped_run_tile_list_and_matrix_say_the_same(parent: str) -> None:
    first, second = begun()
    for folder in (first, second):
        learn(folder, until=3)
    assert first.status() == "stopped"
    values, [listed] = finetune.view(ANN, f"{first.name}*{second.name}"), finetune.listing(ANN, "")["runs"]
    tile = values["tiles"]["tiles"][0]
    found = first.document("result.json")["validation"]
    assert tile["value"] == listed["number"] == percent(found["accuracy"])
    assert tile["note"]["steps"]["word"] == "finetune.step" and tile["note"]["steps"]["n"] == "3"
    assert sum(map(sum, found["confusion"])) == len(mistakes.judged(first).examples)


def test_a_comparison_whose_parent_was_deleted_can_still_be_looked_at(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    RunFolder.open(home() / parent).delete()
    opened = finetune.open_page(ANN, "")
    assert opened["tuned"] == folders[0].name
    assert opened["list"]["runs"][0]["facts"][1]["title"]["word"] == "finetune.gone"


@pytest.mark.parametrize("fresh", [False, True])
def test_the_command_trains_the_same_run(parent: str, monkeypatch: pytest.MonkeyPatch, fresh: bool) -> None:
    run = fine_tuning.finetuning(asked(), ANN).runs[fresh]
    words = shlex.split(command(run))
    assert words[:4] == ["python", "-m", "lab", "finetune"]
    monkeypatch.setattr("lab.cli.foreground.learn", lambda folder, group: folder.run.dump())
    parser = Parser(prog="finetune")
    cli.finetune_flags(parser, words[4:])
    told: Any = cli.finetune(parser.parse_args(words[4:]))
    stamped = {"created", "versions", "parent", "owner"}
    assert {k: v for k, v in told.items() if k not in stamped} == {
        k: v for k, v in run.dump().items() if k not in stamped
    }
    assert Path(told["parent"]).name == run.parent


# ---- names in the page's language, and runs of others


def test_what_the_lab_named_is_called_in_the_language_of_the_page(
    parent: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, named = begun()[0], begun(seed=1)[0]
    named.retitle("mine · classify · 1")
    bare = table(tmp_path, "".join(f"so short a text {n},{n % 2}\n" for n in range(9)))

    def told() -> list[str]:
        titles = [run["title"] for run in finetune.listing(ANN, "")["runs"][:2]]
        return [*titles, dataset.offer(bare["text"])["label_column"]["choices"][1][0]]

    assert told() == ["mine · classify · 1", "BERT · Sentence classification · 1", "column 2"]
    for place in ("lab.ui.shell.visitor.language_now", "lab.ui.runs.columns.language_now"):
        monkeypatch.setattr(place, lambda: "zh")
    assert told() == ["mine · classify · 1", "BERT · 句子分类 · 1", "第 2 列"]
    assert dataset.offer(bare["text"])["label_column"]["choices"][1][1] == "column 2", "what the file is read by"
    assert first.run.title == "BERT · classify · 1", "what the folder says stays"


def test_a_run_of_somebody_else_is_refused_when_it_is_picked(parent: str) -> None:
    with gr.Blocks(), Frame(["finetune"]).on("finetune") as frame:
        mine = RunPicker(frame, "finetune.run", fine_tuning.tunable, "bert", fine_tuning.untunable, strangers=False)
        lent = RunPicker(frame, "finetune.run", fine_tuning.tunable, "bert", fine_tuning.untunable)
    assert mine.read_again(parent, ANN)["run"] == parent
    refused = mine.read_again(parent, BOB)
    assert refused["run"] != parent and "belongs to somebody else" in str(refused[NOTE])
    assert parent not in [name for _, name in refused["choices"]["choices"]]
    assert lent.read_again(parent, BOB)["run"] == parent, "to be asked a run may be lent"


def test_whoever_comes_back_asks_a_run_that_has_learnt_on_anew(parent: str) -> None:
    with gr.Blocks(), Frame(["attention"]).on("attention") as frame:
        picker = RunPicker(frame, "attention.run", lambda run: True, "bert")
    first = picker.come_back("", parent, ANN, "")
    assert "again" not in first and "again" not in picker.come_back(first["newest"], parent, ANN, "")
    state = newest(home() / parent / "checkpoints")
    assert state is not None
    later = shutil.copytree(state, state.with_name("step-00009999"))
    assert picker.come_back(first["newest"], parent, ANN, "")["again"] == f"{parent}@{later.name}"
    assert "again" not in picker.come_back(f"another@{state.name}", parent, ANN, ""), "its own answer is on the way"
    assert "again" not in picker.come_back(first["newest"], parent, ANN, "9999"), "as it was then it stays"
