"""What the Start page answers: one sentence under every objective, with the answers of models."""

import shlex
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr
import numpy as np

from lab.analysis.preview import Corrupted, corrupt
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.data.stream import sentences_of
from lab.entries import ObjectiveEntry
from lab.inference import predict
from lab.inference.decoding import generate
from lab.inference.model import Trained
from lab.inference.predict import Guess, judge
from lab.runs.run import Run
from lab.serve.limits import limits
from lab.spelling import text_of
from lab.training.run_request import flags
from lab.ui.components.token_strip import row
from lab.ui.exercise.board import board
from lab.ui.exercise.draw import exercise_rows, pair_rows
from lab.ui.exercise.shipped import WRITES, answers, learnt, tokenizer, tokenizer_name
from lab.ui.pages.start.answerer import ANSWERED, AT_ONCE, LONGEST, answering, as_learnt, longest, title_of
from lab.ui.pages.start.spans import spans
from lab.ui.shell.answers import Values
from lab.ui.shell.inputs import head, told, whole_seed
from lab.ui.words import WORDS, pair, say

WRITTEN = 16  # tokens that the model adds
CARRIED = {"tokenize": ["text"], "objectives": ["text", "seed"], "attention": ["text"]}


# ---- what a visitor asks for


def view(text: str, seed: float, model: str = "") -> Values:
    """The text as tokens, under the objectives that a model of the lab answers at once, or the chosen ``model`` where
    it can, and on the board of those that none answers."""
    long = len(text or "") > limits().prompt
    text, seed, answerer = head(text), whole_seed(seed), answering(model)
    others = board(text, seed, LONGEST, leave_out=ANSWERED)
    if not text.strip():
        return {**dict.fromkeys(("tokens", *AT_ONCE), {"rows": [], "empty": say("start.empty")}), "board": others}
    answered = {name: exercise(text, OBJECTIVES[name], seed, answerer) for name in AT_ONCE}
    return {"tokens": tokens(text, answerer, of_more=long), **answered, "board": others}


def going_on(text: str, model: str = "") -> dict[str, Any]:
    """The text as the writing model continues it: the lab's, or the chosen one."""
    answerer, text = answering(model), head(text)
    writer = learnt(OBJECTIVES["clm"], answerer)
    if writer is None or not text.strip():
        return {"rows": [], "empty": say("start.empty")}
    ids = [token.id for token in generate(writer, text, [("greedy", {})], tokens=WRITTEN)]
    other = writer is answerer and model != WRITES
    note = say("start.writes.other", model=title_of(writer)) if other else say("start.writes.note")
    added = text_of(writer.tokenizer.pieces(ids), unfinished=True)
    return {"rows": [{"parts": [[text[-400:], ""], [added, "written"]], "note": note}]}


def hide(text: str, seed: float, hidden: str, model: str, event: gr.EventData) -> Values:
    """Hide or show the token that was clicked; the dice have chosen the first ones."""
    at, text, seed, mlm, answerer = told(event, "at"), head(text), whole_seed(seed), OBJECTIVES["mlm"], answering(model)
    if not text.strip() or told(event, "row") != 0 or not isinstance(at, int):
        return {}
    corrupted = corrupt(text, mlm, tokenizer(mlm, answerer), seed=seed, longest=longest(answerer))
    before = chosen(hidden, text, seed, model)
    places = (set(np.flatnonzero(corrupted.exercise.asked[0]).tolist()) if before is None else before) ^ {at}
    places = {place for place in places if 0 < place < len(corrupted.original) - 1}  # never [CLS] or [SEP]
    return {"mlm": by_hand(corrupted, places, text, answerer), "hidden": noted(places, text, seed, model)}


def again(text: str, seed: float, hidden: str = "", model: str = "") -> Values:
    """All anew, with what the dice have hidden; or with what was hidden by hand, if it was in this text."""
    head_, seed_ = head(text), whole_seed(seed)
    drawn = view(text, seed, model) | {"command": command(text, seed, model)}
    places, answerer = chosen(hidden, head_, seed_, model), answering(model)
    if places is None or not head_.strip():
        return drawn | {"hidden": ""}
    mlm = OBJECTIVES["mlm"]
    corrupted = corrupt(head_, mlm, tokenizer(mlm, answerer), seed=seed_, longest=longest(answerer))
    return drawn | {"mlm": by_hand(corrupted, places, head_, answerer), "hidden": hidden}


def first(text: str, seed: float, hidden: str, model: str, language: str) -> Values:
    """What an address asks for; the first view itself was there before the page was."""
    usual = text == WORDS["start.default"].get(language) and whole_seed(seed) == 0
    if usual and not hidden and answering(model) is None:
        return {}
    later = {"continuation": going_on(text, model), "spans": spans(text, seed, model)}
    return again(text, seed, hidden, model) | later


# ---- what is shown


def tokens(text: str, answerer: Trained | None = None, *, of_more: bool = False) -> dict[str, Any]:
    """The whole text as the filling model reads it, or the chosen one; or as much of more text as is answered."""
    its_tokenizer = answerer.tokenizer if answerer else tokenizer(OBJECTIVES["mlm"])
    ids = its_tokenizer.encode(text)
    most = longest(answerer) - 2
    key = "start.tokens.count" if len(ids) <= most else "start.tokens.head" if of_more else "start.tokens.cut"
    note = say(key, n=f"{len(ids):,}", characters=f"{len(text):,}", most=most)
    one = row("", its_tokenizer.pieces(ids[: 2 * LONGEST]))
    return {"rows": [one | {"more": len(ids) - len(one["tokens"])}], "group": "start-tokens", "note": note}


def exercise(text: str, objective: ObjectiveEntry, seed: int, answerer: Trained | None = None) -> dict[str, Any]:
    """What one objective makes of the text."""
    corrupted = corrupt(text, objective, tokenizer(objective, answerer), seed=seed, longest=longest(answerer))
    return drawn(corrupted, objective, text, answerer)


def drawn(
    corrupted: Corrupted, objective: ObjectiveEntry, text: str, answerer: Trained | None = None
) -> dict[str, Any]:
    """An exercise with the answers of the model that has learnt to do it."""
    model, group = learnt(objective, answerer), f"start-{objective.name}"  # what is locked in it is in the address
    if corrupted.pair is not None:
        note = _about_pair(corrupted, objective, text, model)
        return {"rows": pair_rows(corrupted), "aligned": False, "group": group, "note": note}
    guesses = predict.answers(model, corrupted.exercise) if model else []
    fills = objective.name == "mlm"  # the one strip that takes clicks
    note = [_score(corrupted.exercise, guesses, model)] if model and guesses else []
    note += [say("start.hide")] if fills else []
    note += [say("start.fills.read")] if fills and model and model is not answerer else []
    note += [say("start.next.none")] if objective.left_to_right and not corrupted.exercise.asked.any() else []
    return {**exercise_rows(corrupted, guesses), "group": group, "note": note}


def by_hand(corrupted: Corrupted, places: set[int], text: str, answerer: Trained | None = None) -> dict[str, Any]:
    """The same text with just these tokens hidden."""
    mlm = OBJECTIVES["mlm"]
    asked = np.zeros(corrupted.exercise.asked.shape, dtype=bool)
    asked[0, [place for place in places if place < len(corrupted.original)]] = True
    shown = np.where(asked, tokenizer(mlm, answerer).vocabulary.mask, corrupted.original)
    return drawn(
        replace(corrupted, exercise=Exercise(shown=shown, asked=asked, answers=corrupted.original[None])),
        mlm,
        text,
        answerer,
    )


def noted(places: set[int], text: str, seed: int, model: str = "") -> str:
    """Places hidden by hand, as the address has them, with a mark of the exercise in which they are."""
    return f"{_mark(text, seed, model)}-{'.'.join(map(str, sorted(places)))}"


def chosen(hidden: str, text: str, seed: int, model: str = "") -> set[int] | None:
    """The places that were hidden by hand in this exercise; nothing if the dice have chosen."""
    mark, _, places = hidden.partition("-")
    return {int(place) for place in places.split(".") if place} if mark == _mark(text, seed, model) else None


def _mark(text: str, seed: int, model: str) -> str:
    own = "" if answering(model) is None else f"{model} "
    return f"{zlib.crc32(f'{own}{seed} {text}'.encode('utf-8', 'replace')):08x}"


def doors(pages: Sequence[str]) -> list[dict[str, Any]]:
    """A card for each of the pages."""
    return [
        {
            "page": page,
            "title": say(f"frame.tab.{page}"),
            "text": say(f"start.door.{page}"),
            "carry": CARRIED.get(page, []),
        }
        for page in pages
    ]


def command(text: str, seed: float, model: str = "") -> dict[str, str]:
    """The terminal's way to the same exercises and answers."""
    prompt, answerer = shlex.quote(head(text)[:200]), answering(model)
    lines = []
    for objective in OBJECTIVES:
        its_own = answerer is not None and answers(answerer.run, objective)
        words = ["--objective", objective.name, "--seed", str(whole_seed(seed))]
        words += flags("objective", objective.settings, as_learnt(objective, answerer).dump())
        words += ["--tokenizer", model if its_own else tokenizer_name(objective), "--tokens", str(longest(answerer))]
        lines.append(f"python -m lab corrupt {shlex.join(words)} --text {prompt}")
    writes = answerer is not None and answers(answerer.run, OBJECTIVES["clm"])
    lines.append(f"python -m lab generate --run {model if writes else WRITES} --sampler greedy --prompt {prompt}")
    return {"command": "\n".join(lines)}


# ---- checks and helpers


def suits(run: Run) -> bool:
    """Whether a run has learnt something that is asked here."""
    return any(answers(run, OBJECTIVES[name]) for name in ANSWERED)


def _score(asked: Exercise, guesses: Sequence[Sequence[Guess]], model: Trained) -> dict[str, Any]:
    truth = asked.answers[asked.asked].tolist()
    right = sum(best[0].id == answer for best, answer in zip(guesses, truth, strict=True))
    size = f"{len(model.tokenizer.vocabulary.ordinary):,}"
    return say("start.score", model=title_of(model), right=right, asked=len(truth), size=size)


def _about_pair(corrupted: Corrupted, objective: ObjectiveEntry, text: str, model: Trained | None) -> list[Any]:
    assert corrupted.pair is not None
    names = [pair(*answer) for answer in objective.answers]
    notes = [pair(objective.summary, objective.summary_zh), say("start.pair", answer=names[corrupted.pair])]
    if sum(bool(sentence.strip()) for sentence in sentences_of(text)) < 2:
        notes.append(say("start.alone"))
    if model is not None:
        shares = judge(model, corrupted.exercise)
        best = int(np.argmax(shares))
        title = title_of(model)
        notes.append(say("start.judge", model=title, answer=names[best], share=f"{100 * shares[best]:.0f}"))
    return notes
