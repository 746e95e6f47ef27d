"""Start: one sentence under every objective, with the answers of models that come with the lab."""

import shlex
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr
import numpy as np

from lab.analysis.preview import Corrupted, corrupt
from lab.batch import Exercise
from lab.catalog import MODELS, OBJECTIVES
from lab.data.stream import sentences_of
from lab.entries import ObjectiveEntry
from lab.inference.decoding import generate
from lab.inference.model import Trained
from lab.inference.predict import Guess, answers, judge
from lab.spelling import text_of
from lab.ui.components.board import Board
from lab.ui.components.doors import Doors
from lab.ui.components.marked import Marked
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.replay import Replay
from lab.ui.components.token_strip import TokenStrip, row
from lab.ui.exercise.board import board
from lab.ui.exercise.draw import exercise_rows, pair_rows
from lab.ui.exercise.shipped import FILLS, WRITES, learnt, shipped, tokenizer
from lab.ui.pages.start.replay import recorded
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import head, seed_of
from lab.ui.words import WORDS, both, pair, say, word

NAME = "start"
LONGEST = 64  # tokens in an exercise, special ones included
WRITTEN = 16  # tokens that the model adds
ANSWERED = ("mlm", "clm", "nsp", "sop")  # the objectives that models which come with the lab have learnt
CARRIED = {"tokenize": ["text"], "objectives": ["text", "seed"], "attention": ["text"]}


# ---- what a visitor asks for


def view(text: str, seed: float) -> Values:
    """The text as tokens, under the objectives that a model of the lab answers, and on the board of all others."""
    text, seed = head(text), seed_of(seed)
    others = board(text, seed, LONGEST, leave_out=ANSWERED)
    if not text.strip():
        return {**dict.fromkeys(("tokens", *ANSWERED), {"rows": [], "empty": say("start.empty")}), "board": others}
    answered = {name: exercise(text, OBJECTIVES[name], seed) for name in ANSWERED}
    return {"tokens": tokens(text), **answered, "board": others}


def going_on(text: str) -> dict[str, Any]:
    """The text as the writing model continues it."""
    writer, text = shipped(WRITES), head(text)
    if writer is None or not text.strip():
        return {"rows": [], "empty": say("start.empty")}
    ids = [token.id for token in generate(writer, text, [("greedy", {})], tokens=WRITTEN)]
    added = text_of(writer.tokenizer.pieces(ids), unfinished=True)
    return {"rows": [{"parts": [[text[-400:], ""], [added, "written"]], "note": say("start.writes.note")}]}


def hide(text: str, seed: float, hidden: str, event: gr.EventData) -> Values:
    """Hide or show the token that was clicked; the dice have chosen the first ones."""
    at, text, seed, mlm = event.at, head(text), seed_of(seed), OBJECTIVES["mlm"]
    if not text.strip() or event.row != 0 or not isinstance(at, int):
        return {}
    corrupted = corrupt(text, mlm, tokenizer(mlm), seed=seed, longest=LONGEST)
    before = chosen(hidden, text, seed)
    places = (set(np.flatnonzero(corrupted.exercise.asked[0]).tolist()) if before is None else before) ^ {at}
    places = {place for place in places if 0 < place < len(corrupted.original) - 1}  # never [CLS] or [SEP]
    return {"mlm": by_hand(corrupted, places, text), "hidden": noted(places, text, seed)}


def again(text: str, seed: float, hidden: str = "") -> Values:
    """All anew, with what the dice have hidden; or with what was hidden by hand, if it was in this text."""
    head_, seed_ = head(text), seed_of(seed)
    drawn, places = view(text, seed) | {"command": command(text, seed)}, chosen(hidden, head_, seed_)
    if places is None or not head_.strip():
        return drawn | {"hidden": ""}
    mlm = OBJECTIVES["mlm"]
    corrupted = corrupt(head_, mlm, tokenizer(mlm), seed=seed_, longest=LONGEST)
    return drawn | {"mlm": by_hand(corrupted, places, head_), "hidden": hidden}


def first(text: str, seed: float, hidden: str, language: str) -> Values:
    """What an address asks for; the first view itself was there before the page was."""
    if text == WORDS["start.default"].get(language) and seed_of(seed) == 0 and not hidden:
        return {}
    return again(text, seed, hidden) | {"continuation": going_on(text)}


# ---- what is shown


def tokens(text: str) -> dict[str, Any]:
    """The whole text as the filling model reads it."""
    its_tokenizer = tokenizer(OBJECTIVES["mlm"])
    ids = its_tokenizer.encode(text)
    key = "start.tokens.count" if len(ids) <= LONGEST - 2 else "start.tokens.cut"
    note = say(key, n=f"{len(ids):,}", characters=f"{len(text):,}", most=LONGEST - 2)
    one = row("", its_tokenizer.pieces(ids[: 2 * LONGEST]))
    return {"rows": [one | {"more": len(ids) - len(one["tokens"])}], "note": note}


def exercise(text: str, objective: ObjectiveEntry, seed: int) -> dict[str, Any]:
    """What one objective makes of the text."""
    return drawn(corrupt(text, objective, tokenizer(objective), seed=seed, longest=LONGEST), objective, text)


def drawn(corrupted: Corrupted, objective: ObjectiveEntry, text: str) -> dict[str, Any]:
    """An exercise with the answers of the model that has learnt to do it."""
    model = learnt(objective)
    if corrupted.pair is not None:
        note = _about_pair(corrupted, objective, text, model)
        return {"rows": pair_rows(corrupted), "aligned": False, "note": note}
    guesses = answers(model, corrupted.exercise) if model else []
    fills = objective.name == "mlm"  # the one strip that takes clicks
    note = [_score(corrupted.exercise, guesses, model)] if model and guesses else []
    note += [say("start.hide")] if fills else []
    note += [say("start.fills.read")] if fills and model else []
    return {**exercise_rows(corrupted, guesses), "group": f"start-{objective.name}", "note": note}


def by_hand(corrupted: Corrupted, places: set[int], text: str) -> dict[str, Any]:
    """The same text with just these tokens hidden."""
    mlm = OBJECTIVES["mlm"]
    asked = np.zeros(corrupted.exercise.asked.shape, dtype=bool)
    asked[0, [place for place in places if place < len(corrupted.original)]] = True
    shown = np.where(asked, tokenizer(mlm).vocabulary.mask, corrupted.original)
    return drawn(
        replace(corrupted, exercise=Exercise(shown=shown, asked=asked, answers=corrupted.original[None])), mlm, text
    )


def noted(places: set[int], text: str, seed: int) -> str:
    """Places hidden by hand, as the address has them, with a mark of the exercise in which they are."""
    return f"{_mark(text, seed)}-{'.'.join(map(str, sorted(places)))}"


def chosen(hidden: str, text: str, seed: int) -> set[int] | None:
    """The places that were hidden by hand in this exercise; nothing if the dice have chosen."""
    mark, _, places = hidden.partition("-")
    return {int(place) for place in places.split(".") if place} if mark == _mark(text, seed) else None


def _mark(text: str, seed: int) -> str:
    return f"{zlib.crc32(f'{seed} {text}'.encode('utf-8', 'replace')):08x}"


def doors(pages: Sequence[str]) -> list[dict[str, Any]]:
    """A card for every other page."""
    return [
        {
            "page": page,
            "title": say(f"frame.tab.{page}"),
            "text": say(f"start.door.{page}"),
            "carry": CARRIED.get(page, []),
        }
        for page in pages
        if page != NAME
    ]


def command(text: str, seed: float) -> dict[str, str]:
    """The terminal's way to the same exercises and answers."""
    prompt = shlex.quote(head(text)[:200])
    lines = [
        f"python -m lab corrupt --objective {name} --seed {seed_of(seed)} --tokenizer assets/runs/{FILLS} "
        f"--text {prompt}"
        for name in OBJECTIVES.names()
    ]
    lines.append(f"python -m lab generate --run {WRITES} --sampler greedy --prompt {prompt}")
    return {"command": "\n".join(lines)}


# ---- checks and helpers


def _score(asked: Exercise, guesses: Sequence[Sequence[Guess]], model: Trained) -> dict[str, Any]:
    truth = asked.answers[asked.asked].tolist()
    right = sum(best[0].id == answer for best, answer in zip(guesses, truth, strict=True))
    size = f"{len(model.tokenizer.vocabulary.ordinary):,}"
    return say("start.score", model=MODELS[model.run.model].title, right=right, asked=len(truth), size=size)


def _about_pair(corrupted: Corrupted, objective: ObjectiveEntry, text: str, model: Trained | None) -> list[Any]:
    assert corrupted.pair is not None
    names = [pair(*answer) for answer in objective.answers]
    notes = [pair(objective.summary, objective.summary_zh), say("start.pair", answer=names[corrupted.pair])]
    if sum(bool(sentence.strip()) for sentence in sentences_of(text)) < 2:
        notes.append(say("start.alone"))
    if model is not None:
        shares = judge(model, corrupted.exercise)
        best = int(np.argmax(shares))
        title = MODELS[model.run.model].title
        notes.append(say("start.judge", model=title, answer=names[best], share=f"{100 * shares[best]:.0f}"))
    return notes


# ---- the page


def build(frame: Frame) -> None:
    """The sentence beside a recorded run, the objectives below, the doors last. All is there when the page opens."""
    frame.heading("start.title", "start.lead")
    strips = {}
    with gr.Row():
        with gr.Column(scale=7, min_width=340):
            text = gr.Textbox(
                label=word("start.text"),
                placeholder=word("start.placeholder"),
                lines=2,
                max_lines=4,
                elem_id="start-text",
            )
            seed = gr.Number(0, precision=0, visible="hidden")
            strips["tokens"] = TokenStrip(label=word("start.tokens"), elem_id="start-tokens")
            strips["mlm"] = _strip(OBJECTIVES["mlm"])
            with gr.Row(elem_classes=["lab-examples"]):
                roll = gr.Button(word("start.roll"), size="sm", elem_id="start-roll")
        with gr.Column(scale=5, min_width=320):
            Replay(recorded(), label=word("start.replay"), elem_id="start-replay")
            Prose([["note", say("start.replay.note")]])
    strips["clm"] = _strip(OBJECTIVES["clm"])
    written = Marked(label=word("start.writes"), elem_id="start-writes")
    with gr.Row(equal_height=True):
        for name in ANSWERED[2:]:
            with gr.Column(min_width=500):
                strips[name] = _strip(OBJECTIVES[name])
    others = Board(label=word("start.others"), elem_id="start-board")
    Prose([["h2", say("start.doors")]])
    Doors(doors(frame.pages))
    line = frame.command(command(WORDS["start.default"]["en"], 0)["command"])

    frame.share("text", text)
    frame.share("seed", seed)
    views = {**strips, "board": others}
    _first_view(frame, text, views, written)
    hidden = frame.share("hidden", Memo("", pattern=r"[0-9a-f]{8}-[\d.]{0,300}|"))
    fresh = {**views, "command": line, "hidden": hidden}
    frame.listen(text.change, again, [text, seed, hidden], fresh)
    frame.listen(text.change, going_on, text, written)
    frame.listen(seed.change, again, [text, seed, hidden], fresh)
    frame.opens(first, [text, seed, hidden, frame.language], fresh | {"continuation": written})
    roll.click(None, seed, seed, js="(seed) => (Number(seed) || 0) + 1", api_visibility="private")
    there = (
        "(text, seed) => window.lab.goto('objectives', ['objective', 'text', 'seed'], "
        "[window.lab.fired.name, text, seed], '#objectives-opened')"
    )
    others.pick(None, [text, seed], None, js=there, api_visibility="private")
    frame.listen(strips["mlm"].pick, hide, [text, seed, hidden], {"mlm": strips["mlm"], "hidden": hidden})


def _strip(objective: ObjectiveEntry) -> Any:
    return TokenStrip(label=both(objective.title, objective.title_zh), elem_id=f"start-{objective.name}")


def _first_view(frame: Frame, text: Any, views: Values, written: Any) -> None:
    """What the page opens with in each language, made once, when the lab starts."""
    frame.begins(text, **WORDS["start.default"])
    made = {language: view(sentence, 0) for language, sentence in WORDS["start.default"].items()}
    for name, component in views.items():
        frame.begins(component, **{language: values[name] for language, values in made.items()})
    frame.begins(written, **{language: going_on(sentence) for language, sentence in WORDS["start.default"].items()})
