"""Several arms of a comparison: which starts, which ways, for every task; what each says, and what it gets wrong."""

import json
from typing import Any

import pytest
from bench import ANN, BOB, Still, learn, parent, records, still, taught
from tiny import finished, plan, shape

from lab.catalog import MODELS, TASKS
from lab.examples import Example, Prediction
from lab.runs.folder import RunFolder, home
from lab.runs.run import Run
from lab.serve.ownership import owner_of
from lab.settings import SettingsError
from lab.ui.pages.finetune import arms, asking, comparison, cost, handlers, mismatch, mistakes, starts, weighing
from lab.ui.pages.finetune.cut import READS
from lab.ui.pages.finetune.verdicts import verdict
from lab.ui.runs.fine_tuning import finetuning, tunable, untunable
from lab.ui.runs.labelled_texts import corpora, labelled
from lab.ui.words import in_language, say

__all__ = ["parent", "still", "taught"]  # fixtures


def asked(**other: Any) -> dict[str, Any]:
    """What the page's controls say for runs of a few milliseconds."""
    usual: dict[str, Any] = {"parent": "parent", "task": "classify", "data": "town_en", "beside": "random"}
    usual |= {"how": "full", "labels": "all", "epochs": 1, "corpus_settings": {"stories": 40}, "seed": 0, "text": ""}
    return {**usual, "training": {"batch": 8, "learning_rate": 1e-3}, "tuning": {}, **other}


def begun(**other: Any) -> list[RunFolder]:
    names = handlers.start(ANN, asked(**other))["arms"].split("*")
    return [RunFolder.open(home() / name) for name in names]


def together(folders: list[RunFolder]) -> str:
    return "*".join(folder.name for folder in folders)


# ---- which arms


def test_each_start_is_trained_in_each_way_and_all_else_is_alike(parent: str) -> None:
    finished(home() / "other", owner=owner_of(ANN), seed=5)
    runs = [folder.run.dump() for folder in begun(beside="random*other", how="frozen")]
    assert [(run["parent"], run["fresh"]) for run in runs] == [(parent, False), (parent, True), ("other", False)]
    four = [folder.run for folder in begun(how="full*lora", labels="10")]
    assert [(run.fresh, run.tuning.how) for run in four] == [
        (False, "full"),
        (False, "lora"),
        (True, "full"),
        (True, "lora"),
    ]
    apart = {name for name in four[0].dump() if len({str(run.dump()[name]) for run in four}) > 1}
    assert apart == {"fresh", "tuning_settings", "created"} and {run.tuning.labels for run in four} == {10}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"how": "full*lora*frozen"}, "6 runs; at most 4"),
        ({"how": "by magic"}, "by magic"),
        ({"beside": "../parent"}, "no such run"),
        ({"labels": "1"}, "label budget"),
        ({"labels": "many"}, "label budget"),
        ({"task": "poetry"}, "poetry"),
        ({"data": "town_questions"}, "labelled texts for sentence classification"),
        ({"task": "seq2seq", "data": "town_summary"}, "BERT cannot be fine-tuned for sequence to sequence"),
    ],
    ids=str,
)
def test_arms_that_cannot_be_are_refused_in_one_sentence(parent: str, other: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        handlers.start(ANN, asked(**other))
    objection = in_language(cost.cost(ANN, asked(**other))["objection"][0][1], "en")
    assert caught.value.zh and objection.lower() == caught.value.titled.lower() + "."


def test_a_comparison_is_all_that_was_started_together_and_no_more(parent: str) -> None:
    first, second = begun(how="full*bitfit"), begun(how="full*bitfit")
    for group in (first, second):
        for folder in group:
            assert together(arms.arms(ANN, folder.name)) == together(group)
    listed = handlers.listing(ANN, "")["runs"]
    assert [row["id"] for row in listed] == [second[0].name, first[0].name]
    handlers.discard(ANN, first[0].name, "")
    assert not any(folder.path.exists() for folder in first) and all(folder.path.exists() for folder in second)


def test_runs_from_before_there_was_a_mark_still_stand_beside_each_other(parent: str) -> None:
    made = []
    for number, fresh in enumerate((False, True, False, True)):
        run: Run = finetuning(asked(), ANN).runs[fresh]
        made.append(RunFolder.create(run, home() / f"old-{number}"))
    assert not made[0].run.comparison
    assert [[f.name for f in found] for found in arms.comparisons(ANN)] == [["old-2", "old-3"], ["old-0", "old-1"]]


def test_arms_are_called_by_what_they_differ_in(parent: str) -> None:
    def names(**other: Any) -> list[str]:
        return [in_language(name, "en") for name in arms.called(ANN, begun(**other))]

    assert names() == ["From the pretrained run", "From random weights"]
    assert names(beside="none", how="full*lora", tuning={"rank": 4}) == ["Full fine-tuning", "LoRA, rank 4"]
    assert names(how="full*frozen")[3] == "From random weights · Frozen (head only)"


def test_an_arm_keeps_the_settings_of_its_own_way_alone(parent: str) -> None:
    made = begun(beside="none", how="full*lora*last", tuning={"rank": 4, "blocks": 2, "length": 32})
    kept = [(f.run.tuning.rank, f.run.tuning.blocks, f.run.tuning.length) for f in made]
    assert kept == [(8, 1, 32), (4, 1, 32), (8, 2, 32)]


def test_of_shared_layers_the_last_are_all() -> None:
    """ALBERT's blocks have one set of parameters: who lets the last block move lets every block move."""
    for start, key in (("albert-town", "finetune.cost.of.shared"), ("bert-town", "finetune.cost.of")):
        tiles = cost.cost(ANN, asked(parent=start, how="last"))["forecast"]["tiles"]
        assert tiles[3]["note"]["word"] == key


def test_the_forecast_says_how_many_parameters_move_in_each_way(parent: str) -> None:
    planned = cost.cost(ANN, asked(how="full*frozen"))["forecast"]["tiles"]
    folders = [learn(folder) for folder in begun(beside="none", how="full*frozen")]
    moved = [records(folder, "begin")[0]["moving"] for folder in folders]
    assert [tile["value"] for tile in planned[3:]] == [f"{number / 1000:.3g}K" for number in moved[:1]] + [
        str(moved[1]) if moved[1] < 999 else f"{moved[1] / 1000:.3g}K"
    ]
    table = handlers.view(ANN, together(folders))["ways"]
    assert [row[1].split(" ")[0] for row in table["rows"]] == [f"{number:,}" for number in moved]
    assert len(table["columns"]) == 4 and all("–" in row[3] for row in table["rows"])


def test_the_strongest_yardstick_stands_in_the_tile(of_task: Any) -> None:
    folders = of_task("questions")
    lines = records(folders[0], "begin")[0]["baselines"]
    tile = handlers.view(ANN, together(folders))["tiles"]["tiles"][2]
    assert tile["value"] == f"{100 * max(lines['silent'], lines['whole_text']):.1f}\u00a0%"


# ---- which texts


def test_a_label_budget_has_stories_enough_to_draw_from(parent: str) -> None:
    few, many = (labelled(asked(), TASKS["classify"], budget) for budget in (10, 300))
    assert few.settings["stories"] == 40 and many.settings["stories"] >= 334 and many.learnt >= 300
    planned = finetuning(asked(labels="300"), ANN)
    assert planned.learnt == 300 and planned.runs[0].plan.steps == 38


@pytest.mark.parametrize("task", TASKS.names())
def test_every_task_has_texts_of_the_town_in_both_languages(task: str) -> None:
    for corpus in corpora(TASKS[task]):
        for language in ("en", "zh"):
            texts = labelled(asked(data=corpus.name, language=language), TASKS[task], None)
            assert texts.learnt > 0 and texts.held and texts.settings.get("language", language) == language


# ---- which runs


def test_a_run_that_cannot_take_a_task_is_told_with_the_reason(parent: str) -> None:
    said = [in_language(line[1], "en") for line in starts.read_again(ANN, parent, "random", "seq2seq")["unfit"]]
    lacks = "a way to write (Masked language modelling teaches none)"
    assert said == [f"BERT cannot be fine-tuned for sequence to sequence: it lacks {lacks}."]
    offered = starts.read_again(ANN, parent, "random*nobody", "classify")["beside"]
    assert offered["value"] == ["random"] and len(offered["choices"]) == 1


@pytest.mark.parametrize("model", MODELS.names())
def test_every_family_can_take_some_task_or_says_in_both_languages_why_not(model: str) -> None:
    run = plan(model=model)
    for task in TASKS.names():
        error = untunable(run, task)
        assert tunable(run, task) or ("cannot be fine-tuned" in error.en and "不能微调" in error.zh)
        writes = task != "seq2seq" and tunable(run, "seq2seq")  # there a class is named in words
        assert ("choose Sequence to sequence" in error.en) == ("请选择序列到序列" in error.zh) == writes


# ---- what they say


DATA = {
    "classify": "town_sentiment5",
    "pairs": "town_pairs",
    "tokens": "town_entities",
    "questions": "town_questions",
    "similarity": "town_similarity",
    "choice": "town_choice",
    "seq2seq": "town_summary",
}


@pytest.fixture
def of_task(still: Still) -> Any:
    """Two arms that have learnt a task for a moment."""

    def made(task: str) -> list[RunFolder]:
        model = "gpt" if task == "seq2seq" else "bert"
        room = {**shape(model), "context": 64}
        finished(home() / "parent", owner=owner_of(ANN), model=model, shape=room)
        few: dict[str, Any] = {"labels": "10", "corpus_settings": {"stories": 10}}
        return [learn(folder, until=1) for folder in begun(task=task, data=DATA[task], **few)]

    return made


@pytest.mark.parametrize("task", DATA)
def test_every_task_is_learnt_drawn_asked_and_weighed(task: str, of_task: Any) -> None:
    folders = of_task(task)
    names = together(folders)
    shown = handlers.view(ANN, names)
    measure = comparison.measure_of(folders[0], records(folders[0], "check")[-1])
    assert shown["scores"]["series"][0]["y"][-1] == records(folders[0], "check")[-1][measure]
    assert task == "seq2seq" or (measure == TASKS[task].score and shown["scores"]["baselines"])
    laid = asking.fields(ANN, names, "", "zh")
    typed = [laid[name].get("value", "") for name in ("own", "second", "options")]
    said = asking.ask(ANN, names, *typed)
    if "label" in TASKS[task].holds:
        for number in (0, 1):
            assert sum(bar["value"] for bar in said[f"bars {number}"]["value"]["bars"]) == pytest.approx(1)
    else:
        rows = said["said"]["value"]["rows"]
        assert len(rows) == 2 and not said["bars 0"]["visible"]
        if task in ("tokens", "questions"):
            assert all("".join(part[0] for part in row["parts"]) == typed[0] for row in rows)
    cut = asking.ask(ANN, names, typed[0] * 40, *typed[1:])["unread"]
    assert [said["word"] for _, said in cut] == ([f"finetune.cut.{READS[task]}"] if task in READS else [])
    weighed = weighing.weigh(ANN, names, typed[0], typed[1])["evidence"]
    assert weighed["visible"] == (task in ("classify", "pairs"))
    nothing = asking.ask(ANN, names, " ", "", "")
    assert not nothing["said"].get("value", {}).get("rows")
    told = nothing["bars 0" if "label" in TASKS[task].holds else "said"]["value"]["empty"]
    assert told == say("finetune.bars.fill")
    notes = [tile["note"]["word"] for tile in shown["tiles"]["tiles"][:2]]
    assert ("finetune.f1" in notes) == (measure == "accuracy" and task != "seq2seq")
    if task == "tokens":
        rows = asking.ask(ANN, names, ". . .", "", "")["said"]["value"]["rows"]
        assert all(bool(row["note"]) != any(kind for _, kind, *_ in row["parts"]) for row in rows)


def test_the_evidence_covers_the_whole_text_for_the_class_that_each_arm_names(parent: str) -> None:
    folders = [learn(folder) for folder in begun()]
    rows = weighing.weigh(ANN, together(folders), "它 赢 👍.", "")["evidence"]["value"]["rows"]
    assert len(rows) == 2
    for row in rows:
        told = [token for token in row["tokens"] if not token["special"]]
        assert bytes.fromhex("".join(token["bytes"] for token in told)).decode() == "它 赢 👍."
        assert all(token["gradient"] and token["occlusion"] for token in told) and not row["lacks"]


def test_a_text_with_tags_keeps_every_character_and_joins_an_entity() -> None:
    example = Example("Ann Lee, in Rome", words=((0, 3), (4, 7), (7, 8), (9, 11), (12, 16)))
    labels = ("O", "B-PER", "I-PER", "B-LOC")
    parts = asking.tagged(example, Prediction(tags=(1, 2, 0, 0, 3)), labels)
    marked = [(part[0], part[2]) for part in parts if part[1]]
    assert "".join(part[0] for part in parts) == example.text and marked == [("Ann Lee", "PER"), ("Rome", "LOC")]
    apart = asking.tagged(example, Prediction(tags=(1, 1, 0, 0, 2)), labels)
    assert [part[0] for part in apart if part[1]] == ["Ann", "Lee", "Rome"], "a new B- begins a new entity"


# ---- what they get wrong


def test_the_cells_of_the_matrix_hold_the_examples_that_they_count(parent: str) -> None:
    folders = [learn(folder) for folder in begun(corpus_settings={"stories": 200})]
    names = together(folders)
    table = mistakes.unfold(ANN, names, "0")["confusion 0"]["value"]["rows"]
    assert [row[1:] for row in table] == records(folders[0], "check")[-1]["confusion"]
    for row in (0, 1):
        for column in (0, 1):
            inside = mistakes.cell(ANN, names, "0", row, column)["examples"]["examples"]
            assert len(inside) == table[row][1 + column]
            assert all(each["right"] == (row == column) for each in inside)
    every = mistakes.wrong(ANN, names, "0")["examples"]
    assert len(every["examples"]) == table[0][2] + table[1][1] and every["title"]["n"] == len(every["examples"])


@pytest.mark.parametrize("task", ["choice", "questions", "tokens"])
def test_what_is_wrong_of_a_task_without_classes_is_as_much_as_its_measure_says(task: str, of_task: Any) -> None:
    folders = of_task(task)
    names = together(folders)
    for folder in folders:
        (folder.path / "result.json").write_text(json.dumps({"ended": "finished"}))
    offered = mistakes.offered(ANN, names)
    assert offered["of"]["visible"] and not offered["calibrated"]["visible"]
    answer = mistakes.unfold(ANN, names, "0")
    wrong, checked = answer["examples"], records(folders[0], "check")[-1]
    json.dumps(wrong, allow_nan=False)
    assert wrong["examples"] and not any(each["right"] for each in wrong["examples"])
    if measure := {"choice": "accuracy", "questions": "exact_match"}.get(task):
        assert 1 - wrong["title"]["n"] / wrong["title"]["of"] == pytest.approx(checked[measure], abs=1e-5)
    if task == "choice":
        assert all(each["true"] in each["options"].split("\n") for each in wrong["examples"])


@pytest.mark.parametrize("task", ["similarity", "seq2seq"])
def test_an_answer_that_is_neither_right_nor_wrong_is_in_no_list(task: str, of_task: Any) -> None:
    names = together(of_task(task))
    assert not mistakes.offered(ANN, names)["of"]["visible"]
    assert not mistakes.unfold(ANN, names, "0")["examples"]["examples"]


def test_entities_and_answers_are_told_in_the_words_of_the_text() -> None:
    named = Example("Ann Lee, in Rome", words=((0, 3), (4, 7), (7, 8), (9, 11), (12, 16)), tags=(1, 2, 0, 0, 3))
    labels = ("O", "B-PER", "I-PER", "B-LOC")
    found = verdict(TASKS["tokens"], named, Prediction(tags=(1, 1, 0, 0, 0)), labels)
    assert (found.true, found.said, found.right) == ("Ann Lee (PER), Rome (LOC)", "Ann (PER), Lee (PER)", False)
    none = verdict(TASKS["tokens"], named, Prediction(tags=(0,) * 5), labels)
    assert (
        in_language(none.said, "en") == "no entity"
        and verdict(TASKS["tokens"], named, Prediction(tags=named.tags), labels).right
    )
    asked = Example("Rose lived near the church.", pair="Where?", answers=((11, 26),))
    told = {
        span: verdict(TASKS["questions"], asked, Prediction(answer=span, score=0.4), ())
        for span in ((16, 26), (0, 4), None)
    }
    assert [each.right for each in told.values()] == [False, False, False] and told[0, 4].said == "Rose"
    assert verdict(TASKS["questions"], asked, Prediction(answer=(11, 27)), ()).right  # a full stop does not count
    silent = Example("Rose lived near the church.", pair="When?")
    assert verdict(TASKS["questions"], silent, Prediction(), ()).right
    assert not verdict(TASKS["questions"], silent, Prediction(answer=(0, 4)), ()).right


def test_the_answers_are_worked_out_once(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names, calls = together([learn(folder) for folder in begun()]), []
    usual = mistakes.judge
    monkeypatch.setattr(mistakes, "judge", lambda *given, **more: calls.append(1) or usual(*given, **more))
    for _ in range(3):
        mistakes.wrong(ANN, names, "0")
        mistakes.cell(ANN, names, "0", 0, 1)
    assert calls == [1]


@pytest.mark.parametrize(("of", "row", "column"), [("9", 0, 0), ("x", 0, 0), ("0", -1, 99), ("0", "0", None)])
def test_a_cell_that_is_not_there_holds_nothing(parent: str, of: str, row: Any, column: Any) -> None:
    names = together([learn(folder) for folder in begun()])
    assert not mistakes.cell(ANN, names, of, row, column).get("examples", {}).get("examples")


def test_nobody_looks_into_the_comparison_of_somebody_else(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    names = together([learn(folder) for folder in begun()])
    calls = (
        lambda: mistakes.unfold(BOB, names, "0"),
        lambda: mistakes.cell(BOB, names, "0", 0, 0),
        lambda: mistakes.offered(BOB, names),
        lambda: weighing.weigh(BOB, names, "x", ""),
    )
    for call in calls:
        with pytest.raises(SettingsError, match="somebody else"):
            call()


# ---- what becomes of [MASK]


def test_frozen_weights_still_fill_gaps_as_before_and_moved_ones_do_not(parent: str) -> None:
    far = {"batch": 8, "learning_rate": 0.02}  # so that the change shows in the digits that are shown
    names = together([learn(folder) for folder in begun(beside="none", how="full*frozen", training=far)])
    table = mismatch.guesses(ANN, names, "Rose [MASK] 住在 [MASK].")["guesses"]
    before, full, frozen = (row[1:] for row in table["rows"])
    assert len(table["columns"]) == 3 and before == frozen != full


@pytest.mark.parametrize("sentence", ["", "no gap", "👍", "[MASK" * 9])
def test_a_sentence_without_a_gap_has_no_guesses(parent: str, sentence: str) -> None:
    names = together([learn(folder, until=1) for folder in begun(beside="none")])
    assert not mismatch.guesses(ANN, names, sentence)["guesses"]["rows"]


# ---- mean pooling


def test_a_first_token_that_learnt_nothing_is_told_of_until_the_mean_is_taken(parent: str) -> None:
    def told(**other: Any) -> list[str]:
        objections = cost.cost(ANN, asked(**{"epochs": 50, **other}))["objection"]  # steps enough
        return [in_language(words, "en") for _, words in objections]

    assert "too few to learn from" in told(epochs=1, tuning={"pooling": "mean"})[0]
    [said] = told()
    assert "without a sentence-pair objective" in said and "mean pooling" in said
    assert told(tuning={"pooling": "mean"}) == []
    assert told(task="tokens", data="town_entities", tuning={"pooling": "mean"}) == [], "each token has its own tag"
    finished(home() / "sop", owner=owner_of(ANN), pair="sop")
    assert told(parent="sop") == []


def test_the_mean_stands_in_the_name_of_an_arm_and_is_left_out_where_it_cannot_be(parent: str) -> None:
    finished(home() / "lstm", owner=owner_of(ANN), model="lstm", objective="clm")
    runs = [folder.run for folder in begun(beside="lstm", tuning={"pooling": "mean"})]
    assert [(run.model, run.tuning.pooling) for run in runs] == [("bert", "mean"), ("lstm", "own")]
    assert [in_language(arms.way(run), "en").endswith("mean pooling") for run in runs] == [True, False]
