"""Batches of labelled examples: rare classes that count for more, and rows that are about as long."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from labelled import parent_of, trained, tuning
from torch.nn import functional

from lab.batch import Batch, Output
from lab.catalog import TASKS
from lab.data.class_weights import class_weights
from lab.data.labelled_batches import LabelledBatches, examples_of_a_check
from lab.data.length_groups import grouped
from lab.data.reading import parts_of
from lab.examples import Example
from lab.runs.folder import RunFolder
from lab.settings import SettingsError


def test_a_rare_class_counts_inversely_to_how_often_it_is_seen() -> None:
    unequal = [Example("", label=label) for label in (0, 0, 0, 1)]
    assert class_weights(unequal, 3).tolist() == pytest.approx([4 / 6, 2.0, 1.0]), "nobody has the third"
    assert class_weights(unequal[2:], 2).tolist() == [1.0, 1.0], "equal classes count as if there were no weights"
    tagged = [Example("a b", words=((0, 1), (2, 3)), tags=(0, 0)), Example("c", words=((0, 1),), tags=(1,))]
    assert class_weights(tagged, 2).tolist() == pytest.approx([0.75, 1.5])


def test_a_weighted_loss_is_a_mean_by_weight() -> None:
    scores, classes = torch.randn(4, 2), torch.tensor([0, 0, 0, 1])
    weights = torch.tensor([4 / 6, 2.0])
    batch = Batch(shown=torch.zeros(4, 1, dtype=torch.long), label=classes, class_weights=weights)
    loss, count = TASKS["classify"].loss(Output(sequence=scores), batch)
    torch.testing.assert_close(loss, functional.cross_entropy(scores, classes, weight=weights))
    assert count == pytest.approx(4)
    tags = Batch(shown=batch.shown[:2], tags=torch.tensor([[0, -100], [1, -100]]), class_weights=weights)
    loss, count = TASKS["tokens"].loss(Output(each=scores.view(2, 2, 2)), tags)
    torch.testing.assert_close(loss, functional.cross_entropy(scores[[0, 2]], classes[[0, 3]], weight=weights))
    assert count == pytest.approx(4 / 6 + 2)


def batches(folder: Path, task: str, **how: Any) -> LabelledBatches:
    parent = parent_of("bert", folder / "parent")
    folder.mkdir(exist_ok=True)
    run, tokenizer = tuning(parent, task, folder, **how), parent.tokenizer()
    assert tokenizer is not None
    parts = parts_of(run)
    return LabelledBatches(run, parts.train, tokenizer, parts.labels)


def test_training_is_weighted_and_evaluation_is_not(tmp_path: Path) -> None:
    feed = batches(tmp_path, "tokens", class_weights=True)
    weights = feed.batch(0, 4).class_weights
    assert weights is not None and len(weights) == len(feed.labels) and weights[0] < 1 < weights[1]
    assert all(batch.class_weights is None for batch in feed.validation())
    with pytest.raises(SettingsError, match="class weights are for classes that have names"):
        batches(tmp_path / "more", "similarity", class_weights=True)


def test_what_every_check_asks_about_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.data.labelled_batches.CHECKED", 3)
    feed, made = batches(tmp_path, "classify"), list[Example]()
    wanted = [batch.shown for batch in feed.validation(limit=5, size=2)]
    make = feed._made
    monkeypatch.setattr(feed, "_made", lambda example: made.append(example) or make(example))
    for _ in range(2):
        seen = [example for judged in feed.judged(limit=5, size=2) for example in judged.examples]
        assert seen == feed.examples[:5]
        again = [batch.shown for batch in feed.validation(limit=5, size=2)]
        assert all(map(torch.equal, again, wanted))
    assert made == feed.examples[3:5] * 4, "only those behind them are made anew"


@pytest.mark.parametrize(
    ("training", "how", "wanted"),
    [
        ({"steps": 29, "batch": 32}, {}, 3 * 29 * 32 // 26),
        ({"steps": 29, "batch": 32}, {"evaluations": 10}, 3 * 29 * 32 // 10),
        ({"steps": 3, "batch": 8}, {}, 64),
        ({"steps": 10_000, "batch": 8}, {}, 512),
        ({"steps": 29, "batch": 32}, {"patience": 3}, 512),
        ({"seconds": 5.0, "batch": 32}, {}, 512),
    ],
)
def test_all_checks_take_about_as_long_as_the_steps(
    training: dict[str, Any], how: dict[str, Any], wanted: int, tmp_path: Path
) -> None:
    """26 looks, or as many as were asked for. A step goes three times as far as a look at the same rows."""
    run = tuning(parent_of("bert", tmp_path / "parent"), "classify", tmp_path, **how)
    assert examples_of_a_check(replace(run, training=training)) == wanted


def test_a_run_is_asked_about_so_many_while_it_learns_and_about_more_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, judged = list[int | None](), LabelledBatches.judged
    monkeypatch.setattr(
        LabelledBatches, "judged", lambda feed, limit=None, size=64: asked.append(limit) or judged(feed, limit, size)
    )
    trained(RunFolder.create(tuning(parent_of("bert", tmp_path / "parent"), "classify", tmp_path), tmp_path / "run"))
    begin, *looks, end = [limit for limit in asked if limit is not None]
    assert {begin, *looks} == {64} and len(looks) >= 16 and end == 2048


@pytest.mark.parametrize(("rows", "first"), [(1000, 0), (1003, 3), (7, 5), (5, 0), (3, 7), (0, 0)])
def test_an_epoch_in_groups_has_each_row_once(rows: int, first: int) -> None:
    dice = np.random.default_rng(1)
    order = grouped(dice.permutation(rows), dice.integers(1, 90, rows).tolist(), 8, (0, 1), first)
    assert sorted(order.tolist()) == list(range(rows))


def test_rows_of_a_batch_are_about_as_long_and_batches_come_in_any_order() -> None:
    dice = np.random.default_rng(1)
    order, lengths = dice.permutation(800), dice.integers(1, 100, 800)
    cut = lengths[grouped(order, lengths.tolist(), 8, (0, 0), first=5)][5:-3].reshape(-1, 8)
    before = lengths[order][5:-3].reshape(-1, 8)
    padded, plain = ((rows.max(1)[:, None] - rows).mean() for rows in (cut, before))
    assert padded < 0.1 * plain
    assert abs(np.corrcoef(cut.mean(1), np.arange(len(cut)))[0, 1]) < 0.3


def test_an_epoch_reads_the_same_rows_with_groups_as_without(tmp_path: Path) -> None:
    plain, groups = (batches(tmp_path / str(on), "classify", group_by_length=on) for on in (False, True))
    labels = []
    for feed in (plain, groups):
        rows = [row for step in range(8) for row in feed.batch(step, 3).shown.tolist()]  # three epochs of eight rows
        labels.append(sorted(tuple(token for token in row if token != feed.vocabulary.pad) for row in rows))
    assert labels[0] == labels[1] and groups.rows == 8
