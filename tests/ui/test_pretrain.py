"""The page that pretrains: what it refuses, whose runs it shows, and that following a run never loses a point."""

import json
import math
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from bench import ANN, BOB, MARKUP, NO_RUN, Still, learn, records, still
from hypothesis import given
from hypothesis import strategies as some

from lab.analysis.cost import step_cost
from lab.catalog import CORPORA, MODELS, OBJECTIVES, TRAITS, fits
from lab.cli import learn as cli
from lab.cli.flags import Parser
from lab.runs import finding, snapshots
from lab.runs import folder as folders
from lab.runs.files import write
from lab.runs.folder import PAUSED, RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.serve import limits as serving
from lab.serve import uploads
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.training import sizes
from lab.training.run_request import command
from lab.training.train import train
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.pages.pretrain import compared, form, outlook, recipe
from lab.ui.pages.pretrain import handlers as pretrain
from lab.ui.runs import pinned_sentence, plan
from lab.ui.runs.follow import sentence
from lab.ui.runs.run_log import log_of
from lab.ui.shell import visitor
from lab.ui.shell.figures import nats, short, size_of
from lab.ui.shell.visitor import label, shipped
from lab.ui.words import WORDS, complaint, in_language, say

__all__ = ["still"]  # a fixture

TINY = {"width": 16, "depth": 1, "heads": 2, "context": 16}


def asked(**other: Any) -> dict[str, Any]:
    """What the page's controls say for a run of a few milliseconds."""
    usual = {
        "corpus": "town_en",
        "corpus_settings": {"stories": 40},
        "text": "",
        "model": "bert",
        "shape": TINY,
        "objective": "mlm",
        "objective_settings": {},
        "pair": "none",
        "pair_settings": {},
        "tokenizer": "byte_bpe",
        "vocabulary": 300,
        "seconds": 1.0,
        "pinned": "Rose went to the [MASK].",
        "training": {"batch": 4},
        "seed": 0,
    }
    return {**usual, **other}


def begun(visitor: str = ANN, **other: Any) -> RunFolder:
    return RunFolder.open(home() / pretrain.start(visitor, asked(**other))["run"])


def english(text: Any) -> str:
    return in_language(text, "en") if isinstance(text, dict) else str(text)


def vectors(owner: str = ANN, **other: Any) -> RunFolder:
    """A run that has learnt vectors."""
    values = {"model": "word2vec", "shape": {"width": 8}, "objective": "window", "training": {"batch": 4}, "pinned": ""}
    return learn(begun(owner, **{**values, "vocabulary": 320, "corpus_settings": {"stories": 100}, **other}))


# ---- what can be started


def test_a_started_run_waits_in_the_queue_with_all_that_was_chosen(still: Still) -> None:
    folder = begun(pair="nsp", seed=7, vocabulary=400)
    run = folder.run
    assert folder.status() == "waiting" and still.queue()[0].path == folder.path
    assert (run.model, run.objective, run.pair, run.seed, run.corpus) == ("bert", "mlm", "nsp", 7, "town_en")
    assert run.shape["width"] == 16 and run.tokenizer_settings["vocabulary"] == 400 and run.training["seconds"] == 1.0
    assert run.training["threads"] == limits().threads and run.pinned == "Rose went to the [MASK]."


@pytest.mark.parametrize("name", MODELS.names())
def test_every_objective_that_fits_can_be_started_and_every_other_is_refused_by_its_trait(
    still: Still, name: str
) -> None:
    model = MODELS[name]
    sizes = {size: value for size, value in TINY.items() if size in model.settings.knobs()}
    own = model.objective
    bounded = [each.name for each in OBJECTIVES if each.frame == "bounded" and fits(model, each)]
    for objective in OBJECTIVES:
        stage = {objective.stage.replace("token", "objective"): objective.name}
        if objective.stage == "pair" and bounded and own not in bounded:  # pairs stand in such a frame
            stage["objective"] = bounded[0]
        chosen = asked(**{"model": name, "shape": sizes, "pinned": "", "objective": own, **stage})
        if fits(model, objective):
            assert plan.pretraining(chosen, ANN).model == name
        else:
            with pytest.raises(SettingsError, match=sorted(objective.traits - model.traits)[0]):
                plan.pretraining(chosen, ANN)
            assert name in plan.refusals(objective)


def test_similar_words_come_from_the_vectors_of_a_run_and_only_where_they_are_wanted(still: Still) -> None:
    none = form.likening("macbert", ANN, "")["neighbours"]
    assert none["visible"] and [value for _, value in none["choices"]] == [""]
    near, bert = vectors(), learn(begun())
    offered = form.likening("macbert", ANN, near.name)["neighbours"]
    assert [value for _, value in offered["choices"]] == ["", near.name] and offered["value"] == near.name
    assert not form.likening("mlm", ANN, near.name)["neighbours"]["visible"]
    folder = begun(model="macbert", shape=TINY, objective="macbert", neighbours=near.name, vocabulary=300)
    told, known = folder.tokenizer(), near.tokenizer()
    assert told is not None and known is not None and any(told.neighbours or []) and known.neighbours is None
    assert told.encode("the baker").tolist() == known.encode("the baker").tolist()
    assert folder.run.tokenizer_settings["vocabulary"] == 320 and folder.run.neighbours == str(near.path)
    assert learn(folder).status() == "finished"
    assert begun(neighbours=near.name).run.neighbours is None  # masked language modelling knows no similar words
    for other in (bert.name, vectors(BOB).name, "../x", "nothing"):
        with pytest.raises(SettingsError):
            begun(model="macbert", shape=TINY, objective="macbert", neighbours=other)


def test_what_does_not_fit_is_greyed_with_the_missing_trait_in_words() -> None:
    for language, words in (("en", TRAITS["segments"]), ("zh", plan.TRAITS_ZH["segments"])):
        reason = plan.refusals(OBJECTIVES["nsp"])["gpt"]
        assert words == in_language(reason["trait1"], language)
        assert "{trait1}" in pretrain_words()[reason["word"]][language]
    assert plan.TRAITS_ZH.keys() == TRAITS.keys()
    assert "clm" in plan.refusals(OBJECTIVES["sop"]) and "bert" not in plan.refusals(OBJECTIVES["sop"])


def pretrain_words() -> dict[str, dict[str, str]]:
    folder = Path(__file__).resolve().parents[2] / "assets" / "words"
    found: dict[str, dict[str, str]] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return found


HOSTILE: list[dict[str, Any]] = [
    {"corpus": "file"},
    {"corpus": "own"},
    {"corpus": "own", "text": "../../etc/passwd"},
    {"corpus": "own", "text": "0" * 64},
    {"corpus": "/etc/passwd"},
    {"corpus_settings": {"stories": 10**9}},
    {"corpus_settings": {"path": "/etc/passwd"}},
    {"model": "__class__"},
    {"model": None},
    {"objective": "nsp"},
    {"objective": []},
    {"pair": "mlm"},
    {"objective": "clm", "pair": "nsp", "pinned": ""},
    {"tokenizer": "pickle"},
    {"vocabulary": None},
    {"vocabulary": 10**9},
    {"vocabulary": 2000.5},
    {"seconds": float("nan")},
    {"seconds": float("inf")},
    {"seconds": -1},
    {"seconds": None},
    {"seconds": "60"},
    {"seconds": True},
    {"seed": -1},
    {"seed": "x"},
    {"shape": {**TINY, "width": float("nan")}},
    {"shape": {**TINY, "width": 50, "heads": 4}},
    {"shape": {**TINY, "width": None}},
    {"shape": {**TINY, "wings": 2}},
    {"training": {"batch": 4, "learning_rate": float("nan")}},
    {"training": {"batch": 4, "device": "abacus"}},
    {"training": {"batch": 4, "steps": 5}},
    {"objective_settings": {"share": 2}},
    {"pinned": "no gap here"},
    {"pinned": "[MASK]" + "x" * 1000},
]


@pytest.mark.parametrize("wrong", HOSTILE, ids=str)
def test_a_wrong_choice_is_refused_in_one_sentence_and_leaves_no_run(still: Still, wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        pretrain.start(ANN, asked(**wrong))
    assert caught.value.zh and "\n" not in caught.value.en
    assert not list(home().glob("*/run.json"))
    if "corpus" not in wrong:
        objection = outlook.cost(asked(**wrong))["objection"]
        assert objection[0][1] == complaint(caught.value)


@pytest.mark.parametrize("profile", ["classroom", "space"])
@pytest.mark.parametrize(
    ("size", "named"),
    [
        ({"shape": {**TINY, "depth": 100}}, "depth"),
        ({"shape": {**TINY, "width": 1024}}, "width"),
        ({"shape": {**TINY, "feed": 60_000}}, "feed-forward"),
        ({"shape": {**TINY, "context": 4096}}, "context"),
        ({"vocabulary": 65_000}, "vocabulary"),
        ({"training": {"batch": 4000}}, "tokens per step"),
        ({"seconds": 80_000}, "seconds"),
        ({"shape": {**TINY, "width": 512, "depth": 12}, "vocabulary": 16_000}, "parameters"),
        ({"corpus_settings": {"stories": 900_000}}, "stories"),
    ],
)
def test_what_is_too_large_for_a_shared_server_is_refused_by_name(
    still: Still, monkeypatch: pytest.MonkeyPatch, profile: str, size: dict[str, Any], named: str
) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", profile)
    with pytest.raises(SettingsError, match=named):
        pretrain.start(ANN, asked(**size))


def test_a_run_that_would_not_fit_into_memory_is_refused_in_gigabytes(
    still: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "memory_here", lambda: 2**30)
    large = {"shape": {**TINY, "context": 512}, "training": {"batch": 512}, "vocabulary": 16_000}
    with pytest.raises(SettingsError, match=r"about \d+\.\d GB of memory"):
        pretrain.start(ANN, asked(**large))


def test_a_visitor_cannot_take_more_processors_than_the_server_gives(still: Still) -> None:
    assert begun(training={"batch": 4, "threads": 64}).run.training["threads"] == limits().threads


def test_a_browser_without_a_name_starts_nothing(still: Still) -> None:
    with pytest.raises(SettingsError, match="reload"):
        pretrain.start("", asked())


def test_one_visitor_may_only_wait_for_so_many_runs(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    for _ in range(limits().own_waiting):
        begun()
    with pytest.raises(SettingsError, match="under way"):
        begun()
    begun(BOB)


def test_two_tabs_that_start_at_once_both_wait_with_a_place_of_their_own(still: Still) -> None:
    first, second = begun(), begun()
    assert first.name != second.name
    assert [still.place(first), still.place(second)] == [0, 1]
    assert pretrain.view(ANN, second.name)["state"][0][1]["n"] == 1


# ---- one's own text


def test_the_runs_of_the_lab_say_what_their_mixed_file_held() -> None:
    found = [folder for folder in pretrain.pretrained("") if folder.is_shipped]  # other tests may have left theirs
    said = {folder.name: pretrain._text_of(folder) for folder in found}
    town = {"en": CORPORA["town"].title, "zh": CORPORA["town"].title_zh}
    mixed = dict.fromkeys(("bert-town", "albert-town", "gpt-town", "t5-town"), {"word": "run.corpus.mixed"})
    assert said == {**mixed, "small-bert-town": town, "elmo-town": town}


def test_every_loss_of_its_own_that_a_model_has_is_called_by_its_name() -> None:
    for own in {model.own_loss for model in MODELS} - {""}:
        assert f"pretrain.second.{own}" in WORDS and f"run.second.{own}" in WORDS


def test_a_share_of_chinese_says_what_it_is_a_share_of(still: Still) -> None:
    (_, facts), *_ = form.take_pasted("小红带着一个背包，来到车站。" * 200)["facts"]
    assert facts["word"] == "pretrain.own.facts" and facts["chinese"].startswith("100")
    assert "文字有 {chinese} 是汉字（不计标点" in WORDS[facts["word"]]["zh"]
    assert "Of its letters {chinese}" in WORDS[facts["word"]]["en"]


def test_a_pasted_text_becomes_the_corpus_wherever_it_is_resumed(still: Still) -> None:
    taken = form.take_pasted("The tide came in at nine.\r\nNobody saw it. " * 200)
    folder = begun(corpus="own", text=taken["text"], pinned="")
    path = Path(folder.run.corpus_settings["path"])
    assert path.parent == home() / "uploads" and path.stem == taken["text"]
    assert "\r" not in path.read_text(encoding="utf-8")
    size = size_of(path.stat().st_size)
    assert pretrain.listing(ANN, "")["runs"][0]["facts"][2] == {"word": "pretrain.corpus.own.size", "size": size}
    assert records(learn(folder), "train") and folder.status() == "finished"


def test_after_the_run_the_forecast_stands_beside_the_steps_that_were_made(still: Still) -> None:
    folder = begun()
    said = folder.document("forecast.json")
    assert said["steps_per_second"] > 0 and said["memory"] > 350 * 2**20
    assert "forecast" not in json.dumps(pretrain.view(ANN, folder.name)["tiles"])
    learn(folder)
    tile = pretrain.view(ANN, folder.name)["tiles"]["tiles"][-1]
    note = tile["note"]
    done, seconds = folder.document("result.json")["steps"], records(folder, "train")[-1]["seconds"]
    assert tile["value"] == f"{done:,}" and note["word"] == "run.forecast"
    assert float(note["n"].replace(",", "")) == pytest.approx(seconds * said["steps_per_second"], abs=1)
    assert re.fullmatch("[0-9.]+\u00a0[MG]B", note["held"]) and re.fullmatch("[0-9.]+\u00a0[MG]B", note["forecast"])


def test_an_uploaded_file_is_kept_under_what_it_says(still: Still, tmp_path: Path) -> None:
    for name in ("a.txt", "<img src=x onerror=alert(1)>.txt"):
        file = tmp_path / name
        file.write_bytes("渡船九点开出。\n".encode("gb18030") * 50)
        taken = form.take_file(str(file), "")
        kept = home() / "uploads" / f"{taken['text']}.txt"
        assert kept.read_text(encoding="utf-8").startswith("渡船九点开出。")
        said = taken["facts"][0][1]
        assert (said["lines"], said["repeated"], said["longest_line"]) == ("50", "49", "7")
        assert (said["encoding"], said["chinese"]) == ("GB18030", "100.0\u00a0%")
    assert len(list((home() / "uploads").glob("*.txt"))) == 1


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_of_a_table_the_texts_alone_are_learnt(still: Still, tmp_path: Path, ending: str) -> None:
    table = pandas.DataFrame({"id": range(4), "review": ["It is late.", "渡船九点开出。", "It is late.", "Good, no?"]})
    file = tmp_path / f"mine{ending}"
    if ending == ".parquet":
        table.to_parquet(file)
    else:
        file.write_text(table.to_csv(index=False) if ending == ".csv" else table.to_json(orient="records", lines=True))
    taken = form.take_file(str(file), "")
    column = taken["facts"][0][1]
    assert column == {"word": "pretrain.own.column", "column": "review", "rows": "3", "left_out": "0"}
    kept = (home() / "uploads" / f"{taken['text']}.txt").read_text(encoding="utf-8")
    assert sorted(kept.split("\n")) == ["Good, no?", "It is late.", "渡船九点开出。"]
    assert form.again(taken["text"]) == {name: taken[name] for name in ("facts", "column")}
    offered = taken["column"]
    assert (
        offered["value"] == "review"
        and offered["visible"]
        and dict(offered["choices"]) == {"id": "id", "review": "review"}
    )


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_another_column_of_a_table_is_learnt_if_it_is_chosen(still: Still, tmp_path: Path, ending: str) -> None:
    long, short = ["A long review of a film.", "另一篇很长的影评。", "A third one, with 😀."], ["Yes", "不", "Yes"]
    table = pandas.DataFrame({"review": long, "answer": short, "stars": range(3)})
    file = tmp_path / f"mine{ending}"
    if ending == ".parquet":
        table.to_parquet(file)
    else:
        file.write_text(table.to_csv(index=False) if ending == ".csv" else table.to_json(orient="records", lines=True))
    first = form.take_file(str(file), "")["text"]
    taken = form.take_column(first, "answer")
    assert (home() / "uploads" / f"{taken['text']}.txt").read_text(encoding="utf-8").split("\n") == ["Yes", "不"]
    assert taken["facts"][0][1] == {"word": "pretrain.own.column", "column": "answer", "rows": "2", "left_out": "0"}
    assert taken["column"]["value"] == "answer" and form.take_column(taken["text"], "answer") == {}
    assert form.take_column(taken["text"], "review")["text"] == first
    numbers = form.take_column(taken["text"], "stars" if ending != ".csv" else "none such")
    assert "text" not in numbers and numbers["column"]["value"] == "answer"
    assert numbers["facts"][0][0] == "note" and numbers["facts"][1:] == taken["facts"]
    assert str(home()) not in str(numbers["facts"][0])


def test_another_column_was_read_in_the_encoding_of_the_file(still: Still, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("标题,正文\n短,渡船九点开出。\n长,今天下雨了。\n".encode("gb18030") * 9)
    taken = form.take_file(str(tmp_path / "old.csv"), "")
    other = form.take_column(taken["text"], "标题" if taken["column"]["value"] == "正文" else "正文")
    assert [facts["facts"][1][1]["encoding"] for facts in (taken, other)] == ["GB18030", "GB18030"]


def test_a_table_that_is_too_large_unpacked_gives_its_texts_alone(still: Still, tmp_path: Path) -> None:
    rows = pandas.DataFrame({"text": ["It is late."], "blank": [" " * 600_000]})
    pandas.concat([rows] * 4).to_parquet(tmp_path / "packed.parquet")
    taken = uploads.read_and_keep_texts(str(tmp_path / "packed.parquet"), str(home() / "uploads"), 2)
    assert taken["start"] == "It is late." and "table" not in taken and "columns" not in taken
    assert not form.again(taken["mark"])["column"]["visible"]


def test_columns_without_names_are_called_by_their_numbers(still: Still, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("1,It is late.\n2,It is early.\n", encoding="utf-8")
    taken = form.take_file(str(tmp_path / "bare.csv"), "")
    assert [title for title, _ in taken["column"]["choices"]] == ["column 1", "column 2"]
    assert taken["facts"][0][1]["column"] == "column 2"
    assert not form.take_pasted("It is late.")["column"]["visible"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"  \n ", "empty"), (bytes(range(256)) * 40, "binary"), (b"caf\xe9 \xff\xfe" * 9, "encoding")],
)
def test_a_file_that_is_no_text_is_refused_by_its_own_name(
    still: Still, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=said) as caught:
        form.take_file(str(file), "")
    assert "'mine.txt'" in caught.value.en and str(tmp_path) not in caught.value.en + caught.value.zh


def test_a_file_above_the_limit_is_refused_unread(
    still: Still, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    file = tmp_path / "huge.txt"
    with file.open("wb") as opened:
        opened.truncate(limits().upload + 1)
    with pytest.raises(SettingsError, match="larger than 20 MB"):
        form.take_file(str(file), "")


def test_a_file_and_a_pasted_text_stand_in_for_each_other(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("from a file. " * 50, encoding="utf-8")
    from_file = form.take_file(str(file), "pasted before")["text"]
    pasted = form.instead("pasted later", str(file))
    assert pasted["file"] is None and pasted["text"] == form.take_pasted("pasted later")["text"] != from_file
    assert form.take_file(None, "pasted later")["text"] == pasted["text"]
    emptied = form.instead("  ", str(file))
    assert emptied["text"] == from_file and "file" not in emptied
    assert "label" in form.still_kept(from_file) and "label" not in form.still_kept("")


@pytest.mark.parametrize("name", ["rows.tsv", "rows.ndjson", "rows.json"])
def test_a_table_is_one_whatever_its_name_ends_in(name: str, tmp_path: Path) -> None:
    rows = [f"story number {n}" for n in range(9)]
    lines = [f"{row}\tgood" for row in rows] if name == "rows.tsv" else [json.dumps({"text": row}) for row in rows]
    (tmp_path / name).write_text("\n".join([*["text\tlabel"] * (name == "rows.tsv"), *lines]), encoding="utf-8")
    taken = form.take_file(str(tmp_path / name), "")
    assert taken["facts"][0][1]["rows"] == "9" and "good" not in str(taken["facts"][-1])
    (tmp_path / "list.json").write_text(json.dumps([{"text": row} for row in rows]), encoding="utf-8")
    with pytest.raises(SettingsError, match="JSON Lines"):
        form.take_file(str(tmp_path / "list.json"), "")


def test_what_its_settings_made_fail_at_once_is_not_offered_to_go_on(still: Still) -> None:
    taken = form.take_pasted("Hello.")
    folder = begun(corpus="own", text=taken["text"], pinned="")
    with pytest.raises(SettingsError, match="fewer than one context|to be checked on"):
        learn(folder)
    assert folder.status() == "failed" and not pretrain.view(ANN, folder.name)["resume"]["visible"]
    write(folder.path / "result.json", json.dumps({"ended": "failed", "en": "x", "zh": "x", "again": True}))
    assert pretrain.view(ANN, folder.name)["resume"]["visible"]


def test_taking_the_text_away_again_leaves_nothing_chosen() -> None:
    gone = form.take_file(None, "")
    assert gone == form.take_pasted(" \n") and (gone["text"], gone["facts"]) == ("", [])
    assert not gone["column"]["visible"]


# ---- whose runs


@pytest.mark.parametrize("profile", ["laptop", "classroom", "space"])
def test_two_visitors_never_see_each_others_runs(still: Still, monkeypatch: pytest.MonkeyPatch, profile: str) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", profile)
    mine = begun(ANN).name
    theirs = begun(BOB).name
    for who, own, other in ((ANN, mine, theirs), (BOB, theirs, mine)):
        opened = pretrain.open_page(who, other)
        assert opened["run"] == own and [run["id"] for run in opened["list"]["runs"]] == [own]
        for handler in (pretrain.view, pretrain.stop, pretrain.resume):
            with pytest.raises(SettingsError, match="somebody else"):
                handler(who, other)
        for change in (pretrain.retitle, pretrain.discard):
            with pytest.raises(SettingsError, match="somebody else"):
                change(who, other, own)
        over = compared.overlay(who, f"{own},{other}")
        assert "overlay" not in over and "not on this page" in over["note for the visitor"].en
        assert over["compare"] == own
    assert (home() / mine).exists() and (home() / theirs).exists()


def test_runs_from_the_terminal_are_seen_on_a_laptop_only(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    RunFolder.create(plan.pretraining(asked(), ""), home() / "terminal")
    for profile, seen in (("laptop", ["terminal"]), ("space", [])):
        monkeypatch.setenv("CLOZE_LAB_PROFILE", profile)
        for who in (ANN, ""):
            assert [run["id"] for run in pretrain.listing(who, "")["runs"]] == seen


@pytest.mark.parametrize("name", NO_RUN, ids=repr)
def test_an_id_that_is_no_run_is_refused_and_never_a_path(still: Still, tmp_path: Path, name: str) -> None:
    (tmp_path / "x").mkdir()
    for call in (pretrain.stop, pretrain.resume):
        with pytest.raises(SettingsError):
            call(ANN, name)
    with pytest.raises(SettingsError):
        pretrain.discard(ANN, name, "")
    assert pretrain.open_page(ANN, name)["run"] == ""
    assert (tmp_path / "x").is_dir()


# ---- following


def drawn(values: dict[str, Any], kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the browser's curve holds after a message, and that the message joins on to what it held."""
    message = values["curve"]
    if not any(message["from"]):
        return [dict(line) for line in message["series"]]
    assert message["from"] == [len(line["x"]) for line in kept]
    grown = zip(kept, message["series"], strict=True)
    return [{**old, "x": old["x"] + new["x"], "y": old["y"] + new["y"]} for old, new in grown]


def test_following_a_run_step_by_step_shows_every_point_once(still: Still) -> None:
    folder = begun()
    first = pretrain.view(ANN, folder.name)
    seen, kept = first["seen"], drawn(first, [])
    for _ in train(folder, queued=True):
        if values := pretrain.view(ANN, folder.name, seen):
            seen, kept = values["seen"], drawn(values, kept)
        assert pretrain.view(ANN, folder.name, seen) == {}, "nothing is new, so nothing may be said"
    last = pretrain.view(ANN, folder.name, seen)
    kept = drawn(last, kept)
    assert kept[0]["x"] == [record["step"] for record in records(folder, "train")]
    assert kept[1]["y"] == [record["loss"] for record in records(folder, "check")]
    assert last["timer"]["active"] is False and last["list"]["runs"][0]["number"]


def test_the_baselines_are_those_of_the_diary_and_the_pinned_moments_all_there(still: Still) -> None:
    folder = learn(begun())
    values = pretrain.view(ANN, folder.name)
    lines = {line["name"]["word"]: line["y"] for line in values["curve"]["baselines"]}
    assert lines == {f"run.{name}": y for name, y in records(folder, "begin")[0]["baselines"].items()}
    moments = values["follow"]["moments"]
    assert [moment["step"] for moment in moments] == [record["step"] for record in records(folder, "pinned")]
    assert len(moments) > 1 and all(len(moment["gaps"][0]) == 5 for moment in moments)


def test_a_run_with_two_objectives_is_held_against_the_baselines_by_its_tokens_alone(still: Still) -> None:
    folder = learn(begun(pair="sop"))
    values = pretrain.view(ANN, folder.name)
    written = records(folder, "train")
    assert values["curve"]["series"][0]["y"] == [record["tokens_loss"] for record in written]
    both = [record["tokens_loss"] + record["sequence_loss"] for record in written]
    assert [record["loss"] for record in written] == pytest.approx(both, abs=2e-6)
    assert any(tile["name"]["word"] == "run.pair" for tile in values["tiles"]["tiles"])


def rtd(model: str = "electra") -> RunFolder:
    return learn(begun(model=model, objective="rtd", shape={"width": 8, "depth": 1, "heads": 1, "generator": 4}))


def test_the_second_question_has_a_chart_of_its_own_and_a_blind_guess_to_beat(still: Still) -> None:
    for folder, asked_of, other in (
        (learn(begun(pair="sop")), "sequence_loss", "sequence_loss"),
        (rtd(), "detection_loss", "discriminator_loss"),
    ):
        values = pretrain.view(ANN, folder.name)
        train, check = records(folder, "train"), records(folder, "check")
        assert values["second group"]["visible"] and values["second"]["title"] == {"word": "pretrain.second"}
        assert values["second"]["series"][0]["y"] == [record[asked_of] for record in train]
        assert values["second"]["series"][1]["y"] == [record[other] for record in check]
        assert train[0][asked_of] == pytest.approx(check[0][other], rel=0.2), (
            "on one axis, whatever the weight in the sum"
        )
        assert 0 < values["second"]["baselines"][0]["y"] <= 0.6932


def test_what_static_vectors_learn_from_is_not_drawn_over_what_they_are_measured_by(still: Still) -> None:
    folder = vectors()
    values = pretrain.view(ANN, folder.name)
    assert (
        values["curve"]["series"][0]["y"] == [] and values["curve"]["series"][1]["y"] and values["curve"]["baselines"]
    )
    assert values["second"]["series"][0]["y"] == [record["loss"] for record in records(folder, "train")]
    assert values["second"]["title"] == {"word": "pretrain.second.negative_sampling"}, "it is no second objective's"
    later = pretrain.view(ANN, folder.name, {**values["seen"], "stamp": {**values["seen"]["stamp"], "loss": 0}})
    assert later["second"]["from"] == [len(records(folder, "train")), 0] and later["second"]["series"][0]["y"] == []
    plain = pretrain.view(ANN, learn(begun()).name)
    assert not plain["second group"]["visible"] and "second" not in plain


def test_a_record_without_a_token_s_bytes_shows_no_replacement_character(still: Still) -> None:
    folder = learn(begun(), until=3)
    MetricsLog(folder.path / "metrics.jsonl").write("pinned", 3, gaps=[[["\ufffd", 0.5], ["a", 0.25]]])
    moment = pretrain.view(ANN, folder.name)["follow"]["moments"][-1]
    assert moment["gaps"] == [[["‹…›", 0.5], ["a", 0.25]]]


def test_a_stopped_run_is_offered_to_be_resumed_and_tells_its_steps_once(still: Still) -> None:
    folder = learn(begun(seconds=30), until=6)
    values = pretrain.view(ANN, folder.name)
    assert values["resume"]["visible"] and not values["stop"]["visible"] and values["curve"]["series"][0]["x"][-1] == 6
    seen, [listed] = values["seen"], [row for row in pretrain.listing(ANN, "")["runs"] if row["id"] == folder.name]
    assert f"{values['tiles']['tiles'][0]['value']:.3f}" == listed["number"], "one loss, of the weights that are saved"
    pretrain.resume(ANN, folder.name)
    learn(folder, until=9)
    later = pretrain.view(ANN, folder.name, seen)
    assert later["curve"]["from"] == [0, 0], "a resumed run writes its diary anew"
    steps = later["curve"]["series"][0]["x"]
    assert steps == sorted(set(steps)) and steps[-1] == 9
    assert any(line[1].get("word") == "run.event.resumed" for line in later["events"])


def test_it_is_said_from_which_step_a_run_is_resumed(still: Still) -> None:
    """The log outlives a kill, and what was not saved is lost."""
    folder = learn(begun(seconds=30), until=6)
    log, stamp = log_of(folder), {"status": "interrupted", "paused": None}

    def said(language: str = "en") -> str:
        return in_language(sentence(folder, log, stamp), language)

    log.last["step"] = 9
    assert "after step 9" in said() and said().endswith("last checkpoint, at step 6.") and "（第 6 步）" in said("zh")
    stamp["status"] = "stopped"
    assert said() == "Stopped at step 6. Resume goes on from there."
    shutil.rmtree(folder.path / "checkpoints")
    assert said().startswith("Stopped at step 0.")
    stamp["status"] = "interrupted"
    assert said().endswith("Resume begins anew.") and "step 9" in said() and "从头开始" in said("zh")


def test_a_run_that_failed_says_why_in_both_languages(still: Still) -> None:
    taken = form.take_pasted("too short")
    folder = begun(corpus="own", text=taken["text"], pinned="")
    with pytest.raises(SettingsError):
        learn(folder)
    said = pretrain.view(ANN, folder.name)["state"][0][1]
    assert "add text" in said["en"] and "请" in said["zh"] and folder.status() == "failed"


def test_what_happened_to_a_run_is_told(still: Still) -> None:
    folder = learn(begun(), until=3)
    diary = MetricsLog(folder.path / "metrics.jsonl")
    diary.write("event", 3, code="damaged", names=["step-3"])
    diary.write("event", 3, code="unsaved", reason="No space left on device")
    diary.write("event", 3, code="changed")
    told = pretrain.view(ANN, folder.name)["events"]
    assert [line[1]["word"] for line in told] == [f"run.event.{what}" for what in ("damaged", "unsaved", "changed")]
    assert told[0][1]["names"] == "step-3" and "No space" in told[1][1]["reason"]


# ---- titles, lists, comparisons


@pytest.mark.parametrize("text", MARKUP, ids=lambda text: repr(text)[:30])
def test_any_title_is_kept_as_plain_text_in_one_line(still: Still, text: str) -> None:
    folder = begun()
    shown = pretrain.retitle(ANN, folder.name, f" {text}\n")["title"]
    assert shown == folder.run.title and 0 < len(shown) <= plan.TITLE and "\n" not in shown
    json.dumps(shown).encode()


def test_a_name_of_the_lab_is_said_in_the_language_of_the_page_and_kept_as_it_is(
    still: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begun()
    kept = folder.run.title
    monkeypatch.setattr("lab.ui.shell.visitor.language_now", lambda: "zh")
    shown = pretrain.listing(ANN, "")["runs"][0]["title"]
    assert OBJECTIVES[folder.run.objective].title_zh in shown and shown.rpartition(" ")[2] == kept.rpartition(" ")[2]
    assert pretrain.retitle(ANN, folder.name, shown)["title"] == shown and folder.run.title == kept
    assert pretrain.retitle(ANN, folder.name, "mine")["title"] == folder.run.title == "mine"


def test_an_empty_title_changes_nothing_and_the_list_keeps_its_order(still: Still) -> None:
    older, newer = begun(), begun()
    before = label(older.run, older)
    assert before.startswith("BERT · MLM · ")
    assert pretrain.retitle(ANN, older.name, " \u200b\x00 ")["title"] == before
    listed = pretrain.retitle(ANN, older.name, "the first")["list"]["runs"]
    assert [run["title"] for run in listed] == [label(newer.run, newer), "the first"]


@pytest.mark.parametrize(
    ("language", "title"), [("en", "GPT (town stories and books)"), ("zh", "GPT（小镇故事与书籍）")]
)
def test_what_comes_with_the_lab_is_called_in_the_language_of_the_page(
    language: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.ui.shell.visitor.language_now", lambda: language)
    folder = finding.find_run("gpt-town")
    assert label(folder.run, folder) == title
    assert all(label(each.run, each) for each in shipped())


@pytest.mark.parametrize(
    ("name", "mark"),
    [("gpt-clm-d2d92865b4", "2865b4"), ("changing", "changing"), ("the town #2 · b", "the town #2 · b")],
)
def test_a_run_without_a_title_goes_by_its_folder(still: Still, tmp_path: Path, name: str, mark: str) -> None:
    folder = RunFolder.create(replace(begun().run, title=""), tmp_path / name)
    assert label(folder.run, folder).endswith(f" · {mark}")


def test_a_note_is_kept_and_its_tags_stand_in_the_list(still: Still) -> None:
    folder = begun()
    listed = pretrain.note(ANN, folder.name, "<b>slow</b> #warmup #lr")["list"]["runs"]
    assert listed[0]["tags"] == ["warmup", "lr"]
    assert pretrain.shown_run(ANN, folder.name)["notes"]["value"] == "<b>slow</b> #warmup #lr"
    with pytest.raises(SettingsError):
        pretrain.note(BOB, folder.name, "mine")
    assert not pretrain.shown_run(ANN, "gpt-town")["notes"]["visible"]


def test_deleting_takes_the_run_away_and_shows_the_next(still: Still) -> None:
    kept, gone = begun(), begun()
    values = pretrain.discard(ANN, gone.name, gone.name)
    assert values["run"] == kept.name and not gone.path.exists() and kept.path.exists()
    assert [run["id"] for run in values["list"]["runs"]] == [kept.name]
    assert pretrain.discard(ANN, kept.name, kept.name)["run"] == ""


def test_a_run_under_way_is_not_deleted(still: Still) -> None:
    folder = begun()
    with folder.lock, pytest.raises(SettingsError, match="stop the run"):
        pretrain.discard(ANN, folder.name, "")
    assert folder.path.exists()


def test_a_run_that_trains_or_is_paused_says_so_in_the_list_and_cannot_be_deleted_there(still: Still) -> None:
    folder = begun()

    def said() -> tuple[str, bool, bool]:
        listed = pretrain.listing(ANN, "")["runs"][0]
        return listed["status"]["word"], listed["live"], listed["busy"]

    assert said() == ("run.status.waiting", True, False)
    with folder.lock:
        assert said() == ("run.status.running", True, True)
        seen = pretrain.view(ANN, folder.name)["seen"]
        (folder.path / PAUSED).write_text("3")
        assert said() == ("run.status.paused", False, True)
        assert "list" in pretrain.view(ANN, folder.name, seen)


def test_who_waits_behind_a_paused_run_is_told(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    paused, waits = begun(ANN), begun(BOB)
    (paused.path / "ticket").unlink()
    (paused.path / PAUSED).write_text("3")
    monkeypatch.setattr(still, "_processes", {paused.name: None})
    starting = {"word": "run.state.starting"}
    with paused.lock:
        assert pretrain.view(BOB, waits.name)["state"] == [["p", {"word": "run.state.held", "what": starting}]]
        (paused.path / PAUSED).unlink()
        assert pretrain.view(BOB, waits.name)["state"] == [["p", starting]]


def test_runs_that_are_gone_take_no_place_in_a_comparison(still: Still) -> None:
    folders = [begun(), begun()]
    there = ",".join(folder.name for folder in folders)
    drawn = compared.overlay(ANN, ",".join([*(f"gone-{n}" for n in range(8)), there]))
    assert drawn["compared"]["visible"] and drawn["compare"] == there
    assert drawn["note for the visitor"].en.startswith("8 of the runs")
    assert "compare" not in over(folders) and "note for the visitor" not in over(folders)


def test_whoever_ticks_more_runs_than_are_drawn_is_told(still: Still) -> None:
    folders = [learn(begun(seed=seed), until=1) for seed in range(compared.OVERLAID + 1)]
    drawn = over(folders)
    assert len(drawn["overlay"]["series"]) == compared.OVERLAID and "compare" not in drawn
    assert drawn["note for the visitor"].en == "only the first 6 runs ticked are drawn"
    assert "note for the visitor" not in over(folders[1:])


def test_a_run_can_be_asked_anew_once_it_has_a_checkpoint_and_once_it_has_ended(still: Still) -> None:
    folder = begun()
    moments = [pretrain.view(ANN, folder.name)["moment"]]
    for _ in train(folder, queued=True):
        moments.append(pretrain.view(ANN, folder.name)["moment"])
    moments.append(pretrain.view(ANN, folder.name)["moment"])
    assert moments[0] == "False:True" and moments[-1] == "True:False"


def test_who_was_stopped_before_the_first_step_is_not_said_to_go_on(still: Still) -> None:
    folder = begun()
    folder.ask_to_stop()
    [[_, said]] = pretrain.view(ANN, folder.name)["state"]
    assert english(said) == "Stopped before its first step. Resume begins it."


def test_a_new_run_has_a_number_of_its_own_also_after_others_were_deleted(still: Still) -> None:
    numbers = lambda: [folder.run.title.split(" · ")[-1] for folder in visitor.own(ANN)]  # noqa: E731
    before = [pretrain.start(ANN, asked())["run"] for _ in range(3)]
    pretrain.discard(ANN, before[0], before[2])
    pretrain.start(ANN, asked())
    assert len({*numbers()}) == 3 and max(map(int, numbers())) == 4


def over(folders: list[RunFolder]) -> dict[str, Any]:
    return compared.overlay(ANN, ",".join(folder.name for folder in folders))


def unlike(folders: list[RunFolder]) -> list[str]:
    return [note["word"] for _, note in over(folders)["unlike"]]


def test_the_loss_at_the_end_says_that_it_is_of_more_rows_than_a_point_of_the_curve(still: Still) -> None:
    folder = learn(begun(corpus_settings={"stories": 400}))
    note = english(pretrain.view(ANN, folder.name)["tiles"]["tiles"][0]["note"])
    ended, point = folder.document("result.json")["validation"]["loss"], records(folder, "check")[-1]["loss"]
    assert ended != point and "whole validation set; each point of the curve on 64 rows" in note


def test_ticked_runs_are_laid_over_each_other_under_their_titles(still: Still) -> None:
    folders = [learn(begun(seed=seed), until=4) for seed in (1, 2)]
    values = over(folders)
    assert [line["name"] for line in values["overlay"]["series"]] == [label(folder.run, folder) for folder in folders]
    assert values["compared"]["visible"] and not over(folders[:1])["compared"]["visible"]
    assert over([]).keys() == {"compared"}
    assert pretrain.open_page(ANN, "", "a,b")["list"]["ticked"] == ["a", "b"]


def test_every_axis_and_unit_of_an_overlay_is_worked_out_from_the_metrics_log(still: Still) -> None:
    line = over([folder := learn(begun(seconds=3.0)), learn(begun(), until=2)])["overlay"]["series"][0]
    begin, *_ = records(folder, "begin")
    trained = {0: (0, 0.0)} | {each["step"]: (each["tokens"], each["seconds"]) for each in records(folder, "train")}
    known = [at for at, step in enumerate(line["x"]) if step in trained]
    assert len(known) > 3
    for at in known:
        tokens, seconds = trained[line["x"][at]]
        assert line["by"]["tokens"][at] == pytest.approx(tokens) and line["by"]["seconds"][at] == pytest.approx(seconds)
        assert line["by"]["epochs"][at] == pytest.approx(line["x"][at] * 4 / begin["rows"], abs=1e-4)
    cost = step_cost(folder.run, begin["vocabulary"])
    per_step = (cost.forward + cost.backward) / 1e12
    assert line["by"]["compute"] == pytest.approx([step * per_step for step in line["x"]], rel=1e-6)
    assert line["times"]["nats"] == 1 and 1 < begin["bytes_per_token"] < 8
    assert line["times"]["bits"] == pytest.approx(1 / math.log(2) / begin["bytes_per_token"], rel=1e-4)


def test_between_runs_only_what_differs_is_told_by_its_name(still: Still) -> None:
    folders = [begun(seed=1), begun(seed=2, model="gpt", objective="clm", pinned="", training={"batch": 8})]
    rows = {english(name): values for name, *values in over(folders)["changes"]["rows"]}
    assert rows["Seed"] == [1, 2] and [english(each) for each in rows["Model"]] == ["BERT", "GPT"]
    assert rows["Batch size: rows per step"] == [4, 8]
    assert [english(note) for _, note in over(folders)["unlike"]] == [english(say("run.unlike.asked"))]
    assert over([folders[0], folders[0]])["unlike"] == []
    assert "Masking rate: share of targets" not in rows, "the other's objective has no such setting"
    assert "Hidden size" not in rows and not any("thread" in name for name in rows)
    assert over([folders[0], folders[0]])["changes"]["rows"] == []
    apart = begun(seed=2, model="gpt", objective="clm", pinned="", training={"batch": 8, "overlap": False})
    only = [[english(name), *map(english, values)] for name, *values in over([folders[1], apart])["changes"]["rows"]]
    assert only == [["Overlapping rows", "yes", "no"]]
    assert "Overlapping rows" not in [english(row[0]) for row in over([folders[0], apart])["changes"]["rows"]]


def test_runs_of_other_vocabularies_are_not_held_against_each_other_in_nats(still: Still) -> None:
    folders = [learn(begun(vocabulary=size), until=2) for size in (300, 320)]
    assert unlike(folders) == ["run.unlike.tokens"]


def test_runs_of_other_texts_are_not_held_against_each_other_at_all(still: Still) -> None:
    english_one, chinese, fewer = begun(), begun(corpus="town_zh"), begun(corpus_settings={"stories": 60})
    assert unlike([english_one, chinese]) == unlike([english_one, fewer]) == ["run.unlike.texts"]
    other_tokens = begun(corpus="town_zh", vocabulary=320, model="gpt", objective="clm", pinned="")
    assert unlike([english_one, other_tokens]) == ["run.unlike.texts", "run.unlike.asked"]


def test_marks_that_an_objective_adds_to_a_vocabulary_cut_no_text(still: Still) -> None:
    sentinels = begun(model="t5", objective="span_corruption", shape={"width": 8, "depth": 1, "heads": 2})
    assert unlike([begun(), sentinels]) == ["run.unlike.asked"]


def test_a_pinned_sentence_without_a_gap_says_why_nothing_is_predicted() -> None:
    said = pretrain.followed(RunFolder.open(folders.SHIPPED / "elmo-town"), [], [])
    assert english(said["empty"]) == "This sentence has no [MASK] for the model to fill."


def test_a_run_that_ended_before_its_first_step_promises_nothing(still: Still) -> None:
    folder = begun()
    before = pretrain.view(ANN, folder.name)
    assert "The first predictions come" in english(before["follow"]["empty"])
    folder.ask_to_stop()
    after = pretrain.view(ANN, folder.name)
    assert {english(after[part]["empty"]) for part in ("curve", "follow")} == {"The run ended before its first step."}


def test_what_an_optimizer_does_not_have_has_no_place() -> None:
    def shown(optimizer: str) -> set[str]:
        return {name for name, field in form.heeds(optimizer).items() if field["visible"]}

    assert shown("muon") == shown("adamw") == shown("no-such-optimizer") == {*form.OPTIMIZERS_OWN}
    assert shown("adafactor") == set() and shown("adagrad") == {"epsilon"} and shown("sgd") == {"weight_decay"}


def test_a_masking_rate_at_first_is_asked_for_where_tokens_are_masked() -> None:
    shown = {name: form.masks(name)["initial_masking"]["visible"] for name in OBJECTIVES.names()}
    assert shown["mlm"] and shown["whole_word"] and not shown["clm"] and not shown["bilm"]
    assert not form.masks("no-such-objective")["initial_masking"]["visible"]


@pytest.mark.parametrize(
    ("size", "said"), [(21, "21 B"), (999, "999 B"), (8_240, "8.24 kB"), (999_900, "1 MB"), (3e12, "3 TB")]
)
def test_a_file_has_a_size_in_a_fitting_unit(size: int, said: str) -> None:
    assert size_of(size).replace("\N{NO-BREAK SPACE}", " ") == said


def test_an_overlay_is_drawn_anew_only_while_one_of_its_runs_learns(still: Still) -> None:
    first, second = begun(), begun()
    names = f"{first.name},{second.name}"
    assert compared.overlay_on(ANN, names) == compared.overlay_on(ANN, "") == {}
    with first.lock:
        assert len(compared.overlay_on(ANN, f"{names},gone")["overlay"]["series"]) == 2


def test_a_run_that_comes_with_the_lab_can_be_looked_at_and_not_changed(
    still: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = home() / "shelf"
    folder = RunFolder.create(plan.pretraining(asked(), ""), shelf / "bert-town")
    for module in (folders, finding, visitor):
        monkeypatch.setattr(module, "SHIPPED", shelf)
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    opened = pretrain.open_page(ANN, "")
    assert opened["run"] == "bert-town" and not opened["stop"]["visible"] and not opened["list"]["runs"][0]["own"]
    for call in (lambda: pretrain.retitle(ANN, "bert-town", "x"), lambda: pretrain.discard(ANN, "bert-town", "")):
        with pytest.raises(SettingsError):
            call()
    assert folder.path.exists()


# ---- the form, the forecast and the command


def test_a_larger_size_costs_more_and_the_forecast_counts_what_is_trained(still: Still) -> None:
    costs = []
    for size in sizes.SIZES:
        tiles = outlook.cost(asked(shape=sizes.shape("bert", size)))["forecast"]["tiles"]
        costs.append(tiles[2]["value"])
    assert len(set(costs)) == 3
    folder = learn(begun(shape=TINY), until=1)
    known = records(folder, "begin")[0]["parameters"]
    tiles = outlook.cost(asked(pair="nsp", shape=TINY))["forecast"]["tiles"]
    assert abs(float(tiles[2]["value"].removesuffix("K")) * 1000 - known) < 0.05 * known


def test_the_pinned_sentence_follows_the_corpus_until_the_visitor_writes_one() -> None:
    start = pinned_sentence.suggested("mlm", "en")
    assert "[MASK]" in start and "[MASK]" not in pinned_sentence.suggested("clm", "en", start)
    assert pinned_sentence.suggested("clm", "zh", start) == pinned_sentence.USUAL["zh", True]
    assert pinned_sentence.suggested("clm", "zh", "mine") == "mine"
    assert form.arrange(asked(corpus="town_zh", pinned=start))["pinned"] == pinned_sentence.USUAL["zh", False]


def test_a_sentence_of_a_text_goes_with_it_and_one_that_was_typed_stays(still: Still) -> None:
    english_text = "The old captain walked slowly along the quay in the cold wind. " * 60
    chinese_text = "渡船每天早上九点从码头开往对岸的小镇，船上总是坐满了人。" * 60
    before = form.take_pasted(english_text)["text"]
    sentence = form.arrange(asked(corpus="own", text=before, model="gpt", objective="clm", pinned=""))["pinned"]
    assert "captain" in sentence
    instead = form.with_its_sentence(form.instead)
    after = instead(chinese_text, None, before, sentence)
    assert after["pinned"] == ""
    offered = form.arrange(asked(corpus="own", text=after["text"], objective="mlm", pinned=after["pinned"]))["pinned"]
    assert "[MASK]" in offered and "码头" in offered + "".join(pinned_sentence.truths(offered, "mlm", after["text"]))
    assert "pinned" not in instead(chinese_text, None, before, "I typed this")
    assert "pinned" not in instead(english_text, None, before, sentence)  # the same text again
    assert instead(chinese_text, None, "f" * 64, sentence)["text"] == after["text"]  # the one before is gone


def test_only_the_knobs_of_what_is_chosen_are_shown() -> None:
    shown = form.arrange(asked(model="gpt", objective="mlm", objective_settings={"share": 0.2}, corpus="own"))
    visible = {name for name, group in shown.items() if name.startswith("group") and group["visible"]}
    assert visible == {"group own"}
    assert shown["objective_settings"] == {"of": "mlm", "values": {"share": 0.2}}
    assert shown["pair_settings"] == {"of": "none", "values": {}}


def test_the_dial_of_seconds_follows_the_model_until_the_visitor_turns_it() -> None:
    assert form.usual("bert", 60)["seconds"] > 60 and "seconds" not in form.usual("bert", 45)
    assert form.usual("gpt", 300)["objective"] == "clm"
    for model in MODELS:  # from any of them to any other, as long as nobody turns it
        assert form.usual("gpt", form.time_of(model))["seconds"] == 60
        known = model.learning.seconds if model.learning else 0
        assert known <= form.usual(model.name, 60)["seconds"] <= 180


def test_a_small_loss_is_not_said_to_be_none() -> None:
    assert [nats(loss) for loss in (0.0, 0.000117, 0.0005, 2.3456)] == [
        "0.000",
        "<\N{NO-BREAK SPACE}0.001",
        "0.001",
        "2.346",
    ]


def test_an_address_that_names_a_model_alone_means_what_that_model_learns() -> None:
    brought = {"objective": "span_corruption", "tokenizer": "byte_bpe", "seconds": 120}
    assert form.arriving("t5", '{"model": "t5"}') == brought
    assert form.arriving("bert", '{"model": "bert", "seconds": 30}')["objective"] == "mlm"
    assert "seconds" not in form.arriving("bert", '{"model": "bert", "seconds": 30}')
    assert form.arriving("bert", '{"model": "bert", "objective": "clm"}') == form.arriving("gpt", "") == {}
    assert form.arriving("<b>", '{"model": "<b>"}') == {}


def test_knobs_of_an_address_stand_where_they_are_the_chosen_models() -> None:
    named = '{"shape": ""}'
    usual = form.resize("gpt", "tiny")
    assert form.resized("gpt", "tiny", knobs_value("gpt", {"width": 96}), named) == {}
    assert form.resized("gpt", "tiny", knobs_value("gpt", {"width": 96}), "{}") == usual
    assert form.resized("gpt", "tiny", knobs_value("bert", {"width": 96}), named) == usual
    assert form.resized("gpt", "tiny", Knobs().preprocess("{junk"), named) == usual


def test_an_address_that_names_the_papers_recipe_alone_means_all_of_its_settings() -> None:
    assert recipe.arrive("bert", "published", '{"recipe": "published"}')["learning_rate"] == 1e-4
    for query, asked_for in (('{"training.beta2": 0.9}', "published"), ('{"model": "bert"}', "lab")):
        assert recipe.arrive("bert", asked_for, query).keys() == {"recipe note"}


def test_a_preset_sets_only_knobs_that_the_model_has() -> None:
    for model in MODELS:
        for size in (*sizes.SIZES, "<b>"):
            shown = form.resize(model.name, size)["shape"]
            assert shown["of"] == model.name and model.settings.load(shown["values"])
    assert form.resize("../x", "tiny") == form.usual("../x", 60) == {}


COMMANDED: list[dict[str, Any]] = [
    {"pair": "nsp", "pinned": "it's [MASK] $HOME `x`", "seed": 3},
    {
        "model": "albert",
        "shape": {**TINY, "embedding_width": 8},
        "objective_settings": {"share": 0.3, "dynamic": False},
    },
    {
        "model": "gpt",
        "objective": "clm",
        "corpus": "town",
        "training": {"batch": 4, "learning_rate": 1e-5},
        "pinned": "Once",
    },
    {"model": "roberta", "training": {"batch": 4, "packing": "doc_sentences"}},
]


@pytest.mark.parametrize("other", COMMANDED, ids=str)
def test_the_command_trains_the_same_run(still: Still, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]) -> None:
    same_command(plan.pretraining(asked(**other), ANN), monkeypatch)


def test_the_command_names_the_run_with_the_vectors(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"model": "macbert", "shape": TINY, "objective": "macbert", "neighbours": vectors().name}
    same_command(plan.pretraining(asked(**wanted), ANN), monkeypatch)


def same_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's command starts a run with the same settings."""
    words = shlex.split(command(run))
    assert words[:4] == ["python", "-m", "lab", "pretrain"]
    monkeypatch.setattr("lab.cli.foreground.learn", lambda folder, group: folder.run.dump())
    parser = Parser(prog="pretrain")
    cli.pretrain_flags(parser, words[4:])
    told: Any = cli.pretrain(parser.parse_args(words[4:]))
    stamped = {"created", "versions", "owner"}
    assert {k: v for k, v in told.items() if k not in stamped} == {
        k: v for k, v in run.dump().items() if k not in stamped
    }


@given(some.floats(0, 1e14))
def test_counts_are_said_in_three_digits(n: float) -> None:
    said = short(n)
    assert len(said) <= 9 and "e" not in said and " " not in said, "a number and its unit stay on one line"


# ---- a text of one's own, and a sentence of it


def brought(sentence: str, language: str = "en") -> str:
    """The mark of a text whose last tenth holds the sentence."""
    filler = "The ferry leaves at nine. " if language == "en" else "渡船九点开出。"
    text = filler * 200 + sentence + " " + filler
    return str(form.take_pasted(text)["text"])


def test_the_pinned_sentence_is_one_of_the_visitors_own_that_is_not_learnt_from(still: Still) -> None:
    mark = brought("Old Marten counted the lanterns along the harbour twice.")
    own = asked(corpus="own", text=mark, pinned="")
    arranged = form.arrange(own)["pinned"]
    assert arranged == "Old Marten [MASK] the [MASK] along the harbour twice."
    run = plan.pretraining({**own, "pinned": arranged}, ANN)
    assert run.pinned == arranged and run.truths == ["counted", "lanterns"]
    assert plan.pretraining({**own, "pinned": "The [MASK] is mine."}, ANN).truths == []
    onward = form.arrange({**own, "model": "gpt", "objective": "clm", "pinned": arranged})["pinned"]
    assert onward == "Old Marten counted the"  # what was offered before gives way, what was typed does not
    assert form.arrange({**own, "pinned": "The [MASK] is mine."})["pinned"] == "The [MASK] is mine."


def test_a_chinese_text_offers_a_chinese_sentence(still: Still) -> None:
    mark = brought("老马丁沿着港口把灯笼数了两遍，然后才慢慢走回家去。", "zh")
    arranged = form.arrange(asked(corpus="own", text=mark, pinned=""))["pinned"]
    assert arranged.count("[MASK]") == 2 and arranged.endswith("回家去。")
    assert form.arrange(asked(corpus="own", text=brought("短。", "zh"), pinned=""))["pinned"].startswith("春天")


def test_a_text_is_found_again_after_a_reload(still: Still) -> None:
    taken = form.take_pasted("The ferry leaves at nine.\nIt is late.")
    assert form.again(taken["text"])["facts"] == taken["facts"]
    assert form.again("")["facts"] == []
    with pytest.raises(SettingsError, match="no longer kept"):
        form.again("0" * 64)


# ---- whether a run will be seen learning


def said_late(**other: Any) -> str:
    """What is said before the start of a run of the usual tiny size."""
    model = MODELS[other["model"]]
    chosen = {"shape": sizes.shape(model.name, "tiny") | other.pop("shape", {}), "objective": model.objective}
    words = outlook.cost(asked(**{**chosen, "pinned": "", **other}))["objection"]
    return english(words[0][1]) if words else ""


def test_a_run_too_short_for_its_model_to_be_seen_learning_says_so_and_what_would_do() -> None:
    short_one = said_late(model="spanbert", seconds=60.0)
    assert "SpanBERT" in short_one and "bigram" in short_one and "180" in short_one
    assert not said_late(model="spanbert", seconds=180.0) and not said_late(model="bert", seconds=10.0)
    assert "270" in said_late(model="spanbert", seconds=180.0, corpus="town_zh"), "Chinese takes longer"
    narrow = said_late(model="electra", seconds=600.0, shape={"generator": 32})
    assert "64" in narrow and "generator" in narrow
    assert not said_late(model="electra", seconds=100.0) and said_late(model="electra", seconds=60.0)
    assert not said_late(model="electra", seconds=30.0, objective="mlm"), "known of its own objective alone"


def test_a_model_that_counts_says_that_it_ends_with_its_text() -> None:
    for model in MODELS:
        assert ("counts" in model.traits) == ("counting" in said_late(model=model.name, seconds=900.0))


def test_a_model_that_minimises_no_loss_of_guessing_tokens_is_judged_by_its_neighbours() -> None:
    for model in MODELS:
        assert bool(model.own_loss) == bool(model.learning and model.learning.shows == "neighbours")
        assert bool(model.own_loss) == ("neighbours" in said_late(model=model.name, seconds=900.0))
        if model.learning:
            assert model.learning.least.keys() <= model.settings.knobs().keys() and all(model.learning.why)


# ---- how far each step goes


def test_gradient_norm_and_learning_rate_are_followed_from_the_metrics_log(still: Still) -> None:
    folder = learn(begun(training={"batch": 4, "clip": 0.5}), until=5)
    values, written = pretrain.view(ANN, folder.name), records(folder, "train")
    for name in ("gradient_norm", "learning_rate"):
        curve = values[f"{name} curve"]
        assert curve["series"][0]["y"] == [record[name] for record in written] and curve["from"] == [0]
        assert all(record[name] > 0 for record in written)
    assert values["gradient_norm curve"]["baselines"][0]["y"] == 0.5
    later = pretrain.view(ANN, folder.name, {**values["seen"], "stamp": {**values["seen"]["stamp"], "loss": 0}})
    curve = later["learning_rate curve"]
    assert curve["from"] == [len(written)] and curve["series"][0]["y"] == []


def test_the_steps_of_the_snapshots_are_all_told_when_the_run_has_ended(
    still: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "SHARE", math.inf)
    folder = learn(begun(), until=5)
    seen = pretrain.view(ANN, folder.name)["seen"]
    earlier = {**seen, "stamp": {**seen["stamp"], "status": "running"}}
    told = pretrain.view(ANN, folder.name, earlier)["follow"]
    assert told["snapshots"] == snapshots.steps(folder.path) == [0, 1, 2, 4, 5] and told["moments"]
