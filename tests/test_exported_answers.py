"""Whoever has nothing but an exported folder gets the lab's answers: from pipelines and from generate().

T tokens   V vocabulary
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from random_runs import LABELS, run_of, tokenizer
from torch import Tensor

from lab.batch import Batch
from lab.catalog import MODELS, TOKENIZERS
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.exchange.known import naming_of, namings
from lab.exchange.naming import Naming
from lab.inference import decoding, inputs, predict
from lab.inference.model import Trained, load
from lab.settings import SettingsError
from lab.vocabulary import MASK

transformers = pytest.importorskip("transformers")

LONG = "the cat ran after the dog. 猫坐在 " * 20
TEXTS = ("The cat sat.", "  Where is the\n\n dog?", "猫坐在垫子上。", "a [SEP] [MASK] b", LONG)
GAPS = (
    f"The {MASK} sat.",
    f"The cat  {MASK} on the\n{MASK}!",
    f"猫坐在{MASK}上。",
    f"{MASK} dog",
    f"The {MASK} " + LONG,
)
NEW = 6  # tokens that are written


def rows() -> Iterator[Any]:
    """Every family that can be exported, as it is pretrained and as it classifies, with one kind of tokenizer after
    the other; and those that frame a text or answer each in a way of its own with every kind."""
    for number, naming in enumerate(each for each in namings() if each.written):
        # Of a Qwen2, transformers reads no other kind with AutoTokenizer: the export says so.
        kinds = ["byte_bpe"] if naming.kind == "qwen2" else TOKENIZERS.names()
        own = naming.model in ("bert", "gpt", "xlnet", "t5", "bart", "mbart")
        for kind in kinds if own else kinds[number % len(kinds) :][:1]:
            yield pytest.param(naming, kind, None, id=f"{naming.model}-{naming.tokens}-{kind}")
            if naming.labels:
                yield pytest.param(naming, kind, "classify", id=f"{naming.model}-{naming.labels}-{kind}")


@pytest.mark.parametrize(("naming", "kind", "task"), [*rows()])
def test_the_exported_folder_alone_gives_the_labs_answers(
    naming: Naming, kind: str, task: str | None, tmp_path: Path
) -> None:
    run = run_of(naming, tmp_path / "run", task=task, known=tokenizer(kind))
    agrees(load(run), export(run, tmp_path / "out").folder)


@pytest.mark.parametrize("family", ["deberta_v1", "deberta_v2"])
def test_a_classifier_does_not_go_through_its_bodys_mask_decoder(family: str, tmp_path: Path) -> None:
    """So that its answers are those of transformers, and nobody is told that they differ."""
    run = run_of(naming_of(family), tmp_path / "run", task="classify", plain=False)
    exported = export(run, tmp_path / "out")
    agrees(load(run), exported.folder)
    assert not any("mask decoder" in english for english, _ in exported.notes)


@pytest.mark.parametrize(
    "naming", [pytest.param(each, id=each.onward) for each in namings() if each.onward and each.written]
)
def test_a_body_that_learnt_to_go_left_to_right_is_exported_and_imported_as_one(naming: Naming, tmp_path: Path) -> None:
    run = run_of(naming, tmp_path / "run", objective="clm")
    exported, trained = export(run, tmp_path / "out"), load(run)
    assert exported.architecture == naming.onward and bool(exported.notes) == bool(naming.onward_remark)
    back = load(bring(exported.folder, tmp_path / "back").folder)
    assert back.run.objective == "clm" and back.left_to_right
    ids = torch.arange(6, 14)[None]
    model = transformers.AutoModelForCausalLM.from_pretrained(exported.folder)
    with torch.inference_mode():
        ours = [
            each.model(Batch(shown=ids, visible=each.given, asked=torch.arange(8))).tokens for each in (trained, back)
        ]
        assert torch.equal(*ours)
        torch.testing.assert_close(model(ids).logits[0], ours[0], rtol=0, atol=1e-5)
    if not naming.onward_remark:
        agrees(trained, exported.folder)


def test_a_classifier_whose_body_goes_left_to_right_is_not_exported(tmp_path: Path) -> None:
    """Ours is summed up by its last token, theirs by the first, which has seen nothing: nobody mistakes one for the
    other."""
    run = run_of(naming_of("bert"), tmp_path / "run", task="classify", objective="clm")
    with pytest.raises(SettingsError, match="reads the first token"):
        export(run, tmp_path / "out")
    folder = export(run_of(naming_of("bert"), tmp_path / "usual", task="classify"), tmp_path / "theirs").folder
    config = json.loads((folder / "config.json").read_text()) | {"is_decoder": True}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(SettingsError, match="reads its first token"):
        bring(folder, tmp_path / "back")


def agrees(trained: Trained, folder: Path) -> None:
    """The folder's answers are the lab's, to 1e-5."""
    if trained.run.task:
        classifies(trained, folder)
    elif trained.left_to_right or trained.seq2seq is not None:
        writes(trained, folder)
    elif {"streams", "detects"} & set(MODELS[trained.run.model].traits) and trained.run.objective != "mlm":
        reads(trained, folder)
    else:
        fills(trained, folder)


def classifies(trained: Trained, folder: Path) -> None:
    pipe = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    with torch.inference_mode():
        encoded = pipe.tokenizer([*TEXTS], truncation=True, padding=True, return_tensors="pt")
        together = pipe.model(**encoded).logits.softmax(-1)
    for text, padded, answer in zip(TEXTS, together, pipe([*TEXTS], truncation=True), strict=True):
        known = {guess.token: guess.probability for guess in predict.classify(trained, text)}
        assert {each["label"]: each["score"] for each in answer} == pytest.approx(known, abs=1e-5)
        assert dict(zip(LABELS, padded.tolist(), strict=True)) == pytest.approx(known, abs=1e-5)


def fills(trained: Trained, folder: Path) -> None:
    """The lab never guesses a special token: what the pipeline holds likely is shared out among the others."""
    vocabulary = trained.tokenizer.vocabulary
    pipe = transformers.pipeline("fill-mask", model=str(folder), top_k=vocabulary.size)
    for text in GAPS:
        found = pipe(text, tokenizer_kwargs={"truncation": True})
        gaps = found if isinstance(found[0], list) else [found]
        known = predict.fill(trained, text, best=vocabulary.size)
        assert len(gaps) == len(known)
        for theirs, ours in zip(gaps, known, strict=True):
            shares = {each["token"]: each["score"] for each in theirs if each["token"] in vocabulary.ordinary}
            whole = sum(shares.values())
            wanted = {guess.id: guess.probability for guess in ours if guess.id in shares}
            assert {token: share / whole for token, share in shares.items()} == pytest.approx(wanted, abs=1e-5)


def writes(trained: Trained, folder: Path) -> None:
    """The same tokens, and each as likely. A model that writes is asked by the marks that it was trained with."""
    read = transformers.AutoTokenizer.from_pretrained(folder)
    kind = "AutoModelForCausalLM" if trained.seq2seq is None else "AutoModelForSeq2SeqLM"
    model = getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager")
    for text in ("The cat", "猫坐", LONG) if trained.seq2seq is None else GAPS:
        text_elsewhere = with_special_tokens(trained, text)
        encoded = read(text_elsewhere, truncation=True, return_tensors="pt", return_token_type_ids=False)
        begun = decoding.continuation(trained, text)
        forced, had, more = 0, encoded["input_ids"].shape[1], {}
        if isinstance(begun, decoding.Reply):
            forced, had = begun.opening - 1, 0  # what is always written first
            if begun.source[-1] != encoded["input_ids"][0, -1]:  # mBART's other language, treated as the export says
                encoded["input_ids"][0, -1] = begun.ids[0]
                more = {"decoder_start_token_id": begun.ids[0]}
            assert encoded["input_ids"][0].tolist() == begun.source.tolist()
        longest = trained.context if trained.seq2seq else trained.lookback
        new = min(NEW, longest + 1 - had)  # beyond that only the lab goes on
        out = model.generate(
            **encoded,
            **more,
            max_new_tokens=forced + new,
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
        scores = torch.stack(out.scores)[forced:, 0].log_softmax(-1)  # (T, V)
        ours = [*decoding.decode(trained, begun, decoding.GREEDY, new)]
        answer = out.sequences[0, -len(scores) :].tolist()
        ends = [*begun.ends] if len(ours) < new else []
        assert answer == [each.id for each in ours] + ends
        logprobs = [float(row[token]) for token, row in zip(answer, scores, strict=True)]
        assert logprobs[: len(ours)] == pytest.approx([each.logprob for each in ours], abs=1e-5)


def with_special_tokens(trained: Trained, text: str) -> str:
    """The text as one types it elsewhere: a gap is the mark that the run's objective puts there."""
    for name in trained.seq2seq.says[: text.count(MASK)] if trained.seq2seq else ():
        text = text.replace(MASK, name, 1)
    return text


def reads(trained: Trained, folder: Path) -> None:
    """There is no pipeline for such a head: the states of the last block are compared."""
    read = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    for text in (*TEXTS[:3], LONG):
        encoded = read(text, truncation=True, return_tensors="pt")
        ids = inputs.framed(trained, inputs.with_gaps(trained, text))
        assert encoded["input_ids"][0].tolist() == ids.tolist()
        with torch.inference_mode():
            torch.testing.assert_close(model(**encoded).last_hidden_state, states(trained, ids), rtol=0, atol=1e-5)
    for text in GAPS:
        ids = inputs.framed(trained, inputs.with_gaps(trained, text))
        assert read(text, truncation=True)["input_ids"] == ids.tolist()


def states(trained: Trained, ids: np.ndarray) -> Tensor:
    """What the lab's body makes of a framed text: (1, T, W)."""
    segments = inputs.reading(trained, ids).segments
    kinds = None if segments is None else torch.from_numpy(segments)
    found: Tensor = trained.model.stack(Batch(shown=torch.from_numpy(ids)[None], segments=kinds))
    return found
