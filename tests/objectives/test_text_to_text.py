"""T5's other objectives: the paper's sentence by hand, the functions of the published code, shares and restoring."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scripted import SIX, Scripted

from lab.noise import Dice
from lab.objectives.parts.sentinels import SENTINELS
from lab.objectives.text_to_text import WAYS, TextToText, missing, seq2seq, text_to_text
from lab.vocabulary import Vocabulary

SIZE = 1106
WORDS = Vocabulary(size=SIZE, specials={**SIX.specials, **{name: SIZE - 1 - n for n, name in enumerate(SENTINELS)}})
END, PAD, MASK = WORDS.separate, WORDS.pad, WORDS.mask
X, Y = SIZE - 1, SIZE - 2  # the first two marks
TEN = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]  # Thank you for inviting me to your party last week
FALLS = [0.9, 0.8, 0.1, 0.05, 0.7, 0.6, 0.5, 0.4, 0.12, 0.3]  # of which "for", "inviting" and "last" fall


@pytest.mark.parametrize(
    ("way", "more", "source", "answer"),
    [
        ("bert_style", [[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, 0.5]],
         [10, 11, MASK, MASK, 14, 15, 16, 17, 506, 19, END], [*TEN, END]),
        ("mass_style", [], [10, 11, MASK, MASK, 14, 15, 16, 17, MASK, 19, END], [*TEN, END]),
        ("replace_spans", [], [10, 11, X, 14, 15, 16, 17, Y, 19, END], [X, 12, 13, Y, 18, END]),
        ("drop_tokens", [], [10, 11, 14, 15, 16, 17, 19, END], [12, 13, 18, END]),
        ("deshuffling", [], [13, 12, 18, 19, 17, 16, 15, 14, 11, 10, END], [*TEN, END]),
        ("prefix", [], [*TEN[:9], END], [19, END]),  # the first number, 0.9, is for the cut
    ],
)  # fmt: skip
def test_ten_words_by_hand(way: str, more: list[list[float]], source: list[int], answer: list[int]) -> None:
    dice = Scripted(FALLS, [0.5] * 10, *more)  # a random token is the middle one of the thousand
    exercise = text_to_text(np.array([TEN]), TextToText(way=way), WORDS, dice)
    assert exercise.source is not None and exercise.source.tolist() == [source]
    assert exercise.answers.tolist() == [answer] and exercise.shown.tolist() == [[PAD, *answer[:-1]]]
    assert exercise.asked.all() and exercise.following and not dice.left


def test_what_begins_with_a_gap_says_it_behind_its_mark() -> None:
    dice = Scripted([0.1, 0.1, 0.9, 0.9, 0.1, 0.9], [0.5] * 6)
    exercise = text_to_text(np.array([TEN[:6]]), TextToText(way="replace_spans"), WORDS, dice)
    assert exercise.source is not None and exercise.source.tolist() == [[X, 12, 13, Y, 15, END]]
    assert exercise.answers.tolist() == [[X, 10, 11, Y, 14, END]]


def restored(way: str, source: list[int], answer: list[int]) -> list[int] | None:
    """The text that source and answer speak of, if they say it."""
    if way in ("bert_style", "mass_style", "deshuffling"):
        return answer
    if way == "prefix":
        return source + answer
    if way == "drop_tokens":
        return None  # where the dropped ones stood, nobody says
    behind: dict[int, list[int]] = {}
    for number in answer:
        if number >= SIZE - 100:
            behind[number] = []
        else:
            behind[[*behind][-1]].append(number)
    return [token for number in source for token in behind.get(number, [number])]


def texts(rows: int, tokens: int) -> NDArray[np.int64]:
    ids = np.random.default_rng(1).integers(6, 1006, (rows, tokens))
    ids[:, tokens - 5 :] = np.where(np.arange(rows)[:, None] % 2, PAD, ids[:, tokens - 5 :])
    ids.setflags(write=False)
    return ids


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("share", [0.15, 0.6])
def test_source_and_answer_give_the_text_back(way: str, share: float) -> None:
    ids = texts(300, 40)
    exercise = text_to_text(ids, TextToText(way=way, share=share), WORDS, Dice(2, np.arange(300)))
    assert exercise.source is not None and exercise.source_real is not None and exercise.real is not None
    for n, row in enumerate(ids):
        text = row[row != PAD].tolist()
        source, answer = exercise.source[n, exercise.source_real[n]].tolist(), exercise.answers[n, exercise.real[n]]
        assert source.pop() == END and answer[-1] == END and len(source) <= 41 and len(answer) <= 42
        said = restored(way, source, answer[:-1].tolist())
        assert said == text if said is not None else sorted([*source, *answer[:-1]]) == sorted(text)
        if way == "deshuffling":
            assert sorted(source) == sorted(text)


def test_every_order_of_a_shuffled_text_is_as_likely() -> None:
    ids = np.tile([10, 11, 12, 13], (24_000, 1))
    exercise = text_to_text(ids, TextToText(way="deshuffling"), WORDS, Dice(3, np.arange(24_000)))
    assert exercise.source is not None
    _, found = np.unique(exercise.source, axis=0, return_counts=True)
    assert len(found) == 24 and ((found - 1000) ** 2 / 1000).sum() < 49.7  # 23 degrees, one in a thousand


@pytest.mark.parametrize("way", WAYS)
def test_as_much_is_missing_as_arithmetic_says(way: str) -> None:
    s, ids = TextToText(way=way), np.tile(np.arange(10, 40), (10_000, 1))
    exercise = text_to_text(ids, s, WORDS, Dice(4, np.arange(10_000)))
    assert exercise.source is not None
    left = (~WORDS.is_special(exercise.source)).sum(1) / 30
    assert abs((1 - left.mean()) - missing(ids[0], s, WORDS)) < 4 * left.std() / 100 + 1e-9


def test_a_tenth_of_what_falls_is_random_in_berts_way() -> None:
    ids = np.tile(np.arange(10, 60), (10_000, 1))
    exercise = text_to_text(ids, TextToText(), WORDS, Dice(5, np.arange(10_000)))
    assert exercise.source is not None
    source = exercise.source[:, :-1]
    masked, random = (source == MASK).sum(), ((source != MASK) & (source != ids)).sum()
    assert abs(random / (masked + random) - 0.0999) < 0.0044  # 75,000 draws: four standard deviations
    assert abs((masked + random) / ids.size - 0.15) < 0.0021


def test_no_text_has_more_gaps_than_there_are_marks() -> None:
    ids = np.random.default_rng(0).integers(6, 1006, (4, 2000))
    exercise = text_to_text(ids, TextToText(way="replace_spans"), WORDS, Dice(6, np.arange(4)))
    assert exercise.source is not None
    assert ((exercise.source >= SIZE - 100).sum(1) == 100).all()


def test_a_trained_model_is_asked_as_it_learnt() -> None:
    text = np.array([7, MASK, MASK, 8])
    ways = {way: seq2seq(TextToText(way=way)) for way in WAYS}
    assert ways["mass_style"].read(text, WORDS).tolist() == [7, MASK, MASK, 8, END]
    assert ways["replace_spans"].read(text, WORDS).tolist() == [7, X, 8, END]
    assert ways["drop_tokens"].read(text, WORDS).tolist() == [7, 8, END]
    source = ways["bert_style"].read(text, WORDS)
    (between,) = ways["bert_style"].gaps(source, np.array([7, 20, 21, 8]), WORDS)
    assert (between.place, between.before.tolist()) == (range(1, 3), [7]) and {8, END} <= between.leaves
    (whole,) = ways["drop_tokens"].gaps(source, np.array([20, 21]), WORDS)
    assert (whole.place, whole.before.tolist()) == (range(2), []) and END in whole.leaves


def test_the_ways_that_need_no_rate_are_named_beside_it() -> None:
    ids = np.tile(TEN * 4, (8, 1))
    idle = []
    for way in WAYS:
        few, many = (
            text_to_text(ids, TextToText(way=way, share=share), WORDS, Dice(1, np.arange(8))) for share in (0.1, 0.6)
        )
        if np.array_equal(few.source, many.source) and np.array_equal(few.answers, many.answers):
            idle.append(way)
    assert idle == ["prefix", "deshuffling"]
    said = TextToText.knobs()["share"].metadata["knob"]
    assert said.en.endswith("(not for prefix and deshuffling)") and said.zh.endswith("（前缀和还原打乱不用）")
