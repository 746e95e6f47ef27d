"""How long and how many the rows are that a task makes of labelled texts, and what a run over them will take."""

from dataclasses import replace
from pathlib import Path

import pytest
from labelled import TEXTS, parent_of, tuning

from lab.analysis.forecast import checks_of, forecast
from lab.analysis.labelled_rows import UNREAD, LabelledRows, labelled_rows
from lab.data.labelled_batches import LabelledBatches
from lab.data.reading import parts_of
from lab.examples import Example, Examples
from lab.runs.run import Run
from lab.tokenizer import Tokenizer


def begun(task: str, folder: Path, batch: int = 4) -> tuple[Run, Tokenizer]:
    """A run that is fine-tuned for a task, and its tokenizer."""
    start = parent_of("bert", folder / task)
    tokenizer, made = start.tokenizer(), tuning(start, task, folder)
    assert tokenizer is not None
    return replace(made, training={**made.training, "batch": batch}), tokenizer


def test_rows_are_as_long_as_the_longest_of_their_batch(tmp_path: Path) -> None:
    """Four letters [CLS] a b c d [SEP] beside one letter, twice; then one letter alone, twice: 6, 6, 3, 3 tokens."""
    long, short = Example("!?!?", label=0), Example("!", label=1)
    run, tokenizer = begun("classify", tmp_path, batch=2)
    assert len(tokenizer.encode(long.text)) == 4 and len(tokenizer.encode(short.text)) == 1
    same = labelled_rows(run, tokenizer, Examples([long] * 4, ("a", "b")))
    assert (same.each, same.length, same.tokens) == (1.0, 6, 12.0)
    feed = LabelledBatches(run, [long, short, short, short], tokenizer, ("a", "b"))
    read = [feed.batch(number, 2).shown.shape[1] for number in range(2)]
    mixed = labelled_rows(run, tokenizer, Examples([long, short, short, short], ("a", "b")))
    assert sorted(read) == [3, 6] and mixed.tokens == 9.0 and mixed.length in (4, 5)


def test_a_choice_has_a_row_for_each_and_a_long_text_several(tmp_path: Path) -> None:
    four = Examples([Example("!", choices=("?",) * 4, label=0)] * 4)
    found = labelled_rows(*begun("choice", tmp_path), four)
    assert found.length is not None and found.tokens == 4 * 4 * found.length
    long = Examples([Example("ab! " * 40, words=((0, 2),), tags=(0,))] * 4, ("O", "B-X"))
    assert labelled_rows(*begun("tokens", tmp_path), long).each > 1


def test_of_no_examples_nothing_is_known(tmp_path: Path) -> None:
    run, tokenizer = begun("classify", tmp_path)
    assert labelled_rows(run, tokenizer, Examples([])) is UNREAD and UNREAD.shortened(run) is run


def test_short_texts_take_less_time_and_more_choices_more(tmp_path: Path) -> None:
    run, _ = begun("choice", tmp_path)
    whole, short, four = (
        forecast(run, 300, rows).seconds
        for rows in (UNREAD, LabelledRows(length=12, tokens=8 * 12), LabelledRows(length=12, tokens=16 * 12))
    )
    assert short < whole and short < four < 2 * short, "what the optimizer does is the same"


def test_checks_read_what_is_held_out(tmp_path: Path) -> None:
    """16 looks, one behind each step, at 64 examples, and one at up to 2,048; 1.5 rows each."""
    run, _ = begun("classify", tmp_path)
    told = replace(forecast(run, 300).cost, forward=1.0, backward=2.0)
    rows = LabelledRows(each=1.5)
    assert checks_of(run, told, rows, 50) == pytest.approx(17 * 50 * 1.5 / 4 / 3)
    assert checks_of(run, told, rows, 5000) == pytest.approx((16 * 64 + 2048) * 1.5 / 4 / 3)


def test_the_rows_of_a_run_are_those_of_its_batches(tmp_path: Path) -> None:
    """Eight texts, shorter than the context: the forecast's tokens are the mean of the batches of one epoch."""
    run, tokenizer = begun("classify", tmp_path)
    parts = parts_of(run)
    found = labelled_rows(run, tokenizer, Examples(parts.train, parts.labels))
    feed = LabelledBatches(run, parts.train, tokenizer, parts.labels)
    assert found.tokens == sum(feed.batch(number, 4).shown.numel() for number in range(2)) / 2
    assert found.length is not None and found.length < run.longest and len(parts.train) == len(TEXTS)
