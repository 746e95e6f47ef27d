"""What the Objectives page says about chance: counted rates, and a sentence where there is no rate to count."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.catalog import OBJECTIVES
from lab.data.template import framed
from lab.noise import Dice
from lab.ui.exercise.shipped import tokenizer
from lab.ui.pages.objectives import handlers as objectives
from lab.ui.words import WORDS

TEXT = "The cat sat down. Then it slept for an hour. Nobody saw it."


def draws(name: str, text: str, seed: int = 9, rolls: int = 200) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which ordinary tokens were asked in so many exercises (R, T), and whether each exercise is the first again."""
    of = OBJECTIVES[name]
    vocabulary = tokenizer(of).vocabulary
    ids = framed(tokenizer(of).encode(text)[: objectives.LONGEST - 2], of.frame, vocabulary)
    made = of.build(np.tile(ids, (rolls, 1)), of.settings(), vocabulary, Dice(seed, np.arange(rolls)))
    same = (made.asked == made.asked[0]).all(1) & (made.shown == made.shown[0]).all(1)
    if made.table().ndim == 3:  # one for each exercise
        same &= (made.table() == made.table()[0]).all((1, 2))
    asked = np.roll(made.asked, 1, 1) if made.following else made.asked  # the token that is asked for
    return asked[:, ~vocabulary.is_special(ids)], same


TRUE_OF = {  # what the sentence about an objective without rates says of its targets, and whether it draws anything
    "objectives.rates.none.clm": (lambda asked: asked[:, 1:].all() and not asked[:, 0].any(), False),
    "objectives.rates.none.bilm": (lambda asked: asked[:, 1:-1].all() and not asked[:, [0, -1]].any(), False),
    "objectives.rates.none.prefix_lm": (lambda asked: (np.diff(asked.astype(int), axis=1) >= 0).all(), True),
    "objectives.rates.none.window": (lambda asked: asked.all(), True),
    "objectives.rates.none.cooccurrence": (lambda asked: asked.all(), False),
}


@pytest.mark.parametrize("name", OBJECTIVES.names())
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_said_about_chance_is_what_two_hundred_draws_do(name: str, language: str) -> None:
    text = WORDS["objectives.default"][language]
    rates, notes = objectives.count(text, name, 0, {}).values()
    said = rates["empty"]["word"]
    if not rates["bars"]:
        assert notes == []
        asked, same = draws(name, text)
        holds, drawn = TRUE_OF.get(said, (lambda asked: said == "objectives.rates.none", not same.all()))
        assert holds(asked) and drawn == (not same.all()), WORDS[said]["en"]
    elif rates["bars"][0]["name"] == {"word": "objectives.rate.asked"}:
        share = draws(name, text)[0].mean(1)
        assert rates["bars"][0]["value"] == pytest.approx(share.mean(), abs=5 * share.std() / 200**0.5 + 1e-9)


def test_an_objective_without_a_sentence_of_its_own_gets_one_that_is_always_true(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(WORDS, "objectives.rates.none.clm")
    assert objectives.count(TEXT, "clm", 0, {})["rates"]["empty"] == {"word": "objectives.rates.none"}


@pytest.mark.parametrize("name", ["whole_word", "ngram", "phrases", "macbert"])
@pytest.mark.parametrize("share", [0.15, 0.5, 0.9])
@pytest.mark.parametrize("text", [TEXT, "Unbelievable antidisestablishmentarianism! So what?", "不得不走了"])
def test_words_have_an_expected_value_only_where_it_is_true(name: str, share: float, text: str) -> None:
    rates, notes = objectives.count(text, name, 3, {"share": share}).values()
    asked = rates["bars"][0]
    if "expected" in asked:
        low, high = asked["band"]
        assert abs(asked["value"] - asked["expected"]) <= high - low + 1e-9
    else:
        assert asked["said"]["word"] == "objectives.rates.counted"
        assert notes[-1][1] == {"word": "objectives.rates.words", "nominal": f"{100 * share:g}"}


def test_long_words_and_crowded_runs_have_no_formula() -> None:
    formulas = {
        (name, share, text): "expected" in objectives.count(text, name, 0, {"share": share})["rates"]["bars"][0]
        for name in ("whole_word", "ngram")
        for share, text in ((0.15, TEXT), (0.9, TEXT), (0.15, "antidisestablishmentarianism"))
    }
    assert list(formulas.values()) == [True, True, False, True, False, False]
