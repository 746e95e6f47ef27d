"""Metrics of fine-tuning: by hand, and against the figures that the field's own implementations give."""

import numpy as np
import pytest

from lab.tasks.metrics.bleu import bleu, corpus_bleu, tokens
from lab.tasks.metrics.bootstrap import interval
from lab.tasks.metrics.calibration import expected_error, reliability
from lab.tasks.metrics.chrf import corpus_chrf
from lab.tasks.metrics.classes import accuracy, confusion_matrix, macro_f1, matthews
from lab.tasks.metrics.correlation import pearson, ranks, spearman
from lab.tasks.metrics.entities import entities, entity_scores
from lab.tasks.metrics.rouge import common, rouge_l
from lab.tasks.metrics.squad import exact_match, overlap_f1
from lab.tasks.metrics.squad import tokens as answer_tokens
from lab.tasks.metrics.wilson import wilson


def test_classes_are_scored_as_t5_s_own_metrics_score_them() -> None:
    assert accuracy(confusion_matrix([0, 0, 2, 1], [0, 1, 2, 1], 3)) == 0.75
    assert macro_f1(confusion_matrix([0, 1, 1, 2], [0, 0, 2, 2], 3)) == pytest.approx(4 / 9)
    assert matthews(confusion_matrix([0, 0, 2, 1], [0, 1, 2, 1], 3)) == pytest.approx(0.7, abs=1e-9)


def test_to_say_the_same_always_or_to_be_wrong_always_tells() -> None:
    assert matthews(confusion_matrix([0, 1, 1], [1, 1, 1], 2)) == 0.0
    assert matthews(confusion_matrix([0, 1], [1, 0], 2)) == pytest.approx(-1)
    assert macro_f1(confusion_matrix([0, 0], [0, 0], 3)) == 1.0, "a class that is nowhere does not count"


def test_calibration_by_hand() -> None:
    """Ten answers of 0.55, six of them right, and ten of 0.95, seven of them right: 5 and 25 points apart, so 15."""
    sure, right = [0.55] * 10 + [0.95] * 10, [True] * 6 + [False] * 4 + [True] * 7 + [False] * 3
    bins = reliability(sure, right)
    assert [(each.low, each.count) for each in bins if each.count] == [(0.5, 10), (0.9, 10)]
    assert (bins[5].accuracy, bins[9].accuracy) == (0.6, 0.7) and bins[5].gap < 0 < bins[9].gap
    assert expected_error(bins) == pytest.approx((0.05 + 0.25) / 2)
    assert expected_error(reliability(sure, right, bins=1)) == pytest.approx(abs(0.75 - 0.65)), "gaps of both signs"


def test_a_bin_holds_its_upper_end_and_the_first_holds_nought() -> None:
    counts = [each.count for each in reliability([0.0, 0.1, 0.1000001, 1.0], [False, True, True, True])]
    assert counts == [2, 1, *[0] * 7, 1]
    assert expected_error(reliability([], [])) == 0.0
    assert expected_error(reliability([1.0, 1.0], [True, True])) == 0.0


def test_correlations_by_hand() -> None:
    assert pearson([0, 2], [0, 1]) == pytest.approx(1) and spearman([0, 2, 1], [0, 1, 2]) == pytest.approx(0.5)
    assert ranks([7, 3, 3, 9]).tolist() == [3, 1.5, 1.5, 4]
    assert spearman([1, 1, 1], [1, 2, 3]) == 0.0 and spearman([1, 10, 100], [5, 6, 7]) == pytest.approx(1)


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_what_never_changes_goes_with_nothing(count: int) -> None:
    """Three times 0.1 has a mean that is not quite 0.1: what is left of each is no correlation."""
    same, others = [0.1] * count, [0.7] * count
    assert pearson(same, others) == pearson(others, same) == pearson(same, range(count)) == 0
    assert spearman(same, range(count)) == 0


def test_entities_are_found_as_seqeval_finds_them() -> None:
    tags = "O O O B-MISC I-MISC I-MISC O B-PER I-PER".split()
    assert entities(tags) == [("MISC", 3, 5), ("PER", 7, 8)]
    assert entities("I-PER I-PER B-PER I-LOC".split()) == [("PER", 0, 1), ("PER", 2, 2), ("LOC", 3, 3)]
    assert entities([]) == entities(["O"]) == []


@pytest.mark.parametrize("marks", ["BIES", "BMES", "BILU"])
def test_tags_may_say_where_an_entity_ends_and_that_it_is_one_word(marks: str) -> None:
    b, i, e, s = (f"{mark}-PER" for mark in marks)
    assert entities([s, s, "O", b, i, e, b, e, s]) == [
        ("PER", 0, 0),
        ("PER", 1, 1),
        ("PER", 3, 5),
        ("PER", 6, 7),
        ("PER", 8, 8),
    ]
    assert entities(["O", s, "O", f"{marks[3]}-LOC"]) == [("PER", 1, 1), ("LOC", 3, 3)]
    assert entity_scores([[s, s]], [[b, e]])["entity_f1"] == 0.0
    assert entities([e, i, e]) == [("PER", 0, 0), ("PER", 1, 2)], "as seqeval's usual mode has it"


def test_only_a_whole_entity_is_right() -> None:
    truth = ["O O O B-M I-M I-M O".split(), "B-PER I-PER O".split()]
    said = ["O O B-M I-M I-M I-M O".split(), "B-PER I-PER O".split()]
    assert entity_scores(truth, said) == {"entity_f1": 0.5, "precision": 0.5, "recall": 0.5}
    lenient = entity_scores(["B-PER I-PER O".split()], ["I-PER I-PER O".split()])
    assert lenient["entity_f1"] == 1.0, "the lenient mode, as the file says"
    assert entity_scores([["B-A"]], [["O"]])["entity_f1"] == 0.0 and entity_scores([["O"]], [["O"]])["entity_f1"] == 0


@pytest.mark.parametrize(
    ("said", "answers", "exact", "overlap"),
    [
        ("\u2018a big  Moose!\u2018", ["big moose", "hippo"], 0, 0.4),
        ("wrong", ["correct1"], 0, 0),
        ("correct2.2", ["correct2.1", "correct2.2"], 1, 1),
        ("abd", ["abc abd", "$$$$"], 0, 2 / 3),
        ("", ["a b c"], 0, 0),
        ("", [], 1, 1),
        ("something", [], 0, 0),
        ("The cat!", ["cat"], 1, 1),
        ("小镇的图书馆。", ["图书馆"], 0, 2 * 3 / (6 + 3)),
        ("「图书馆」", ["图书馆"], 1, 1),
    ],
)
def test_answers_are_compared_as_squad_does(said: str, answers: list[str], exact: float, overlap: float) -> None:
    assert exact_match(said, answers) == exact and overlap_f1(said, answers) == pytest.approx(overlap)


def test_an_answer_is_normalised_as_t5_s_tests_say() -> None:
    text = "`Needs\tA_LOT of the 'normalization'.\"\u2018"
    assert " ".join(answer_tokens(text)) == "needs alot of normalization\u2018"


def test_bleu_gives_sacrebleu_s_own_figures() -> None:
    said = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    references = [
        ["The dog bit the man.", "The dog had bit the man."],
        ["It was not unexpected.", "No one was surprised."],
        ["The man bit him first.", "The man had bitten the dog."],
    ]
    assert corpus_bleu(said, references) == pytest.approx(48.5308, abs=1e-4)
    assert bleu([9, 7, 5, 3], [10, 8, 6, 4], 10, 10) == pytest.approx(83.75922, abs=1e-5)
    assert corpus_bleu(["", "", ""], references) == 0.0


def test_what_is_short_pays_for_it_and_what_is_half_right_counts_a_little() -> None:
    words = "one two three four five"
    assert corpus_bleu([words], [[words + " six seven"]]) == pytest.approx(100 * np.exp(1 - 7 / 5))
    # One of four 2-grams, none of three 3-grams (counted as a half) and none of two 4-grams (a quarter).
    mixed = corpus_bleu(["a b x c d"], [["a b y c z"]])
    assert mixed == pytest.approx(100 * (3 / 5 * 1 / 4 * 0.5 / 3 * 0.25 / 2) ** 0.25)


def test_bleu_reads_chinese_by_character_and_numbers_whole() -> None:
    assert tokens("我在NBA看1,234.5分。", chinese=True) == ["我", "在", "NBA", "看", "1,234.5", "分", "。"]
    assert tokens("It's &quot;fine&quot;, 3.5-4!") == ["It's", '"', "fine", '"', ",", "3.5", "-", "4", "!"]
    assert corpus_bleu(["猫坐在垫子上。"], [["猫坐在垫子上。"]]) == pytest.approx(100)
    # sacrebleu 2.6.0, tokenize="zh": dashes and ellipses stand alone, and nothing is unescaped.
    dashes = corpus_bleu(["我想——也许——可以……"], [["我想——大概——可以……"]])
    escaped = corpus_bleu(["汤姆 &amp; 玛丽"], [["汤姆 &amp; 玛丽 来 了"]])
    assert (dashes, escaped) == pytest.approx((63.40466277, 75.14772931))


def test_chrf_by_hand() -> None:
    # abc in abd: two of three letters, one of two pairs, no triple, on both sides alike.
    assert corpus_chrf(["abc"], [["abd"]]) == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)
    # Recall counts more: precision 1 and recall 1/2 of letters, 1 and 1/3 of pairs.
    precision, recall = 1.0, (2 / 4 + 1 / 3) / 2
    assert corpus_chrf(["ab"], [["ab cd"]]) == pytest.approx(100 * 5 * precision * recall / (4 * precision + recall))
    assert corpus_chrf(["xyz"], [["abc", "x y z"]]) == pytest.approx(100) and corpus_chrf([""], [["a"]]) == 0
    # Of letters 3 of 5 that were written, and all 3 of the references. The reference a has no pairs, so that those of
    # abc do not count: 1 of 1 pair. No triples.
    precision, recall = (3 / 5 + 1) / 2, 1.0
    found = corpus_chrf(["abc", "xy"], [["a"], ["xy"]])
    assert found == pytest.approx(100 * 5 * precision * recall / (4 * precision + recall))


def test_rouge_gives_the_figures_of_google_s_own_tests() -> None:
    assert rouge_l("testing one", ["testing one two"]) == pytest.approx(0.8)
    assert rouge_l("testing two", ["testing one two"]) == pytest.approx(0.8)
    assert rouge_l("", ["testing one two"]) == 0 and common([1, 2, 3, 4, 5], [2, 5, 3, 4]) == 3  # type: ignore[list-item]
    assert rouge_l("猫在上面", ["一只猫在上"]) == pytest.approx(2 * 3 / (4 + 5))


def test_the_interval_of_a_mean_is_that_of_its_standard_error() -> None:
    values = np.random.default_rng(1).normal(size=400)
    alone = [[n] for n in range(400)]
    low, high = interval(lambda numbers: float(values[numbers].mean()), alone)
    error = values.std() / 400**0.5
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.25 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.25 * error)
    assert interval(lambda numbers: 0.5, alone[:3]) == (0.5, 0.5)


def test_what_is_asked_of_one_story_is_drawn_together() -> None:
    right = np.repeat(np.arange(50) % 2, 8)  # of each story all eight questions, or none
    together = [[*range(n, n + 8)] for n in range(0, 400, 8)]

    def width(stories: list[list[int]]) -> float:
        low, high = interval(lambda numbers: float(right[numbers].mean()), stories)
        return high - low

    assert width(together) == pytest.approx(2 * 1.96 * 0.5 / 50**0.5, rel=0.2), "fifty stories tell no more than fifty"
    assert width([[n] for n in range(400)]) < width(together) / 2


def test_wilson_s_interval_by_hand() -> None:
    low, high = wilson(0.5, 100)  # Wilson 1927: (0.4038, 0.5962)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)
    assert wilson(1.0, 10)[0] == pytest.approx(0.7225, abs=1e-3)
    assert all(wilson(0.0, n)[0] >= 0 and wilson(1.0, n)[1] <= 1 for n in range(1, 1000))
    low, high = wilson(1.0, 20)  # 1 / (1 + 1.96² / 20): twenty of twenty are not yet all
    assert low == pytest.approx(0.8389, abs=1e-4) and high == pytest.approx(1)
