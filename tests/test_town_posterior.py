"""What may stand in a gap of a story: held against all the stories that a tiny town can tell."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from math import isclose, log
from random import Random
from typing import Any

import pytest
from test_town_probability import Everything, tiny  # noqa: F401

from lab.corpora.town import story
from lab.corpora.town.posterior import BestGuess, fillings, retellings
from lab.corpora.town_stories import NARRATORS, WORD, Tongue, Town, best_guess, document, retold


def one_word(language: Tongue) -> Callable[[str], bool]:
    return lambda filling: bool(WORD[language].fullmatch(filling))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("tiny")
def test_every_gap_of_a_tiny_town_has_the_posterior_that_counting_all_stories_gives(
    language: Tongue, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrator, dice = NARRATORS[language], list[Any]()
    every = defaultdict[str, float](float)
    with monkeypatch.context() as patch:
        patch.setattr(story, "Random", lambda _: type("Dice", (), {"random": staticmethod(lambda: dice[0]())}))

        def told(random: Any) -> str:
            dice[:] = [random]
            return narrator.tell(story.tell(0, 0), random)

        for text, probability in Everything().each(told):
            every[text] += probability
    surprisals = {text: -log(probability) for text, probability in every.items()}
    open_gaps = 0
    for number in range(25):
        texts = retellings(0, number, narrator, partial(_numbers, number))
        assert {*texts} <= {*every}
        text = narrator.tell(story.tell(0, number), _numbers(number))
        for gap in WORD[language].finditer(text):
            exact, ours = (fillings(those, text, *gap.span(), one_word(language)) for those in (surprisals, texts))
            assert ours == pytest.approx(exact), (text, gap)
            open_gaps += len(exact) > 1
    assert open_gaps > 40


def _numbers(number: int) -> Callable[[], float]:
    return Random(f"0:{number}").random


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_story_is_among_its_retellings_and_no_surer_than_it_was_drawn(language: Tongue) -> None:
    for number in range(3):
        drawn, texts = document(5, number, language), retold(5, number, language)
        assert drawn.nats is not None and texts[drawn.text] <= drawn.nats + 1e-9 and len(texts) > 100
        for gap in WORD[language].finditer(drawn.text):
            likely = fillings(texts, drawn.text, *gap.span())
            assert gap.group() in likely and isclose(sum(likely.values()), 1)
            assert [*likely.values()] == sorted(likely.values(), reverse=True)


def test_a_gap_of_one_word_is_filled_with_one_word() -> None:
    texts = {"Yet she ran.": 1.0, "In the end she ran.": 1.0, "But she ran.": 1.0 + log(2), "But he sat.": 0.0}
    assert fillings(texts, "Yet she ran.", 0, 3) == pytest.approx({"Yet": 0.4, "In the end": 0.4, "But": 0.2})
    one = fillings(texts, "Yet she ran.", 0, 3, one_word("en"))
    assert one == pytest.approx({"Yet": 2 / 3, "But": 1 / 3})


def test_the_best_guess_is_counted_over_all_words() -> None:
    guess, texts = BestGuess(), {"a b": 1.0, "a c": 1.0 + log(3)}
    guess.add(texts, "a b", WORD["en"])
    guess.add(texts, "a c", WORD["en"])
    assert guess.words == 4 and guess.right == pytest.approx(1 + 1 + 0.75 + 0.75)
    assert guess.nats == pytest.approx(-log(0.75) - log(0.25))


def test_most_words_of_the_town_follow_from_the_rest_and_some_do_not() -> None:
    guess = best_guess(Town(stories=10, seed=3), "en", 10)
    assert 0.85 < guess.right / guess.words < 0.99 and 0.03 < guess.nats / guess.words < 0.3
