"""The longest text of fine-tuning: what a model is shown has no more tokens, whatever the task; and it takes less."""

from pathlib import Path

import pytest
from labelled import parent_of, tuning

from lab.analysis.forecast import memory
from lab.catalog import TASKS
from lab.data.reading import parts_of, reader_of
from lab.serve.limits import bearable


@pytest.mark.parametrize("task", TASKS.names())
def test_no_text_is_shown_longer_than_it_may_be(task: str, tmp_path: Path) -> None:
    parent = parent_of("gpt" if task == "seq2seq" else "bert", tmp_path / "parent")
    tokenizer = parent.tokenizer()
    assert tokenizer is not None
    lengths = []
    for length in (None, 9):
        run = tuning(parent, task, tmp_path, length=length)
        reader, settings = reader_of(run, tokenizer), run.settings_of("task")
        units = [u for example in parts_of(run).train for u in TASKS[task].build(example, settings, reader)]
        lengths.append(max(unit.exercise.shown.shape[1] for unit in units))
        assert lengths[-1] <= run.longest
        bearable(run)
    assert lengths[1] <= 9 < lengths[0]


def test_short_texts_take_less_memory(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent")
    short, whole = (tuning(parent, "classify", tmp_path, length=length) for length in (9, None))
    assert memory(short, 300) < memory(whole, 300)
