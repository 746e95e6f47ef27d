"""What must hold of every model, objective, tokenizer, sampler, corpus and task: new ones join by being there.

B rows   T tokens   N asked positions   V vocabulary
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tiny import plan, shape, steps
from torch import nn

from lab.batch import Batch, Document, Exercise, losses
from lab.catalog import CORPORA, MODELS, OBJECTIVES, REGISTRIES, SAMPLERS, TASKS, TOKENIZERS, fits, sized
from lab.data.batches import Batches
from lab.data.corpus import counted, marked, prepare
from lab.data.stream import Stream, stream_of
from lab.entries import SoFar
from lab.inference.model import build, classes_of, tell_statistics
from lab.layers.ngrams import Counting
from lab.noise import Dice
from lab.registry import Entry
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import Settings, SettingsError
from lab.tokenizer import Tokenizer
from lab.training.train import train
from lab.vocabulary import SPECIALS, Vocabulary

TEXT = "The cat sat on the mat. Where is the dog? It ran after the cat! “Come back”, it said.\n猫坐在垫子上。狗在哪里？"
TOKEN = [entry.name for entry in OBJECTIVES if entry.stage == "token"]
PAIR = [entry.name for entry in OBJECTIVES if entry.stage == "pair"]
FITTING = [(model.name, name) for model in MODELS for name in TOKEN if fits(model, OBJECTIVES[name])]
OWN = [(model.name, model.objective) for model in MODELS]  # what each model is pretrained with
# Every model with its own objective and every objective with some model: enough for what takes long.
LEARNT = OWN + [
    next(pair for pair in FITTING if pair[1] == name) for name in TOKEN if name not in [own for _, own in OWN]
]
PAIRED = [
    (model, name, pair)
    for model, name in FITTING
    for pair in PAIR
    if OBJECTIVES[name].frame == "bounded" and fits(MODELS[model], OBJECTIVES[pair])
]
LEARNT_TO = 0.4  # of the loss at first
OWN_PAIRS = [each for each in PAIRED if MODELS[each[0]].pair == each[2] and each[:2] in OWN]
MISFITS = [(m.name, o.name) for m in MODELS for o in [*OBJECTIVES, *TASKS] if not fits(m, o)]
EVERY = [pytest.param(entry, id=f"{kind}-{entry.name}") for kind, each in REGISTRIES.items() for entry in each]


def of(registry: Any) -> Any:
    return pytest.mark.parametrize("name", registry.names())


@cache
def tokenizer(name: str = "byte_bpe") -> Tokenizer:
    entry = TOKENIZERS[name]
    trained: Tokenizer = entry.build([TEXT * 3], entry.settings.load(sized(entry, 300)))
    return trained


@cache
def stream() -> Stream:
    return stream_of([Document(TEXT * 4)] * 4, tokenizer())


def words(objective: str) -> Vocabulary:
    """What a model knows that learns with the objective: text, and the objective's own marks."""
    return marked(tokenizer(), OBJECTIVES[objective]).vocabulary


def prepared(
    model: str, objective: str, pair: str | None = None, *, told: bool = True, **sizes: int
) -> tuple[nn.Module, Batch]:
    """A fresh model, ``told`` what is counted before it learns, and the first batch that the objective makes for it."""
    known = {name: size for name, size in sizes.items() if name in MODELS[model].settings.knobs()}
    run = plan(model=model, objective=objective, pair=pair, shape=shape(model) | known)
    vocabulary = counted(run, stream(), words(objective))
    net = build(run, vocabulary.size, classes_of(run, ()))
    return tell_statistics(net, vocabulary) if told else net, Batches(run, stream(), vocabulary).batch(0, 4)


def learnt(model: nn.Module, batch: Batch, steps: int = 120) -> tuple[float, float]:
    """The loss before and after reading a batch until it is learnt; one that counts needs to read it but once."""
    if isinstance(model, Counting):
        before = losses(model(batch), batch)["tokens"].item()
        model.count(batch)
        return before, losses(model(batch), batch)["tokens"].item()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    told: list[float] = []
    while len(told) < steps and not (told and told[-1] < LEARNT_TO * told[0]):
        loss = torch.stack(list(losses(model(batch), batch).values())).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        told.append(loss.item())
    return told[0], told[-1]


@pytest.mark.parametrize(("model", "objective"), FITTING)
def test_a_fresh_model_answers_what_it_is_asked_and_knows_nothing_yet(model: str, objective: str) -> None:
    net, batch = prepared(model, objective, told=False)
    output = net.eval()(batch)
    assert batch.asked is not None and output.tokens.shape == (len(batch.asked), words(objective).size)
    assert torch.isfinite(output.tokens).all() and output.sequence is None
    assert losses(output, batch)["tokens"].item() == pytest.approx(math.log(words(objective).size), abs=1.0)


@pytest.mark.parametrize(("model", "objective", "pair"), [(*each, None) for each in FITTING] + PAIRED)
def test_every_parameter_is_reached_by_the_gradient(model: str, objective: str, pair: str | None) -> None:
    net, batch = prepared(model, objective, pair, depth=2)  # what stands beside a first block may not beside a last
    output = net(batch)
    parts = losses(output, batch)
    assert set(parts) == {"tokens", *output.parts} | ({"sequence"} if pair else set())
    if "counts" in MODELS[model].traits:
        assert not [*net.parameters()] and isinstance(net, Counting)
        return
    torch.stack(list(parts.values())).sum().backward()
    without = {name for name, p in net.named_parameters() if p.grad is None or not torch.isfinite(p.grad).all()}
    # What a model learns in a second stream, an objective that does without streams cannot reach.
    rests = "streams" in MODELS[model].traits - OBJECTIVES[objective].traits
    assert all(rests and "query" in name for name in without)


@pytest.mark.parametrize(("model", "objective"), FITTING)
def test_the_same_seed_gives_the_same_model_and_the_same_batch(model: str, objective: str) -> None:
    (one, first), (two, second) = prepared(model, objective), prepared(model, objective)
    assert torch.equal(first.shown, second.shown)
    with torch.no_grad():
        assert torch.equal(one.eval()(first).tokens, two.eval()(second).tokens)


@pytest.mark.parametrize(("model", "objective", "pair"), [(*each, None) for each in LEARNT] + OWN_PAIRS)
def test_one_batch_is_learnt(model: str, objective: str, pair: str | None) -> None:
    before, after = learnt(*prepared(model, objective, pair))
    assert after < LEARNT_TO * before


def exercises(name: str) -> tuple[NDArray[np.int64], Exercise, Exercise]:
    """Rows of any ids that end in padding, and what the objective makes of them, twice."""
    objective, vocabulary = OBJECTIVES[name], words(name)
    rows = np.random.default_rng(0).integers(0, tokenizer().vocabulary.size, (16, 40))
    rows[:, -5:] = vocabulary.pad
    before = rows.copy()
    one, two = (objective.build(rows, objective.settings(), vocabulary, Dice(3, np.arange(16))) for _ in range(2))
    assert np.array_equal(rows, before)
    return rows, one, two


@pytest.mark.parametrize("name", TOKEN)
def test_a_token_objective_disturbs_a_copy_and_never_asks_for_padding(name: str) -> None:
    rows, one, two = exercises(name)
    t = one.shown.shape[1]
    assert one.shown.shape == one.asked.shape == one.answers.shape == (16, t)
    assert one.shown.dtype == one.answers.dtype == np.int64 and one.asked.dtype == np.bool_
    assert np.array_equal(one.shown, two.shown) and np.array_equal(one.asked, two.asked)
    assert (one.source is None) == (two.source is None) == ("writes" not in OBJECTIVES[name].traits)
    assert one.source is None or np.array_equal(one.source, two.source)
    assert one.asked.any() and not (one.answers[one.asked] == words(name).pad).any()
    assert one.table().shape in ((t, t), (16, t, t))
    if one.following:
        goes_on = one.asked[:, 1:] & one.asked[:, :-1] & ~words(name).is_special(one.shown[:, 1:])
        assert (one.shown[:, 1:] == one.answers[:, :-1])[goes_on].all() and goes_on.any()


@pytest.mark.parametrize(
    "name", [name for name in TOKEN if not (OBJECTIVES[name].packing.room or OBJECTIVES[name].decoding.seq2seq)]
)
def test_what_is_hidden_of_a_text_is_asked_and_special_tokens_are_not_hidden(name: str) -> None:
    rows, one, _ = exercises(name)
    hidden = one.shown != rows
    assert not hidden[words(name).is_special(rows)].any() and not (hidden & ~one.asked).any()


@pytest.mark.parametrize("name", [name for name in TOKEN if "writes" in OBJECTIVES[name].traits])
@pytest.mark.parametrize("context", [8, 64])
def test_a_source_and_what_is_written_of_its_answer_fit_into_the_context(name: str, context: int) -> None:
    objective = OBJECTIVES[name]
    run = plan(model=next(m.name for m in MODELS if fits(m, objective)), objective=name)
    for how in ({}, {"share": 0.5}):
        told = run.load(run.dump() | {"shape": {**run.shape, "context": context}, "objective_settings": how})
        exercise = Batches(told, stream(), words(name)).batch(0, 16)
        assert exercise.source is not None and exercise.asked is not None
        assert max(exercise.source.shape[1], exercise.shown.shape[1]) <= context
        assert exercise.source.shape[1] >= context // 3


@pytest.mark.parametrize("name", PAIR)
def test_a_pair_objective_gives_two_parts_that_fit_and_an_answer_with_a_name(name: str) -> None:
    objective = OBJECTIVES[name]
    sentences = [np.arange(n * 10, n * 10 + 1 + n % 7) for n in range(6)]
    seen = set()
    for seed in range(60):
        one, two = (
            objective.build(sentences, lambda: [np.array([900, 901])], 12, objective.settings(), Dice(seed))
            for _ in range(2)
        )
        assert np.array_equal(one.first, two.first) and np.array_equal(one.second, two.second)
        assert len(one.first) and len(one.second) and len(one.first) + len(one.second) <= 12
        seen.add(one.answer)
    assert seen == set(range(len(objective.answers)))
    assert all(len(answer) == 2 for answer in objective.answers)


def kept(text: str, keeps: str) -> str:
    """What a tokenizer promises to keep of a text that it knows: all of it, or its letters without the blanks."""
    return "".join(text.split()) if keeps == "letters" else text


@of(TOKENIZERS)
def test_a_tokenizer_gives_back_what_it_read_and_takes_no_text_for_a_special_token(name: str) -> None:
    known = tokenizer(name)
    keeps = TOKENIZERS[name].keeps
    assert kept(known.decode(known.encode(TEXT), begins=True), keeps) == kept(TEXT, keeps)
    assert [known.vocabulary.specials[special] for special in SPECIALS] == [*range(len(SPECIALS))]
    assert known.vocabulary.mask not in known.encode("[MASK] [PAD]") and known.vocabulary.size <= 300
    again = Tokenizer.load(known.save())
    assert again.kind == name and np.array_equal(again.encode(TEXT), known.encode(TEXT))
    spelt = b"".join(piece.bytes for piece in known.pieces(known.encode(TEXT))).decode()
    assert kept(spelt, keeps) == kept(TEXT, keeps)


@of(TOKENIZERS)
def test_a_tokenizer_cannot_be_trained_on_nothing_or_to_be_smaller_than_its_alphabet(name: str) -> None:
    entry = TOKENIZERS[name]
    with pytest.raises(SettingsError, match="no text"):
        entry.build([], entry.settings())
    with pytest.raises(SettingsError, match="vocabulary 3 is below|no setting 'vocabulary'"):
        entry.settings.load({"vocabulary": 3})


@of(SAMPLERS)
def test_a_sampler_keeps_the_best_token_and_the_order_of_the_rest(name: str) -> None:
    sampler = SAMPLERS[name]
    logits = 3 * torch.randn(50, generator=torch.Generator().manual_seed(0))
    before = logits.clone()
    kept = sampler.applied(logits, sampler.settings(), SoFar())
    assert torch.equal(logits, before) and kept.shape == logits.shape and not kept.isnan().any()
    assert torch.isfinite(kept.max())
    assert int(kept.argmax()) == int(logits.argmax()) or name == "typical"  # which may cut the likeliest
    inside = torch.isfinite(kept)
    assert torch.equal(kept[inside].argsort(), logits[inside].argsort())
    one = torch.full((50,), -torch.inf).index_fill(0, torch.tensor([7]), 0.0)
    assert int(sampler.applied(one, sampler.settings(), SoFar((7, 7), 1)).argmax()) == 7


@pytest.mark.parametrize("name", sorted({*CORPORA.names()} - {"hub"}))  # that one is asked in test_hub_corpus.py
def test_a_corpus_is_the_same_text_every_time(name: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("text,label\nfine,good\nbad,bad\n", encoding="utf-8")
    entry = CORPORA[name]
    samples = {"path": str(file), "text": TEXT, "stories": 20}
    values = {knob: samples[knob] for knob in entry.settings.knobs() if knob in samples}
    one, two = (entry.build(entry.settings.load(values)) for _ in range(2))
    assert one == two and one and all(document.text.strip() for document in one)
    assert all((document.label is not None) == bool(entry.labelled) for document in one)


@pytest.mark.parametrize(("model", "other"), MISFITS)
def test_what_does_not_fit_is_refused_in_words(model: str, other: str) -> None:
    kind = "task" if other in TASKS else "pair" if other in PAIR else "objective"
    with pytest.raises(SettingsError, match="needs a model that has: [a-z, ]+; "):
        plan(**{"model": model, kind: other})


@pytest.mark.parametrize(("model", "objective", "pair"), [(*each, None) for each in LEARNT] + OWN_PAIRS)
def test_every_fitting_run_is_trained(model: str, objective: str, pair: str | None, tmp_path: Path) -> None:
    folder = RunFolder.create(plan(model=model, objective=objective, pair=pair, training=steps(2)), tmp_path)
    assert all(math.isfinite(step.loss) for step in train(folder))
    assert math.isfinite(folder.document("result.json")["validation"]["loss"])


@of(TOKENIZERS)
def test_every_tokenizer_serves_a_run(name: str, tmp_path: Path) -> None:
    run = plan(tokenizer=name, tokenizer_settings=sized(TOKENIZERS[name], 300), training=steps(1))
    ready = prepare(RunFolder.create(run, tmp_path))
    assert ready.tokenizer.kind == name and len(ready.train.ids) > len(ready.valid.ids) > 0


@pytest.mark.parametrize("entry", EVERY)
def test_settings_go_to_disk_and_back(entry: Entry) -> None:
    settings = entry.settings()
    assert entry.settings.load(json.loads(json.dumps(settings.dump()))) == settings


@pytest.mark.parametrize("entry", EVERY)
def test_wrong_settings_are_refused_in_words(entry: Entry) -> None:
    with pytest.raises(SettingsError, match="there is no setting 'nonsense'"):
        entry.settings.load({"nonsense": 1})
    for name, item in entry.settings.knobs().items():
        knob, words = item.metadata["knob"], name.replace("_", " ")
        if knob.low is not None:
            for value, said in ((knob.low - 1, "is below"), (math.nan, "finite"), ("x", "must be"), (True, "must be")):
                with pytest.raises(SettingsError, match=f"{words}.*{said}"):
                    entry.settings.load({name: value})
        if knob.high is not None:
            with pytest.raises(SettingsError, match=f"{words}.*is above"):
                entry.settings.load({name: knob.high + 1})
        if len(name) > 3:
            with pytest.raises(SettingsError, match=f"did you mean '{name}'"):
                entry.settings.load({name[:-1] + "_": 1})


def test_the_smallest_shape_suits_every_model() -> None:
    for model in MODELS:
        assert isinstance(model.settings.load(shape(model.name)), Settings)
        assert Run.load(plan(model=model.name).dump()) == plan(model=model.name)
