"""In-context learning: a bigram model by hand, what has room in a prompt, and the command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bigram import Bigram, knowing
from tiny import finished

from lab.cli.main import main
from lab.examples import Example
from lab.inference.in_context import in_context, likelihood
from lab.settings import SettingsError

LABELS = ("no", "yes")


def test_a_label_is_as_likely_as_its_letters_are_on_average() -> None:
    trained = knowing("a\nyes\na\nno\na\nyes\n")  # behind a line's end: y and a twice, n once
    rest, after = 0.5 / trained.tokenizer.vocabulary.size, 0.5 + 0.5 / trained.tokenizer.vocabulary.size
    assert likelihood(trained, "a\n", "no") == pytest.approx((np.log(0.1 + rest) + np.log(after)) / 2, abs=1e-5)
    three = (np.log(0.2 + rest) + 2 * np.log(after)) / 3
    assert likelihood(trained, "a\n", "yes") == pytest.approx(three, abs=1e-5)
    said, used = in_context(trained, Example("a"), [], LABELS)
    assert (said.label, used) == (1, 0) and sum(said.chances) == pytest.approx(1)


def test_examples_stand_before_the_text_and_what_has_no_room_is_left_out_from_the_front() -> None:
    shown = [Example("b", label=0), Example("c", label=1)]
    read = []
    for context in (32, 16, 8):
        trained = knowing("a", context)
        _, used = in_context(trained, Example("好", pair="!"), shown, LABELS)
        net = trained.model
        assert isinstance(net, Bigram) and all(len(ids) <= context for ids in net.read)
        read.append((used, trained.tokenizer.decode(net.read[1])))
    assert read[:2] == [(2, "b\nno\nc\nyes\n好 !\nyes"), (1, "c\nyes\n好 !\nyes")]
    assert read[2][0] == 0 and read[2][1].endswith(" !\nyes"), "of a text that is too long the end is read"


def test_who_fills_gaps_is_not_asked() -> None:
    with pytest.raises(SettingsError, match="goes on with a text"):
        in_context(knowing("a", objective="mlm"), Example("a"), [], LABELS)


def test_the_command_measures_without_training(tmp_path: Path, capsys: Any) -> None:
    folder = finished(tmp_path / "run", model="gpt")
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    rows = [{"text": f"{n} 🙂", "label": LABELS[n % 2]} for n in range(30)]
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    words = ["evaluate", "--run", str(folder.path), "--corpus", str(data), "--in-context"]
    assert main([*words, "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert 0 < found["texts"] < 10 and 0 <= found["accuracy"] <= 1 and found["baselines"]["even"] == 0.5
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before
    assert main([*words, "0"]) == 0 and "to beat" in capsys.readouterr().out
    for wrong in (["-1"], ["2", "--task", "tokens"], ["2", "--seed", "-3"]):
        assert main([*words, *wrong]) == 2 and "in-context learning is for" in capsys.readouterr().err
