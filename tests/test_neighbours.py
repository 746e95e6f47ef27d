"""Neighbours and analogies: by the angle, without what was asked for, for whatever has a table of tokens."""

import copy
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import finished
from torch import nn

from lab.analysis.count import ASSETS
from lab.analysis.preview import corrupt
from lab.catalog import CORPORA, OBJECTIVES, TOKENIZERS
from lab.cli.main import main
from lab.data.corpus import prepare
from lab.inference.model import Trained, load
from lab.inference.neighbours import analogy, directions, neighbours, similar, tokens_of
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.word_borders import kind


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A model whose vectors are set by hand: of its five words the first two are apart from the next two by the same
    step; the last is the first twice as long."""
    found = load(finished(tmp_path_factory.mktemp("near") / "run", model="word2vec", training={"steps": 1, "batch": 4}))
    table = found.model.embed.tokens.weight  # type: ignore[union-attr]
    vectors = ((1, 0, 1), (0, 1, 1), (1, 0, -1), (0, 1, -1), (2, 0, 2))
    with torch.no_grad():
        table.copy_(torch.eye(table.shape[1])[-1] * -1)  # type: ignore[operator, index]
        for word, vector in zip(five(found), vectors, strict=True):
            (row,) = tokens_of(found, word)
            table[row] = 0  # type: ignore[index, operator]
            table[row, :3] = torch.tensor(vector, dtype=torch.float32)  # type: ignore[index, operator]
    return found


def five(trained: Trained) -> list[str]:
    """Words that are one token each and stand often in what was learnt from."""
    assert trained.counts is not None
    pieces = trained.tokenizer.pieces(np.flatnonzero(trained.counts > 20).tolist())
    return [piece.text.strip() for piece in pieces if kind(piece.bytes) == "blank letter" and piece.text.isascii()][:5]


def test_the_nearest_is_the_one_in_the_same_direction_whatever_its_length(trained: Trained) -> None:
    a, b, _, _, e = five(trained)
    found = neighbours(trained, a, best=2)
    assert found[0].token.strip() == e and found[0].cosine == pytest.approx(1)
    assert found[1].token.strip() == b and found[1].cosine == pytest.approx(0.5)


def test_an_analogy_completes_the_parallelogram_without_naming_what_was_given(trained: Trained) -> None:
    a, b, c, d, _ = five(trained)
    assert analogy(trained, [a, b, c], best=1)[0].token.strip() == d


def test_a_word_of_several_tokens_has_the_mean_of_their_vectors(trained: Trained) -> None:
    a, b, *_ = five(trained)
    both = tokens_of(trained, f"{a} {b}")
    assert both == tokens_of(trained, a) + tokens_of(trained, b)
    near = neighbours(trained, f"{a} {b}", best=1)[0]  # (1, 1, 2) / 2 is nearest to the first, twice as long
    assert near.token.strip() == five(trained)[4] and near.cosine == pytest.approx(3 / math.sqrt(12))


def test_neighbours_of_a_word_open_words_themselves(trained: Trained) -> None:
    """Ends of words, punctuation and bytes are not what one asks for."""
    every = neighbours(trained, five(trained)[0], best=10**6)
    pieces = trained.tokenizer.pieces([near.id for near in every])
    assert len(every) > 5 and {kind(piece.bytes) for piece in pieces} == {"blank letter"}


def test_vectors_have_length_one_and_special_tokens_are_never_near(trained: Trained) -> None:
    assert directions(trained).norm(dim=1).tolist() == pytest.approx([1.0] * trained.tokenizer.vocabulary.size)
    every = neighbours(trained, five(trained)[0], best=10**6)
    assert not {each.id for each in every} & set(trained.tokenizer.vocabulary.specials.values())


def test_what_is_no_token_or_has_no_vectors_is_refused_in_words(trained: Trained, tmp_path) -> None:  # type: ignore[no-untyped-def]
    for nothing in ("", "  "):
        with pytest.raises(SettingsError, match="is nothing that this model has tokens for"):
            neighbours(trained, nothing)
    counted = load(finished(tmp_path / "n", model="ngram", training={"steps": 1, "batch": 4}))
    assert not [part for part in counted.model.modules() if isinstance(part, nn.Embedding)]
    with pytest.raises(SettingsError, match="no token embeddings"):
        neighbours(counted, "a")


def test_the_command_line_answers_in_json(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    run = str(finished(tmp_path / "run", model="lstm", training={"steps": 1, "batch": 4}).path)
    assert main(["neighbours", "--run", run, "--word", "a", "--best", "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nearest"]) == 3
    assert main(["neighbours", "--run", run, "--analogy", "a", "b", "c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["analogy"] == ["a", "b", "c"]
    assert main(["neighbours", "--run", run]) == 2


@pytest.fixture
def twins(trained: Trained) -> tuple[Trained, bytes, bytes]:
    """The same model, in which two tokens of one kind point the same way, and how these are spelt."""
    found = copy.deepcopy(trained.model)
    pieces = trained.tokenizer.pieces(range(trained.tokenizer.vocabulary.size))
    assert trained.counts is not None
    common = [piece for piece in pieces if kind(piece.bytes) == "blank letter" and trained.counts[piece.id] > 20]
    one, two = common[:2]
    with torch.no_grad():
        found.embed.tokens.weight[one.id] = torch.arange(16.0)  # type: ignore[union-attr, index, operator]
        found.embed.tokens.weight[two.id] = 2 * torch.arange(16.0)  # type: ignore[union-attr, index, operator]
    return replace(trained, model=found), one.bytes, two.bytes


def test_tokens_of_one_kind_are_similar_where_their_vectors_point_the_same_way(
    twins: tuple[Trained, bytes, bytes],
) -> None:
    trained, *spelt = twins
    rows = similar(trained, trained.tokenizer, best=3)
    pieces = trained.tokenizer.pieces(range(trained.tokenizer.vocabulary.size))
    one, two = (next(piece.id for piece in pieces if piece.bytes == each) for each in spelt)
    assert rows[one][0] == two and rows[two][0] == one
    cosines = directions(trained) @ directions(trained).T
    for own, row in enumerate(rows):
        assert (
            len(row) <= 3 and own not in row and {kind(pieces[each].bytes) for each in row} <= {kind(pieces[own].bytes)}
        )
        assert sorted(row, key=lambda each: -cosines[own, each]) == row or len({*cosines[own, row].tolist()}) < len(row)
    assert not any(rows[special] for special in trained.tokenizer.vocabulary.specials.values())


def test_rare_tokens_have_no_neighbours_and_are_nobodys(trained: Trained) -> None:
    assert trained.counts is not None
    rare = {*np.flatnonzero(trained.counts < 10).tolist()}
    rows = similar(trained, trained.tokenizer)
    assert rare and not any(rows[own] for own in rare) and not rare & {each for row in rows for each in row}
    word, rarely = five(trained)[:2]
    counts = trained.counts.copy()
    (own,) = tokens_of(trained, rarely)
    counts[own] = 9
    every = {near.id for near in neighbours(trained, word, best=10**6)}
    assert {near.id for near in neighbours(replace(trained, counts=counts), word, best=10**6)} == every - {own}
    assert own in every
    assert every <= {near.id for near in neighbours(replace(trained, counts=None), word, best=10**6)}


def test_counts_are_those_of_the_text_that_is_learnt_from_and_damaged_ones_are_none(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", model="lstm", training={"steps": 1, "batch": 4})
    found = load(folder)
    train = prepare(folder).train.ids
    assert found.counts is not None
    assert found.counts.tolist() == np.bincount(train, minlength=found.tokenizer.vocabulary.size).tolist()
    for damaged in ("", "[]", '{"counts": [1, 2]}', json.dumps({"counts": ["1"] * len(found.counts)})):
        (folder.path / "token_counts.json").write_text(damaged, encoding="utf-8")
        assert load(folder).counts is None


def test_a_tokenizer_of_another_run_is_told_by_the_spelling_of_its_tokens(twins: tuple[Trained, bytes, bytes]) -> None:
    trained, *spelt = twins
    town = CORPORA["town_en"]
    other = TOKENIZERS["byte_bpe"].build(
        [each.text for each in town.build(town.settings(stories=60))], TOKENIZERS["byte_bpe"].settings(vocabulary=500)
    )
    known = [piece.bytes for piece in other.pieces(range(500))]
    one, two = map(known.index, spelt)
    told = other.with_neighbours(similar(trained, other))
    assert other.vocabulary.neighbours is None and told.vocabulary.alike[one, 0] == two


def test_neighbours_are_kept_with_the_tokenizer_and_put_in_the_place_of_words(trained: Trained, tmp_path: Path) -> None:
    told = trained.tokenizer.with_neighbours(similar(trained, trained.tokenizer))
    again = Tokenizer.load(told.with_special_tokens(["[MORE]"]).save())
    assert again.neighbours == told.neighbours
    assert (
        np.array_equal(again.vocabulary.alike[:-1], told.vocabulary.alike) and (again.vocabulary.alike[-1] == -1).all()
    )
    found = corrupt("b a", OBJECTIVES["macbert"], again, {"share": 1.0, "similar": 1.0, "random": 0.0})
    places = {*told.encode(" a").tolist()}
    at = np.flatnonzero(np.isin(found.original, [*places]))
    assert set(found.exercise.shown[0, at]) <= {*told.vocabulary.alike[[*places]].ravel().tolist()}
    broken = json.loads(told.save()) | {"neighbours": [[5, 10**6, -4], [7]]}
    assert Tokenizer.load(json.dumps(broken)).vocabulary.alike[:2, 0].tolist() == [5, 7]


def test_a_run_takes_the_neighbours_of_another_and_keeps_them(trained: Trained, tmp_path: Path) -> None:
    vectors = str(finished(tmp_path / "vectors", model="word2vec", training={"steps": 1, "batch": 4}).path)
    sizes = "--width 16 --depth 1 --heads 2 --context 16 --batch 4 --threads 1 --stories 40 --steps 2".split()
    line = ["pretrain", "--model", "macbert", *sizes, "--neighbours", vectors, "--out", str(tmp_path / "run"), "--json"]
    assert main(line) == 0
    folder = RunFolder.open(tmp_path / "run")
    known = folder.tokenizer()
    assert known is not None and known.neighbours and folder.run.neighbours == vectors
    refused = [*line[:-2], str(tmp_path / "other"), "--tokenizer", "char_bpe", "--json"]
    assert main(refused) == 2
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "tokenizer.json").write_text(load(RunFolder.open(Path(vectors))).tokenizer.save(), encoding="utf-8")
    assert main(["neighbours", "--run", vectors, "--tokenizer", str(kept), "--best", "2", "--json"]) == 0
    told = Tokenizer.load((kept / "tokenizer.json").read_text(encoding="utf-8"))
    assert told.neighbours and max(map(len, told.neighbours)) == 2


def test_the_shipped_bert_knows_which_of_its_tokens_mean_about_the_same() -> None:
    """Else a page that replaces words by similar ones would take those next in the alphabet."""
    tokenizer = load(RunFolder(ASSETS / "runs" / "bert-town")).tokenizer
    alike = tokenizer.vocabulary.alike
    assert tokenizer.neighbours is not None and (alike[:, 0] >= 0).sum() > tokenizer.vocabulary.size / 2
    for word, near in ((" mother", " father"), (" green", " red"), ("妈", "姨")):
        (number,), (other,) = tokenizer.encode(word), tokenizer.encode(near)
        assert other in alike[number], word
