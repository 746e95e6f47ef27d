"""Exposure bias: windows by hand, beginnings that end with a word, and a model whose own texts are what it expects."""

import numpy as np
import pytest
from bigram import knowing

from lab.inference.exposure_bias import Begun, Surprise, begun, continuations, surprise


def test_windows_by_hand() -> None:
    texts = [np.array([1.0, 3.0, 5.0, 5.0, 9.0]), np.array([3.0, 3.0]), np.array([4.0])]
    along = Surprise.of(texts, 2)
    assert along.mean.tolist() == [2.5, 5.0] and along.texts.tolist() == [2, 1]
    assert along.error[0] == pytest.approx(np.std([2, 3], ddof=1) / 2**0.5) and np.isnan(along.error[1])
    assert Surprise.of([], 2).mean.shape == Surprise.of([np.zeros(1)], 2).mean.shape == (0,)


def test_a_beginning_ends_with_a_word_and_never_with_a_blank() -> None:
    assert begun("One morning she left the house.", 6) == Begun("One morning", " she left the house.")
    assert begun("One morning she left the house.", 4) == Begun("One", " morning she left the house.")
    assert begun("玛雅在面包店当面包师。", 4) == Begun("玛雅在面", "包店当面包师。")
    assert begun("short", 4) is None and begun("    " * 4, 4) is None and begun("", 4) is None


def test_the_same_dice_write_the_same_and_greedy_is_surprised_least() -> None:
    trained = knowing("abacabaca", context=512)
    texts = [Begun("ab", "acaba"), Begun("a", "b")]
    assert [len(bits) for bits in surprise(trained, texts)] == [5, 1]
    pure, again = ([text for drawn in continuations(trained, texts, [], 4, 60) for text in drawn] for _ in range(2))
    assert pure == again and len({*pure}) == 8
    (greedy,) = next(continuations(trained, texts, [("greedy", {})], 1, 6))
    assert greedy in ("ababab", "acacac", "abacab", "acabac")
    least = surprise(trained, [Begun("ab", greedy)])[0]
    assert least.mean() < min(bits.mean() for bits in surprise(trained, [Begun("ab", text) for text in pure if text]))
