"""Top-k accuracy, on models and counts whose guesses are known beforehand."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import finished, plan

from lab.analysis.top_k_accuracy import TopK, _asked, _count, of_baselines, of_model
from lab.batch import Batch
from lab.catalog import BENCHMARKS, OBJECTIVES, TOKENIZERS
from lab.data.baselines import Counts
from lab.data.corpus import marked
from lab.inference.model import Trained, build
from lab.objectives.parts.sentinels import SENTINELS
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.vocabulary import SPECIALS

TEXTS = ["the cat sat on the mat", "the dog sat on the cat", "猫坐在垫子上。"] * 3


@pytest.fixture(scope="module")
def words() -> Tokenizer:
    entry = TOKENIZERS["byte_bpe"]
    tokenizer: Tokenizer = entry.build(TEXTS, entry.settings(vocabulary=300))
    return tokenizer


def test_ranks_become_shares_of_all_words() -> None:
    assert TopK.of(10, [0, 0, 3, 4, 5]) == TopK(asked=10, whole=5, top1=0.2, top5=0.4)
    assert TopK.of(0, []) == TopK(0, 0, 0.0, 0.0)


def test_a_word_of_several_tokens_is_asked_once_and_missed(words: Tokenizer) -> None:
    ids = words.encode("the zebra sat.")
    spelt = [piece.text for piece in words.pieces(ids)]
    assert spelt[0] == "the" and spelt[-2:] == [" sat", "."] and len(spelt) > 4
    assert [text for text, asked in zip(spelt, _asked(words, ids), strict=True) if asked] == ["the", " sat"]
    assert _count(words, ["the zebra sat."]) == 3
    assert _count(words, ["... !?", ""]) == 0


def test_a_chinese_token_is_a_word(words: Tokenizer) -> None:
    entry = TOKENIZERS["byte_bpe"]
    tokenizer = entry.build(TEXTS, entry.settings(vocabulary=4500, chinese="characters"))
    ids = tokenizer.encode("猫坐在垫子上。")
    assert _asked(tokenizer, ids).tolist() == [True] * 6 + [False]


class Knowing(torch.nn.Module):
    """Holds the tokens of a list likeliest, in that order, wherever it is asked."""

    def __init__(self, likely: list[int], size: int) -> None:
        super().__init__()
        self.register_buffer("logits", torch.zeros(size))
        self.logits[likely] = torch.arange(len(likely), 0, -1.0)

    def forward(self, batch: object) -> object:
        asked = len(batch.answers)  # type: ignore[attr-defined]
        return type("Output", (), {"tokens": self.logits.repeat(asked, 1)})


@pytest.mark.parametrize("objective", [{}, {"model": "gpt", "objective": "clm"}], ids=["gaps", "next"])
def test_a_model_is_asked_for_every_word(words: Tokenizer, objective: dict[str, str]) -> None:
    run = plan(**objective)
    the, sat = words.encode("the")[0], words.encode(" sat")[0]
    special = len(SPECIALS) - 1
    trained = Trained(run, Knowing([special, int(sat), int(the)], words.vocabulary.size), words)
    heard = of_model(trained, ["the cat sat on the mat"])
    assert heard.asked == 6 and heard.top1 == pytest.approx(1 / 6)  # a special token is no guess
    assert heard.top5 >= 2 / 6


def test_a_model_that_writes_spans_is_asked_behind_its_sentinel(words: Tokenizer) -> None:
    run = plan(model="t5", objective="span_corruption")
    tokenizer = marked(words, OBJECTIVES["span_corruption"])
    the, sat, first = tokenizer.encode("the")[0], tokenizer.encode(" sat")[0], tokenizer.vocabulary.role(SENTINELS[0])
    heard: list[Batch] = []

    class Listening(Knowing):
        def forward(self, batch: object) -> object:
            heard.append(batch)  # type: ignore[arg-type]
            return super().forward(batch)

    knowing = Listening([int(first), int(sat), int(the)], tokenizer.vocabulary.size)
    found = of_model(Trained(run, knowing, tokenizer), ["the cat sat on the mat"])
    assert found.asked == 6 and found.top1 == pytest.approx(1 / 6)  # the sentinel itself is no guess
    (batch,) = heard
    assert batch.source is not None and batch.asked is not None and batch.answers is not None
    ids = tokenizer.encode("the cat sat on the mat")
    for row, answer in enumerate(batch.answers.tolist()):
        gap = batch.source[row].tolist().index(first)
        assert [*ids[:gap], answer, *ids[gap + 1 :]] == ids.tolist()
        assert batch.source[row].tolist() == [*ids[:gap], first, *ids[gap + 1 :], tokenizer.vocabulary.separate]
        assert batch.shown[row].tolist() == [tokenizer.vocabulary.pad, first]
    assert batch.asked.tolist() == [2 * row + 1 for row in range(len(batch.answers))]


def test_a_model_that_writes_whole_texts_is_refused(words: Tokenizer) -> None:
    run = plan(model="bart", objective="denoising")
    with pytest.raises(SettingsError, match="writes whole texts"):
        of_model(Trained(run, build(run, words.vocabulary.size, 0), words), TEXTS)


def test_the_bigram_guesses_what_followed_most_often(words: Tokenizer) -> None:
    ids = np.concatenate([words.encode("the cat the cat the dog the mat"), [words.vocabulary.end]])
    counts = Counts.of(ids, words.vocabulary.size)
    found = of_baselines(counts, words, ["the cat"])
    assert found["bigram"].top1 >= 0.5 and found["unigram"].top5 == 1.0
    rare = of_baselines(counts, words, ["the mat"])
    assert rare["bigram"].top1 < found["bigram"].top1 + 1e-9 and rare["bigram"].top5 >= 0.5


def test_the_ordinary_sentences_are_two_hundred_of_each_language() -> None:
    for name in ("english", "chinese"):
        lines = (Path(__file__).parent / "ordinary" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(set(lines)) == 200 and all(line.strip() == line != "" for line in lines)


def test_the_bench_of_ordinary_sentences_holds_a_run_against_counting(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("Anna went to the market.\nShe was happy.\n", encoding="utf-8")
    folder = finished(tmp_path / "run")
    told: list[str] = []
    entry = BENCHMARKS["ordinary"]
    both = {language: str(tmp_path / "some.txt") for language in ("english", "chinese")}
    settings = entry.settings(runs=str(folder.path), **both)
    document, lines = entry.build(("town_en", {"stories": 40}), settings, told.append)
    found = document["runs"][str(folder.path)]["english"]
    assert lines == told and len(lines) == 2 and "top-1 and top-5 of 8 words" in lines[0]
    assert set(found) == {"model", "unigram", "bigram"}
    assert all(0 <= top["top1"] <= top["top5"] <= 1 for top in found.values())
