"""What is counted on tensors without numbers is what a step with numbers does and keeps."""

from typing import Any

import pytest
import torch
from tiny import shape

from lab.batch import losses
from lab.catalog import MODELS
from lab.engine import cost
from lab.engine.cost import ROWS, Cost, Saved, any_batch, fresh_model, kept_per_token, one_step, step_cost
from lab.engine.forecast import Finished, machine_rate
from lab.engine.run import IMPORTED, Run

WORDS = 600
LEARNING = [entry.name for entry in MODELS if "counts" not in entry.traits]
DEEP = [name for name in LEARNING if "depth" in MODELS[name].settings.knobs()]
SMALL = {"width": 32, "heads": 4, "context": 16}


def plan(model: str, batch: int = ROWS, **sizes: Any) -> Run:
    """A run of a model with its own objective."""
    entry = MODELS[model]
    known = {name: size for name, size in sizes.items() if name in entry.settings.knobs()}
    values = {"kind": IMPORTED, "model": model, "shape": {**shape(model), **known}}
    values |= {"objective": entry.extra["objective"], "pair": entry.extra["pair"]}
    return Run.load({**values, "training": {"steps": 1, "batch": batch}})


@pytest.mark.parametrize("model", LEARNING)
def test_a_step_keeps_what_it_is_said_to_keep(model: str) -> None:
    run = plan(model, width=64)
    batch, built = any_batch(run, WORDS), fresh_model(run, WORDS)
    saved = Saved(built)
    with torch.autograd.graph.saved_tensors_hooks(saved.keep, lambda tensor: tensor):
        sum(losses(built(batch), batch).values())
    said = step_cost(run, WORDS).activations
    inside = any(isinstance(part, torch.nn.LSTM) for part in built.modules())  # a kernel that keeps things to itself
    assert said == pytest.approx(saved.bytes, rel=0.25 if inside else 0.01)


@pytest.mark.parametrize("model", DEEP)
def test_three_blocks_tell_what_five_cost(model: str) -> None:
    run = plan(model, depth=5)
    said = step_cost(run, WORDS)
    whole = one_step(run, any_batch(run, WORDS), WORDS)
    assert [said.forward, said.backward, said.activations] == pytest.approx(whole, rel=1e-6)


def test_the_operations_of_gpt_are_those_of_its_maps_and_its_looks() -> None:
    t, width, depth = 16, 32, 2
    maps = depth * 12 * width**2 + WORDS * width  # four of attention, eight of the feed-forward layer, the head
    looks = depth * 2 * t * width  # scores and sums, each token with each
    said = step_cost(plan("gpt", **SMALL, depth=depth), WORDS)
    answered = ROWS * (t - 1) / (ROWS * t)  # the last token has no next
    assert said.forward == 2 * ROWS * t * (maps - (1 - answered) * WORDS * width + looks)
    weights = 2 * (said.forward - 2 * ROWS * t * looks)  # each map again, for what came in and for itself
    assert said.backward == weights + 2.5 * 2 * ROWS * t * looks  # scores are worked out again and not kept


def test_sharing_saves_weights_and_their_moments_and_no_operations() -> None:
    bert, albert = (step_cost(plan(name, **SMALL, depth=4, narrow=32), WORDS) for name in ("bert", "albert"))
    assert albert.optimizer < 0.5 * bert.optimizer
    assert albert.forward == pytest.approx(bert.forward, rel=0.05)
    assert albert.activations == pytest.approx(bert.activations, rel=0.05)


def test_a_step_of_more_rows_costs_as_much_more() -> None:
    one, four = (step_cost(plan("bert", batch=size), WORDS) for size in (8, 32))
    assert four == Cost(
        parameters=one.parameters,
        tokens=4 * one.tokens,
        forward=4 * one.forward,
        backward=4 * one.backward,
        activations=4 * one.activations,
    )
    assert four.training == 16 * four.parameters + four.activations


def test_what_is_remembered_of_a_token_is_a_key_and_a_value_of_each_head() -> None:
    sizes = {"width": 32, "heads": 4, "depth": 5}
    assert kept_per_token(plan("gpt", **sizes), WORDS) == 4 * 5 * 2 * 32
    assert kept_per_token(plan("llama", **sizes, groups=1), WORDS) == 4 * 5 * 2 * 8
    assert kept_per_token(plan("lstm", **sizes), WORDS) == 0
    assert kept_per_token(plan("bert", **sizes), WORDS) is None


def test_the_largest_published_shape_is_counted_without_memory() -> None:
    shape = {"width": 12288, "depth": 96, "heads": 96, "context": 2048}
    said = step_cost(plan("gpt", **shape), 50257)
    assert said.parameters == 174_604_259_328
    assert said.per_token == pytest.approx(6 * said.parameters, rel=0.05)


def test_the_pace_of_this_machine_is_that_of_the_runs_most_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    run = plan("gpt", **SMALL)
    like, unlike = plan("gpt", **SMALL, batch=9), plan("gpt", **SMALL, batch=4096)
    parameters = step_cost(run, WORDS).parameters
    done = [Finished(unlike, WORDS, parameters, 1e6)] * 3 + [Finished(like, WORDS, parameters, 1000.0)] * 2
    monkeypatch.setattr("lab.engine.forecast.finished", lambda _: iter(done))
    rate, measured = machine_rate(run, step_cost(run, WORDS))
    assert measured and rate == pytest.approx(1000 * step_cost(like, WORDS).per_token)
    monkeypatch.setattr("lab.engine.forecast.finished", lambda _: iter([]))
    rate, measured = machine_rate(run, step_cost(run, WORDS))
    assert not measured and rate > 0


def test_what_is_the_same_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step_cost(plan("bert"), WORDS)
    monkeypatch.setattr(cost, "one_step", None)
    step_cost(plan("bert", batch=64), WORDS)
