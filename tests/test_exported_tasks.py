"""Whoever has nothing but an exported folder gets the lab's tags, answers, classes of pairs and written texts.

T tokens
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import LABELS, run_of, tokenizer
from torch import Tensor

from lab.batch import Output
from lab.catalog import TASKS, TOKENIZERS
from lab.examples import Example, Unit
from lab.exchange.export import class_of, export
from lab.exchange.known import naming_of, namings
from lab.exchange.naming import Naming
from lab.inference.answering import answer
from lab.inference.decoding import GREEDY, Reply, decode
from lab.inference.model import Trained, load
from lab.settings import SettingsError
from lab.tasks.parts.batching import batch_of
from lab.tasks.questions import Questions, best_span
from lab.tasks.seq2seq import source_of

transformers = pytest.importorskip("transformers")

TEXTS = ("The cat sat.", "Where is the dog?", "猫坐在垫子上。", "It ran. [SEP] a")
CONTEXT, QUESTION = "It ran", "Where?"


def rows(head: str) -> Iterator[Any]:
    """Every family whose class has this head, with one kind of tokenizer after the other."""
    for number, naming in enumerate(each for each in namings() if each.written and class_of(each, head)):
        kind = "byte_bpe" if naming.kind == "qwen2" else TOKENIZERS.names()[number % len(TOKENIZERS.names())]
        yield pytest.param(naming, kind, id=f"{naming.model}-{class_of(naming, head)}-{kind}")


def exported(naming: Naming, kind: str, task: str, folder: Path) -> tuple[Trained, Path]:
    """A run whose context has room for all that is asked here, and its folder for transformers."""
    run = run_of(naming, folder / "run", task=task, known=tokenizer(kind), context=64)
    return load(run), export(run, folder / "out").folder


def asked(trained: Trained, example: Example) -> tuple[Unit, Tensor]:
    """How the lab shows an example, and what the model's head says: (T, C)."""
    task = TASKS[trained.run.task or ""]
    units = task.build(example, trained.run.settings_of("task"), trained.reader)
    with torch.inference_mode():
        output: Output = trained.model(batch_of(units, task, trained.tokenizer.vocabulary))
    assert output.each is not None and len(units) == 1
    return units[0], output.each[0]


@pytest.mark.parametrize(("naming", "kind"), [*rows("tags")])
def test_the_pipeline_gives_each_token_the_labs_tag(naming: Naming, kind: str, tmp_path: Path) -> None:
    trained, folder = exported(naming, kind, "tokens", tmp_path)
    pipe = transformers.pipeline("token-classification", model=str(folder), ignore_labels=[])
    for text in TEXTS:
        unit, scores = asked(trained, Example(text))
        inside = [place for place, (start, _) in enumerate(unit.spans.tolist()) if start >= 0]  # type: ignore[union-attr]
        chances = scores.softmax(-1)[inside]
        found = pipe(text)
        assert [each["index"] for each in found] == inside
        assert [each["entity"] for each in found] == [LABELS[int(row.argmax())] for row in chances]
        assert [each["score"] for each in found] == pytest.approx(chances.amax(-1).tolist(), abs=1e-5)


@pytest.mark.parametrize(("naming", "kind"), [*rows("spans")])
def test_the_folder_finds_the_labs_answer(naming: Naming, kind: str, tmp_path: Path) -> None:
    """transformers 5 has no pipeline for questions any more: what its earlier one did is done here."""
    trained, folder = exported(naming, kind, "questions", tmp_path)
    read = transformers.AutoTokenizer.from_pretrained(folder)
    name = class_of(naming, "spans") if naming.kind == "xlnet" else "AutoModelForQuestionAnswering"
    model = getattr(transformers, name).from_pretrained(folder).eval()
    unit, scores = asked(trained, Example(CONTEXT, pair=QUESTION))
    texts = (CONTEXT, QUESTION) if naming.kind == "xlnet" else (QUESTION, CONTEXT)
    encoded = read(*texts, return_tensors="pt")
    assert encoded["input_ids"].tolist() == unit.exercise.shown.tolist()
    with torch.inference_mode():
        theirs = model(**encoded)
    logits = torch.stack([theirs.start_logits[0], theirs.end_logits[0]], -1)
    torch.testing.assert_close(logits, scores, rtol=0, atol=1e-5)
    assert unit.spans is not None
    first, last, _ = best_span(logits.double().numpy(), unit.spans[:, 0] >= 0, Questions().longest)
    said = answer(trained, Example(CONTEXT, pair=QUESTION))
    covered = CONTEXT[unit.spans[first, 0] : unit.spans[last, 1]].strip()
    assert said.answer is None or said.text == covered


@pytest.mark.parametrize("model", ["bert", "xlnet", "gpt", "roberta"])
def test_the_pipeline_sorts_pairs_as_the_lab_does(model: str, tmp_path: Path) -> None:
    trained, folder = exported(naming_of(model), "byte_bpe", "pairs", tmp_path)
    pipe = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    said = answer(trained, Example("The cat sat.", pair="It ran"))
    found = pipe({"text": "The cat sat.", "text_pair": "It ran"})
    assert {each["label"]: each["score"] for each in found} == pytest.approx(
        dict(zip(LABELS, said.chances, strict=True)), abs=1e-5
    )


def test_what_was_taught_to_write_writes_the_same_elsewhere(tmp_path: Path) -> None:
    trained, folder = exported(naming_of("bart"), "byte_bpe", "seq2seq", tmp_path)
    read = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager")
    encoded = read("The cat sat.", return_tensors="pt", return_token_type_ids=False)
    out = model.generate(**encoded, max_new_tokens=12, do_sample=False)[0].tolist()
    assert trained.seq2seq is not None
    source = source_of("The cat sat.", trained.run.settings_of("task"), trained.reader)
    ours = [token.id for token in decode(trained, Reply(trained, trained.seq2seq, source), GREEDY, 10)]
    assert encoded["input_ids"][0].tolist() == source.tolist() and ours
    assert out[2 : 2 + len(ours)] == ours, "behind the opening"


def test_what_transformers_has_no_class_for_is_refused(tmp_path: Path) -> None:
    for model, task in (("bert", "choice"), ("longformer", "tokens"), ("llama", "questions")):
        run = run_of(naming_of(model), tmp_path / model, task=task)
        with pytest.raises(SettingsError, match="not exported|no class"):
            export(run, tmp_path / f"{model}-out")
