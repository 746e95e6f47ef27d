"""The logit lens: the last row is the model's own answer, every other that of a model with no more layers."""

import copy
import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from random_runs import LABELS, randomise
from test_head_steps import FAMILIES, TEXT, made
from tiny import plan
from tiny import shape as smallest
from torch import Tensor, nn

from lab.catalog import MODELS
from lab.inference import early_exit
from lab.inference.asked import ask, gap_mark
from lab.inference.decoding import Reply
from lab.inference.early_exit import DECODED, POST, PRE, QUERY, exits
from lab.inference.logit_lens import LIKELIEST, lens
from lab.inference.model import Trained, build
from lab.inference.shown import Shown, shown
from lab.layers.discriminator import Discriminator
from lab.layers.enhanced import EnhancedStack
from lab.layers.stacks import OneStack, TwoStacks
from lab.layers.watch import looking
from lab.settings import SettingsError

DEEP = 3
MASK_DECODERS = [name for name in FAMILIES if isinstance(made(name).model, EnhancedStack)]


def going_on(trained: Trained, asked: Shown, place: int) -> Tensor:
    """What follows in the answer that an encoder-decoder writes, behind this place of it."""
    assert trained.seq2seq is not None
    text = Reply(trained, trained.seq2seq, asked.read)
    for token in asked.written[len(text.ids) : place + 1].tolist():
        text.add(token)
    return text.next_logits().softmax(-1)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_last_row_is_the_models_own_answer(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    found = exits(trained, asked)
    own = found.scores(-1).softmax(-1)
    asks = trained.seq2seq is None
    told = ask(trained, asked.text).probabilities if asks else going_on(trained, asked, found.meant)
    assert torch.allclose(own[found.meant], told, atol=1e-6)
    assert torch.allclose(own.sum(-1), torch.ones(len(found.places)), atol=1e-5)
    seen = lens(trained, asked)
    assert (seen.rank[-1] == 1).all() and torch.allclose(seen.final[-1], own.amax(-1), atol=1e-6)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in MASK_DECODERS])
def test_a_row_is_the_answer_of_a_model_that_has_no_more_layers(name: str) -> None:
    trained = made(name, depth=DEEP)
    asked = shown(trained, TEXT)
    found = exits(trained, asked)
    assert len(found.hidden) == DEEP + 1
    for layer in range(DEEP):
        model: Any = copy.deepcopy(trained.model)
        stack = model.decoder if isinstance(model, TwoStacks) else model.stack
        blocks = [copy.deepcopy(block) for _ in range(stack.times) for block in stack.blocks]
        stack.blocks, stack.times = nn.ModuleList(blocks[:layer]), 1
        assert torch.allclose(found.scores(layer).softmax(-1), answer(model, trained, asked), atol=1e-6), layer


def answer(model: Any, whole: Trained, asked: Shown) -> Tensor:
    """What a model answers at the places that the ``whole`` one is asked about, shown the same."""
    if isinstance(model, Discriminator):
        return exits(replace(whole, model=model), asked).scores(-1).softmax(-1)
    batch, *_ = early_exit._asked(whole, asked)
    with torch.no_grad():
        logits: Tensor = model(batch).tokens
    logits[:, early_exit._mute(whole)] = -torch.inf
    return logits.softmax(-1)


@pytest.mark.parametrize("name", MASK_DECODERS)
def test_a_mask_decoder_reads_any_layer_in_the_place_of_the_last_but_one(name: str) -> None:
    trained = made(name, depth=DEEP)
    asked, model = shown(trained, TEXT), trained.model
    assert isinstance(model, EnhancedStack)
    found, passed = exits(trained, asked), list[Tensor]()
    assert found.norm == DECODED and len(found.hidden) == DEEP
    for layer in range(DEEP):
        calls = itertools.count()

        def patched(x: Tensor, layer: int = layer, calls: Any = calls) -> Tensor | None:
            passed.append(x)
            return found.hidden[layer][None] if next(calls) == DEEP - 1 else None

        with looking({model.stack.watch: patched}):
            assert torch.allclose(found.scores(layer).softmax(-1), answer(model, trained, asked), atol=1e-6)
    assert len(passed) == DEEP * (DEEP + 1)


def test_an_embedding_s_answer_worked_out_by_hand() -> None:
    """GPT at layer 0: the sum of two rows, normalised, times each row of the token table."""
    trained = made("gpt", width=4)
    asked = shown(trained, "a b")
    found, model = exits(trained, asked), trained.model
    assert isinstance(model, OneStack) and found.norm == PRE
    table, places = model.stack.embed.tokens.weight, model.stack.embed.positions.table.weight  # type: ignore[union-attr]
    x = table[int(asked.read[1])] + places[1]
    norm = model.stack.norm
    x = (x - x.mean()) / (x.var(unbiased=False) + norm.eps) ** 0.5 * norm.weight + norm.bias
    scores = found.scores(0)[1]
    mute = scores.isinf()
    assert torch.allclose(scores[~mute], (table @ x)[~mute], atol=1e-6)
    assert {*mute.nonzero()[:, 0].tolist()} == {*early_exit._mute(trained)}


def test_ranks_entropies_and_names_of_three_answers() -> None:
    trained = made("bert")
    seen = lens(trained, shown(trained, TEXT))
    found = exits(trained, shown(trained, TEXT))
    layer, place = 1, 3
    shares = found.scores(layer).softmax(-1)[place]
    final = int(found.scores(-1)[place].argmax())
    order = shares.argsort(descending=True).tolist()
    assert seen.likeliest[layer, place].tolist() == order[:LIKELIEST]
    assert seen.rank[layer, place] == 1 + order.index(final)
    assert float(seen.final[layer, place]) == pytest.approx(float(shares[final]))
    some = [float(share) for share in shares if share > 0]
    assert float(seen.entropy[layer, place]) == pytest.approx(-sum(p * math.log(p) for p in some), abs=1e-4)
    assert seen.most == pytest.approx(math.log(len(shares) - len(early_exit._mute(trained))), abs=1e-6)
    assert seen.answers.keys() == {*seen.likeliest.flatten().tolist()} and seen.what == "token"
    assert len(seen.tokens) == len(seen.places) == len(shown(trained, TEXT).read)


def test_each_kind_of_model_is_asked_where_it_answers() -> None:
    def asked_of(name: str, text: str = TEXT, **more: Any) -> early_exit.Exits:
        trained = made(name, **more)
        return exits(trained, shown(trained, text))

    assert asked_of("bert").norm == POST and asked_of("gpt").what == "next"
    xlnet = asked_of("xlnet")
    assert xlnet.norm == QUERY and len(xlnet.places) == 1  # its gap, and nothing that sees itself
    glm = asked_of("glm")
    assert glm.what == "next" and glm.places[0] == len(shown(made("glm"), TEXT).text)
    t5 = asked_of("t5")
    assert len(t5.ids) == len(shown(made("t5"), TEXT).written) == len(t5.places)
    assert asked_of("electra").what == "replaced"
    for name in ("xlnet", "glm"):
        with pytest.raises(SettingsError, match="put a"):
            asked_of(name, "no gap at all")


def test_what_t5_says_in_a_gap_follows_the_mark_of_the_gap() -> None:
    trained = made("t5")
    asked = shown(trained, TEXT)
    mark = gap_mark(trained, asked.read)
    assert mark is not None and gap_mark(trained, shown(trained, "no gap").read) is None
    assert gap_mark(made("bart"), shown(made("bart"), TEXT).read) is None
    opened = int(asked.written[0])
    batch = replace(asked.batch, shown=torch.tensor([[opened, mark]]), asked=torch.tensor([1]))
    with torch.no_grad():
        logits: Tensor = trained.model(batch).tokens[0]
    logits[early_exit._mute(trained)] = -torch.inf
    assert torch.allclose(ask(trained, asked.text).probabilities, logits.softmax(-1), atol=1e-6)
    written = np.array([opened, mark, 300])
    found = exits(
        trained, replace(asked, batch=replace(asked.batch, shown=torch.from_numpy(written)[None]), written=written)
    )
    assert found.meant == 1
    assert torch.allclose(found.scores(-1)[1].softmax(-1), logits.softmax(-1), atol=1e-6)


def test_a_prefix_that_is_seen_whole_is_asked_at_its_end_alone() -> None:
    trained = made("bert")
    run = plan(model="bert", shape=smallest("bert"), objective="prefix_lm")
    trained = replace(trained, run=run)
    asked = shown(trained, "The cat sat")
    found = exits(trained, asked)
    assert found.places.tolist() == [len(asked.read) - 1]
    assert torch.allclose(found.scores(-1).softmax(-1)[0], ask(trained, asked.text).probabilities, atol=1e-6)


@pytest.mark.parametrize("name", ["bert", "gpt", "electra", "xlnet", "deberta_v2", "bart"])
def test_a_classifier_is_asked_for_the_class_of_the_text(name: str) -> None:
    model = MODELS[name]
    run = plan(model=name, shape=smallest(name) | {"depth": 2}, kind="finetune", task="classify", parent="x")
    body = build(run, 300, len(LABELS)).eval()
    randomise(body)
    trained = Trained(run, body, made(name).tokenizer, LABELS)
    asked = shown(trained, TEXT)
    seen = lens(trained, asked)
    own = ask(trained, asked.text)
    assert seen.what == "class" and seen.likeliest.shape == (3, 1, 3), model
    assert torch.allclose(exits(trained, asked).scores(-1)[0].softmax(-1), own.probabilities, atol=1e-6)
    assert {*seen.answers.values()} == {*LABELS}


def test_a_run_that_answers_more_than_a_class_gets_a_sentence() -> None:
    run = plan(model="bert", kind="finetune", task="tokens", parent="x")
    trained = Trained(run, build(run, 300, 0, 3).eval(), made("bert").tokenizer, LABELS)
    with pytest.raises(SettingsError, match="no single answer"):
        exits(trained, shown(trained, TEXT))
