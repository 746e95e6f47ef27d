"""Play against it: a visitor fills the blanks of a text, and so does a model that comes with the lab.

K blanks   T tokens   V vocabulary
"""

from typing import Any

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import MODELS, OBJECTIVES
from lab.data.stream import sentences_of
from lab.data.template import framed
from lab.entries import ObjectiveEntry
from lab.inference.model import Trained
from lab.inference.predict import Guess, answers
from lab.noise import Dice
from lab.spelling import broken
from lab.tokenizer import Piece, Tokenizer
from lab.ui.components.cloze_game import ClozeGame
from lab.ui.exercise.shipped import FILLS, shipped
from lab.ui.exercise.unseen import unseen_story
from lab.ui.pages.objectives.desks import mask_calendar
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import head, seed_of, told
from lab.ui.words import say, word

LONGEST = 96  # tokens of the text
SENTENCES = 3  # of a story
TRIES, ENOUGH = 20, 3  # draws, until one hides so many words that can be typed
suits = mask_calendar.suits


def view(text: str, objective: ObjectiveEntry, language: str = "en", seed: int = 0) -> dict[str, Any]:
    """The game with a story that no shipped model has learnt from."""
    return game(story(language, seed), seed, "town", language)


def story(language: str, seed: int) -> str:
    """The end of one of the stories that are kept for validation: as many sentences as the model can read at once."""
    text = unseen_story("zh" if language == "zh" else "en", seed)
    ends = ["".join(sentences_of(text)[-count:]).strip() for count in range(SENTENCES, 0, -1)]
    model = shipped(FILLS)
    return next((end for end in ends if model is None or len(model.tokenizer.encode(end)) <= _room(model)), ends[-1])


def _room(model: Trained) -> int:
    """How many tokens of a text the game takes."""
    return min(LONGEST, int(model.run.settings_of("model").context) - 2)


def game(text: str, seed: int, source: str, language: str) -> dict[str, Any]:
    """A text with blanks; each with its answer and what the model says, once it knows the blanks before it."""
    model, about = shipped(FILLS), {"seed": seed, "source": source, "language": language}
    if model is None or not text.strip():
        return about | {"empty": say("desks.game.none" if model is None else "desks.empty")}
    whole = model.tokenizer.encode(text)
    longest = _room(model)
    ids = whole[:longest]
    places = hidden(ids, model, seed)
    if not places:
        return about | {"empty": say("desks.game.nothing")}
    pieces = model.tokenizer.pieces(ids)
    cut = [say("desks.cut", n=longest)] if len(whole) > longest else []
    title, size = MODELS[model.run.model].title, f"{len(model.tokenizer.vocabulary.ordinary):,}"
    return about | {
        "model": title,
        "pieces": laid(ids, places, model.tokenizer),
        "blanks": [
            {
                "answer": pieces[place].text.strip(),
                "top": [[guess.token.strip(), round(guess.probability, 4)] for guess in best[:3]],
                "right": best[0].id == int(ids[place]),
            }
            for place, best in zip(places, guessed(ids, places, model), strict=True)
        ],
        "note": [say("desks.game.note", size=size, model=title), *cut],
    }


def hidden(ids: NDArray[np.int64], model: Trained, seed: int) -> list[int]:
    """Which tokens become blanks: of those that masked language modelling asks for, whole words that can be typed."""
    mlm, its_tokenizer = OBJECTIVES["mlm"], model.tokenizer
    row = framed(ids, mlm.frame, its_tokenizer.vocabulary)[None]
    words = its_tokenizer.vocabulary.words(ids[None])[0].tolist()
    fair = [
        words.count(word) == 1 and typed(piece) for word, piece in zip(words, its_tokenizer.pieces(ids), strict=True)
    ]
    settings, draws = mlm.settings.load({"mask": 1.0, "random": 0.0}), list[list[int]]()
    for epoch in range(TRIES):
        asked = mlm.build(row, settings, its_tokenizer.vocabulary, Dice(seed, 0, epoch)).asked[0, 1:-1]
        draws.append(np.flatnonzero(asked & fair).tolist())
        if len(draws[-1]) >= ENOUGH:
            break
    return max(draws, key=len)


def typed(piece: Piece) -> bool:
    """Whether a token is a word that somebody can type."""
    return not piece.special and not broken(piece) and piece.text.strip().isalnum()


def guessed(ids: NDArray[np.int64], places: list[int], model: Trained) -> list[list[Guess]]:
    """The model's guesses for each blank, in order: it knows the answers to those before it and not those behind."""
    vocabulary = model.tokenizer.vocabulary
    rows = np.repeat(framed(ids, OBJECTIVES["mlm"].frame, vocabulary)[None], len(places), axis=0)  # (K, T)
    shown, asked = rows.copy(), np.zeros(rows.shape, dtype=bool)
    for number, place in enumerate(places):
        shown[number, np.array(places[number:]) + 1] = vocabulary.mask
        asked[number, place + 1] = True
    return answers(model, Exercise(shown=shown, asked=asked, answers=rows))


def laid(ids: NDArray[np.int64], places: list[int], tokenizer: Tokenizer) -> list[Any]:
    """The text in pieces: a stretch that is given, or the number of a blank. The blank before a word is given."""
    parts: list[Any] = []
    starts = [0, *[place + 1 for place in places]]
    for number, (start, end) in enumerate(zip(starts, [*places, len(ids)], strict=True)):
        before = tokenizer.decode(ids[start:end])
        if end < len(ids):
            spelt = tokenizer.pieces(ids[end : end + 1])[0].text
            parts += [before + spelt[: len(spelt) - len(spelt.lstrip())], number]
        else:
            parts.append(before)
    return [part for part in parts if part != ""]


def again(text: str, event: gr.EventData) -> dict[str, Any]:
    """The next text: of the town, or the visitor's own with other blanks."""
    seed, language = seed_of(told(event, "seed")), "zh" if told(event, "language") == "zh" else "en"
    if told(event, "source") == "own":
        return game(head(text), seed, "own", language)
    return game(story(language, seed), seed, "town", language)


def made(frame: Frame, text: Any) -> ClozeGame:
    """The desk, empty: what is answered stays in the browser."""
    play = ClozeGame(label=word("desks.game.title"), elem_id="cloze-game")
    frame.listen(play.roll, again, text, play, trigger_mode="always_last")
    return play
