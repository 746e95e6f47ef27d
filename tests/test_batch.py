"""Who may look at whom, how exercises become batches, and what the loss is: by hand.

B batch   T tokens   V vocabulary
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lab.batch import Batch, Exercise, Output, collate, losses
from lab.layers.masks import attention_mask

SHOWN = torch.tensor([[6, 7, 8, 9], [6, 7, 0, 0]])
REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])


def table(batch: Batch) -> list:
    """Who may look at whom, as rows of 0 and 1: (B or 1, T, T)."""
    found = attention_mask(batch).full
    assert found is not None and found.dtype == torch.bool and found.dim() == 4 and found.shape[1] == 1
    return found[:, 0].int().tolist()


def listed(values: object) -> Any:
    """A tensor as lists."""
    assert isinstance(values, torch.Tensor)
    return values.tolist()


def exercise(**changes: Any) -> Exercise:
    """Two rows of three tokens, of which three are asked."""
    plain = Exercise(
        shown=np.array([[6, 4, 8], [4, 4, 8]]),
        asked=np.array([[False, True, False], [True, True, False]]),
        answers=np.array([[6, 7, 8], [9, 10, 8]]),
    )
    return replace(plain, **changes)


class TestSight:
    def test_without_padding_no_table_is_needed(self) -> None:
        assert (attention_mask(Batch(shown=SHOWN)).causal, attention_mask(Batch(shown=SHOWN)).table) == (False, None)
        causal = attention_mask(Batch(shown=SHOWN, visible="causal"))
        assert (causal.causal, causal.table) == (True, None)

    def test_nobody_looks_at_padding_and_padding_looks_at_itself(self) -> None:
        assert table(Batch(shown=SHOWN, real=REAL)) == [
            [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]],
            [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]],
        ]

    def test_causal_and_padding_are_combined(self) -> None:
        assert table(Batch(shown=SHOWN, visible="causal", real=REAL)) == [
            [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
            [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]],
        ]

    def test_no_row_is_empty_when_padding_stands_in_front(self) -> None:
        real = torch.tensor([[False, True, True]])
        assert table(Batch(shown=torch.tensor([[0, 6, 7]]), visible="causal", real=real)) == [
            [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
        ]

    def test_a_table_for_all_rows_stays_one_table(self) -> None:
        prefix = torch.tensor([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
        assert table(Batch(shown=SHOWN, visible=prefix)) == [prefix.int().tolist()]

    def test_a_table_and_padding_are_combined_row_by_row(self) -> None:
        prefix = torch.tensor([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
        assert table(Batch(shown=SHOWN, visible=prefix, real=REAL)) == [
            [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
            [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]],
        ]

    def test_every_row_may_have_a_table_of_its_own(self) -> None:
        tables = torch.stack([torch.eye(4), torch.ones(4, 4)]).bool()
        assert table(Batch(shown=SHOWN, visible=tables)) == tables.int().tolist()


class TestExercise:
    def test_visibility_can_be_written_out(self) -> None:
        assert exercise().table().tolist() == [[True] * 3] * 3
        assert exercise(visible="causal").table().astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
        own = np.eye(3, dtype=bool)
        assert exercise(visible=own).table() is own


class TestCollate:
    def test_asked_positions_are_flat_and_answers_stand_beside_them(self) -> None:
        batch = collate(exercise())
        assert listed(batch.asked) == [1, 3, 4]
        assert listed(batch.answers) == [7, 9, 10]
        assert listed(batch.shown) == [[6, 4, 8], [4, 4, 8]]
        assert (batch.visible, batch.real, batch.segments, batch.label) == ("all", None, None, None)

    def test_where_nothing_is_asked_there_are_no_positions(self) -> None:
        batch = collate(exercise(asked=np.zeros((2, 3), dtype=bool)))
        assert (batch.asked, batch.answers) == (None, None)

    def test_padding_segments_labels_and_tables_are_carried(self) -> None:
        real = np.array([[True, True, True], [True, True, False]])
        segments = np.array([[0, 0, 1], [0, 1, 1]])
        batch = collate(exercise(segments=segments, visible=np.eye(3, dtype=bool)), real, np.array([1, 0]))
        assert listed(batch.real) == real.tolist()
        assert listed(batch.segments) == segments.tolist()
        assert listed(batch.label) == [1, 0]
        assert listed(batch.visible) == np.eye(3, dtype=bool).tolist()

    def test_padding_that_is_not_there_is_left_out(self) -> None:
        assert collate(exercise(), np.ones((2, 3), dtype=bool)).real is None

    def test_a_batch_moves_as_a_whole(self) -> None:
        batch = collate(exercise(segments=np.zeros((2, 3), dtype=np.int64)), label=np.array([1, 0])).to("meta")
        assert {each.device.type for each in vars(batch).values() if isinstance(each, torch.Tensor)} == {"meta"}
        assert (batch.visible, batch.real) == ("all", None)


class TestLosses:
    def test_the_loss_of_tokens_is_the_mean_over_what_is_asked(self) -> None:
        chances = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]])
        batch = Batch(shown=SHOWN, asked=torch.tensor([0, 5]), answers=torch.tensor([0, 2]))
        parts = losses(Output(tokens=chances.log()), batch)
        assert list(parts) == ["tokens"]
        assert parts["tokens"].item() == pytest.approx((math.log(2) + math.log(10)) / 2)

    def test_the_answer_about_the_sequence_has_a_loss_of_its_own(self) -> None:
        chances = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
        batch = Batch(shown=SHOWN, label=torch.tensor([0, 1]))
        parts = losses(Output(sequence=chances.log()), batch)
        assert list(parts) == ["sequence"]
        assert parts["sequence"].item() == pytest.approx((math.log(4) + math.log(2)) / 2)

    def test_both_are_given_when_both_are_asked(self) -> None:
        batch = Batch(shown=SHOWN, asked=torch.tensor([0]), answers=torch.tensor([1]), label=torch.tensor([0, 0]))
        parts = losses(Output(tokens=torch.zeros(1, 8), sequence=torch.zeros(2, 4)), batch)
        assert parts["tokens"].item() == pytest.approx(math.log(8))
        assert parts["sequence"].item() == pytest.approx(math.log(4))

    def test_what_is_not_asked_costs_nothing(self) -> None:
        assert losses(Output(tokens=torch.zeros(1, 8), sequence=torch.zeros(2, 4)), Batch(shown=SHOWN)) == {}
        asked = Batch(shown=SHOWN, answers=torch.tensor([1]), label=torch.tensor([0, 0]))
        assert losses(Output(), asked) == {}

    def test_half_precision_is_summed_in_full(self) -> None:
        logits = torch.randn(4, 50, generator=torch.Generator().manual_seed(0)).bfloat16()
        batch = Batch(shown=SHOWN, answers=torch.tensor([1, 2, 3, 4]))
        found = losses(Output(tokens=logits), batch)["tokens"]
        assert found.dtype == torch.float32
        rows = logits.float().log_softmax(-1)[torch.arange(4), torch.tensor([1, 2, 3, 4])]
        assert found.item() == pytest.approx(-rows.mean().item(), rel=1e-6)
