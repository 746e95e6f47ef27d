"""Ten thousand texts that nobody meant, through every objective and what the Objectives page does with them."""

import random
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny import plan

from lab.analysis.preview import corrupt
from lab.analysis.rates import rates
from lab.batch import Document
from lab.catalog import OBJECTIVES
from lab.data.corpus import marked, trained_tokenizer
from lab.data.stream import sentences_of
from lab.data.template import framed
from lab.noise import Dice
from lab.padding import padded
from lab.runs.run import ANYWHERE, FULL_SENTENCES
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.ui.components.drawn import to_json
from lab.ui.exercise.board import Texts, row
from lab.ui.exercise.shipped import tokenizer
from lab.ui.pages.objectives import handlers as objectives
from lab.ui.pages.objectives.desks import cloze_game, place, shortcut
from lab.ui.pages.start import handlers as start_page

TEXTS, AT_ONCE, LONGEST = 10_000, 500, 202
KINDS = (
    "the cat sat on a mat, didn't it? No. Yes!\n",
    "猫坐在垫子上。你好！“再见”，他说。",
    "\x00\x01\x07\x1b\x7f\x85\u200b\u200d\u2028\ufeff\ufffe\uffff",
    "\ud800\udbff\udc00\udfff",
    " \t\n\r\u00a0\u3000",
    "שלום مرحبا \u202e\u202d\u2066\u2069\u061c",
    "👩‍🚀🏽🇩🇪❤️‍🔥\u0301\u0489",
    "𐎠𐎡𓀀𒀀ꙮ\U0010ffff",  # nobody's alphabet
    "<>&\"'`${}[]()\\/|;:=#@",
)
PIECES = (
    *"[MASK] [SEP] [CLS] [PAD] [UNK] [END] <extra_id_0> [gMASK] {{x}} ${1} __i18n__".split(),
    "\r\n\r\n",
    "a" * 70,
)
TOKEN = [entry.name for entry in OBJECTIVES if entry.stage == "token"]
PAIR = [entry.name for entry in OBJECTIVES if entry.stage == "pair"]


@cache
def texts() -> tuple[str, ...]:
    """Some of one kind of characters alone, most of several mixed, from none to sixty."""
    dice = random.Random(0)
    made = []
    for number in range(TEXTS):
        kinds = [dice.choice(KINDS)] if number % 3 else dice.sample(KINDS, 3)
        parts = [dice.choice(dice.choice(kinds)) for _ in range(dice.choice((0, 1, 2, 3, 5, 9, 20, 60)))]
        parts[len(parts) // 2 : 0] = [dice.choice(PIECES)] if not number % 5 else []
        made.append("".join(parts))
    return tuple(made)


@cache
def read(known: Tokenizer) -> list[NDArray[np.int64]]:
    """The texts as a tokenizer reads them, the shortest first: most objectives share one."""
    return sorted(filter(len, known.encode_all(texts())), key=len)


@cache
def by_sentence(known: Tokenizer) -> list[list[NDArray[np.int64]]]:
    """The sentences of each text as a tokenizer reads them."""
    parts = [sentences_of(text) for text in texts()]
    found = iter(known.encode_all([sentence for text in parts for sentence in text]))
    return [[ids for ids in (next(found) for _ in text) if len(ids)] for text in parts]


@pytest.mark.parametrize("name", TOKEN)
def test_every_objective_makes_an_exercise_of_each(name: str) -> None:
    objective = OBJECTIVES[name]
    known = marked(tokenizer(objective), objective).vocabulary
    settings, frame, all_of = objective.settings(), objective.frame, read(tokenizer(objective))
    for start in range(0, len(all_of), AT_ONCE):
        rows = [framed(ids, frame, known) for ids in all_of[start : start + AT_ONCE]]
        ids, real = padded(rows, known.pad)
        exercise = objective.build(ids, settings, known, Dice(1, start + np.arange(len(rows))))
        told = exercise.real if exercise.real is not None else real
        assert len(exercise.shown) == len(rows) and exercise.asked.shape == exercise.shown.shape
        assert not (exercise.asked & ~told).any()
        for part in (exercise.shown, exercise.answers, exercise.source):
            assert part is None or (part.min() >= 0 and part.max() < known.size)


@pytest.mark.parametrize("name", PAIR)
def test_every_pair_objective_makes_a_pair_of_each(name: str) -> None:
    objective, known = OBJECTIVES[name], tokenizer(OBJECTIVES[name])
    for number, sentences in enumerate(by_sentence(known)):
        if sentences:
            pair = objective.build(sentences, lambda: [np.array([7, 8])], 20, objective.settings(), Dice(2, number))
            assert len(pair.first) and len(pair.second) and len(pair.first) + len(pair.second) <= 20


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_each_is_a_row_of_the_board_and_an_open_objective(name: str) -> None:
    """Every objective has its share of the texts: what one has not, another has."""
    share = slice(OBJECTIVES.names().index(name), None, len(OBJECTIVES.names()))
    values = OBJECTIVES[name].settings().dump()
    for number, text in enumerate(texts()[share]):
        if text.strip():
            assert row(text, OBJECTIVES[name], number, LONGEST, Texts())["strips"]
        else:
            with pytest.raises(SettingsError, match="type some text first"):
                row(text, OBJECTIVES[name], number, LONGEST, Texts())
        if number % 25 == 0:
            assert to_json(objectives.view(text, name, number, values))
            assert to_json(place.followed(text, name, number, values))
        if number % 250 == 0:
            assert to_json(objectives.count(text, name, number, values))


def test_each_can_be_played_with_and_asked_for_its_order() -> None:
    for number, text in enumerate(texts()[:: TEXTS // 40]):
        assert to_json(cloze_game.game(text, number, "own", "en"))
        if number % 15 == 0:
            assert to_json(shortcut.view(text, OBJECTIVES["nsp"], "own", number))


LONG = [
    "a" * 10**6,
    "The cat sat. " * 80_000,
    "猫" * 10**6,
    "\n" * 10**6,
    "\ud800" * 10**6,
    "\x00" * 10**6,
    "👩‍🚀" * 300_000,
    "𓀀" * 10**6,
    " \u202e" * 500_000,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: ascii(text[:4]))
def test_a_million_characters_are_cut_and_drawn(text: str) -> None:
    assert len(to_json(objectives.laid(text, 3, "mlm"))) < 100_000
    values = OBJECTIVES["mlm"].settings().dump()
    assert to_json(objectives.view(text, "mlm", 3, values)) and to_json(place.followed(text, "mlm", 3, values))


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_of_a_text_that_leaves_no_token_every_objective_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What WordPiece drops is more than blanks."""
    objective = OBJECTIVES[name]
    wordpiece = trained_tokenizer(plan(tokenizer="wordpiece"), [Document("One two three. Four five six seven.")])
    monkeypatch.setattr(start_page, "tokenizer", lambda *_: wordpiece)
    assert "\u200d".strip() and not len(wordpiece.encode("\u200d"))
    for text in ("\u200d", " ", ""):
        for packing in (ANYWHERE, FULL_SENTENCES):
            with pytest.raises(SettingsError, match="type some text first"):
                corrupt(text, objective, wordpiece, packing=packing)
        with pytest.raises(SettingsError, match="type some text first"):
            rates(text, objective, wordpiece, rolls=2)
    with pytest.raises(SettingsError, match="type some text first"):
        start_page.exercise("\u200d", objective, 0)
