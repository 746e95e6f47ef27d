"""What is counted on tensors without numbers is what a step with numbers does and keeps."""

import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import shape

from lab.analysis import cost
from lab.analysis.cost import ROWS, any_batch, example_cost, fresh_model, kept_per_token, one_step, step_cost
from lab.analysis.forecast import PACE, Finished, checks_of, forecast, pace, said, take_pace
from lab.analysis.ledger import Ledger, Saved
from lab.analysis.moving import moved
from lab.batch import Batch, losses
from lab.catalog import MODELS
from lab.inference.probe import watching
from lab.inference.tuning import tuned
from lab.published import OPTIMIZERS
from lab.runs.folder import home
from lab.runs.run import IMPORTED, Run
from lab.runs.tuning import HOW
from lab.training.optimizers import optimizer_of

WORDS = 600
LEARNING = [entry.name for entry in MODELS if "counts" not in entry.traits]
DEEP = [name for name in LEARNING if "depth" in MODELS[name].settings.knobs()]
SMALL = {"width": 32, "heads": 4, "context": 16}


def plan(model: str, batch: int = ROWS, budget: dict[str, Any] | None = None, **sizes: Any) -> Run:
    """A run of a model with its own objective."""
    entry = MODELS[model]
    known = {name: size for name, size in sizes.items() if name in entry.settings.knobs()}
    values = {"kind": IMPORTED, "model": model, "shape": {**shape(model), **known}}
    values |= {"objective": entry.objective, "pair": entry.pair}
    return Run.load({**values, "training": {"batch": batch, **(budget or {"steps": 1})}})


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


def test_a_large_elmo_is_counted_as_if_no_word_came_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    run = plan("elmo", depth=1)
    batch = any_batch(run, 3000)
    with_numbers = one_step(run, batch, 3000)
    monkeypatch.setattr(cost, "SMALL", 0)
    monkeypatch.setattr(cost, "_over_words", lambda *_: pytest.fail("a large one would take minutes with numbers"))
    assert one_step(run, batch, 3000) == pytest.approx(with_numbers, rel=0.05)


@pytest.mark.parametrize("model", ["word2vec", "glove", "elmo", "spanbert"])
@pytest.mark.parametrize("words", [WORDS, 20_000])
def test_the_gradients_of_all_weights_are_held_however_many_words_there_are(model: str, words: int) -> None:
    said = step_cost(plan(model), words)
    assert said.working >= said.weights and said.training >= 2 * said.weights + said.optimizer


def test_fine_tuning_costs_what_it_trains() -> None:
    base = {**plan("bert", depth=4).dump(), "task": "classify", "pair": None}
    ways = {how: step_cost(Run.load({**base, "tuning_settings": {"how": how}}), WORDS) for how in HOW}
    full = ways["full"]
    for how, cost_of in ways.items():
        run = Run.load({**base, "tuning_settings": {"how": how}})
        model = tuned(fresh_model(run, WORDS), run)
        trained = sum(each.numel() for each in model.parameters() if each.requires_grad)
        assert cost_of.optimizer <= 8 * trained
        assert cost_of.parameters == sum(each.numel() for each in model.parameters())
        if how not in ("full", "gradual"):
            assert (
                cost_of.optimizer < full.optimizer / 2
                and cost_of.training < full.training
                and cost_of.backward < full.backward
            )
    assert ways["frozen"].backward < ways["last"].backward


@pytest.mark.parametrize("model", ["bert", "glm4", "llama", "electra", "spanbert", "bart"])
def test_an_optimizer_keeps_nothing_of_what_no_task_reaches(model: str) -> None:
    """As many numbers as fine-tuning says that it moves."""
    run = plan(model, budget={"steps": 1, "optimizer": "adamw"})
    run = Run.load({**run.dump(), "task": "classify", "pair": None})
    assert step_cost(run, WORDS).optimizer == 8 * moved(run, WORDS).moving


def test_a_run_without_a_second_objective_has_no_head_for_one() -> None:
    alone, pair = (Run.load({**plan("bert").dump(), "pair": pair}) for pair in (None, "nsp"))
    for run in (alone, pair):
        model = fresh_model(run, WORDS)
        assert step_cost(run, WORDS).parameters == sum(each.numel() for each in model.parameters())


@pytest.mark.parametrize("model", DEEP)
def test_three_blocks_tell_what_four_cost(model: str) -> None:
    run = plan(model, depth=4)
    said = step_cost(run, WORDS)
    whole = one_step(run, any_batch(run, WORDS), WORDS)
    held = max(whole[4] + whole[5], whole[6] + whole[7])
    assert [said.forward, said.backward, said.written, said.activations] == pytest.approx(whole[:4], rel=1e-6)
    assert said.working == pytest.approx(held, rel=1e-3)


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
    bert, albert = (step_cost(plan(name, **SMALL, depth=4, embedding_width=32), WORDS) for name in ("bert", "albert"))
    assert albert.parameters < 0.5 * bert.parameters and albert.optimizer < 0.65 * bert.optimizer
    assert albert.forward == pytest.approx(bert.forward, rel=0.05)
    assert albert.activations == pytest.approx(bert.activations, rel=0.05)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", ["gpt", "t5"])
def test_an_optimizer_is_said_to_keep_what_it_keeps(model: str, optimizer: str) -> None:
    run = plan(model, width=64)
    run = replace(run, training={**run.training, "optimizer": optimizer})
    built = fresh_model(run, WORDS)
    stepping = optimizer_of(built, run.plan, 0.01)
    sum(losses(built(any_batch(run, WORDS)), any_batch(run, WORDS)).values()).backward()
    stepping.step()
    state = [value for kept in stepping.state.values() for value in kept.values()]
    held = [value for value in state if isinstance(value, torch.Tensor) and value.dim()]  # less the count of steps
    assert step_cost(run, WORDS).optimizer == 4 * sum(value.numel() for value in held)


def test_a_step_of_more_rows_costs_as_much_more() -> None:
    one, four = (step_cost(plan("bert", batch=size), WORDS) for size in (8, 32))
    assert (four.parameters, four.tokens, four.forward) == (one.parameters, 4 * one.tokens, 4 * one.forward)
    assert (four.backward, four.activations) == (4 * one.backward, 4 * one.activations)
    assert four.activations < four.working <= 4 * one.working


@pytest.mark.parametrize("model", ["gpt", "bert", "llama"])
def test_a_model_has_every_position_however_few_a_row_takes(model: str) -> None:
    sizes = {"width": 32, "heads": 4, "depth": 2, "context": 16}
    short, whole = (example_cost(model, sizes, WORDS, length, 2) for length in (8, 16))
    assert (short.parameters, short.optimizer) == (whole.parameters, whole.optimizer)
    assert short.optimizer >= 8 * short.parameters and short.tokens < whole.tokens


def test_what_is_remembered_of_a_token_is_a_key_and_a_value_of_each_head() -> None:
    sizes = {"width": 32, "heads": 4, "depth": 5}
    assert kept_per_token(plan("gpt", **sizes), WORDS) == 4 * 5 * 2 * 32
    assert kept_per_token(plan("llama", **sizes, kv_heads=1), WORDS) == 4 * 5 * 2 * 8
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
    other = Finished(plan("bert", **SMALL), WORDS, parameters, 100, 1e8)
    alike = [Finished(like, WORDS, parameters, 100, 900.0)] * 2
    done = [Finished(unlike, WORDS, parameters, 100, 1e8)] * 3 + [other, *alike]
    monkeypatch.setattr("lab.analysis.forecast.finished", lambda _: iter(done))
    seconds, measured = pace(run, step_cost(run, WORDS))
    told = step_cost(like, WORDS)
    of_a_step = 900.0 / (100 + checks_of(like, told))
    assert measured and seconds == pytest.approx(of_a_step * said(run, step_cost(run, WORDS)) / said(like, told))
    monkeypatch.setattr("lab.analysis.forecast.finished", lambda _: iter([other, *alike[:1], other]))
    assert pace(run, step_cost(run, WORDS))[0] == seconds, "another model says nothing where there is one of its own"


def test_before_a_run_has_finished_a_few_steps_of_usual_models_tell_the_pace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plan("gpt", **SMALL)
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
    counted = said(run, step_cost(run, WORDS))
    assert pace(run, step_cost(run, WORDS)) == (counted, False)
    monkeypatch.setattr("lab.analysis.forecast.USUAL_MODELS", ("bert",))
    take_pace()
    slower = json.loads((home() / PACE).read_text())["slower"]
    assert slower > 0 and pace(run, step_cost(run, WORDS)) == (slower * counted, False)
    for damaged in ("", "[]", '{"slower": null}', "{"):
        (home() / PACE).write_text(damaged)
        assert pace(run, step_cost(run, WORDS)) == (counted, False)


@pytest.mark.parametrize("budget", [{"steps": 500}, {"seconds": 60.0}])
def test_a_run_takes_as_long_as_the_same_run_took(budget: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run = plan("gpt", budget=budget, **SMALL)
    took = Finished(run, WORDS, step_cost(run, WORDS).parameters, 500, 60.0)
    monkeypatch.setattr("lab.analysis.forecast.finished", lambda _: iter([took]))
    found = forecast(run, WORDS)
    assert (found.steps, found.seconds) == (500, pytest.approx(60.0))


def test_checks_cost_as_many_steps_as_their_rows_go_forward() -> None:
    """26 checks of 64 rows; a step of 8 rows goes forward and twice as far back."""
    run, short = (plan("gpt", budget={"steps": steps}, **SMALL, batch=8) for steps in (500, 3))
    told = replace(step_cost(run, WORDS), forward=1.0, backward=2.0)
    assert checks_of(run, told) == pytest.approx(26 * 8 / 3)
    assert checks_of(short, told) == pytest.approx(3 * 8 / 3), "at most one behind each step"


@pytest.mark.parametrize("model", MODELS.names())
def test_every_model_has_a_forecast_on_a_machine_that_has_finished_any(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """n-gram has no parameters before it reads, and word2vec and GloVe multiply no matrices."""
    run = plan(model)
    for done in (Finished(plan("gpt"), WORDS, 1000, 30, 3.0), Finished(plan("ngram"), WORDS, 0, 30, 3.0)):
        monkeypatch.setattr("lab.analysis.forecast.finished", lambda _, done=done: iter([done]))
        found = forecast(run, WORDS)
        assert 0 < found.seconds < math.inf and found.memory > 0


def test_what_is_the_same_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step_cost(plan("bert"), WORDS)
    monkeypatch.setattr(cost, "one_step", None)
    step_cost(plan("bert", batch=64), WORDS)


def test_what_is_held_at_once_is_what_a_step_of_hand_holds() -> None:
    """A map of 100 to 100 numbers for 50 rows, twice: worked out tensor by tensor, in numbers of four bytes."""
    layers = torch.nn.Sequential(torch.nn.Linear(100, 100, bias=False), torch.nn.Linear(100, 100, bias=False))
    x = torch.ones(50, 100)
    with Ledger(layers, [x]) as ledger:
        layers(x).sum().backward()
    assert ledger.operations == 2 * 50 * 100 * 100 * 5  # each map forward and for its weights, the second for its input
    first, second, total = 50 * 100, 50 * 100, 1
    assert ledger.last[1] == 4 * 2 * 100 * 100
    assert 4 * (first + second + total) <= ledger.fullest[0] <= 4 * (first + second + total + 2 * 100 * 100)


def test_counting_leaves_the_forward_passes_of_other_threads_alone() -> None:
    """While one thread counts steps, another reads with a model: its answers are those given alone."""
    run, reader = plan("bert"), fresh_model(plan("gpt", **SMALL), WORDS).eval()
    batch = any_batch(plan("gpt", **SMALL), WORDS)
    with torch.no_grad():
        alone = reader(batch).tokens
    done = threading.Event()

    def count() -> None:
        step = any_batch(run, WORDS)
        for _ in range(3):
            one_step(run, step, WORDS)
        done.set()

    counting = threading.Thread(target=count)
    counting.start()
    answers = 0
    while not done.is_set() and counting.is_alive():
        with torch.no_grad():
            assert torch.equal(reader(batch).tokens, alone)
        answers += 1
    counting.join()
    assert done.is_set() and answers
    assert not torch.nn.modules.module._global_forward_pre_hooks


def test_who_looks_at_a_model_sees_their_own_thread_alone() -> None:
    model, texts = fresh_model(plan("bert"), WORDS).eval(), [any_batch(plan("bert", batch=n), WORDS) for n in (2, 3)]

    def look(batch: Batch) -> list[torch.Tensor]:
        with torch.no_grad(), watching(model) as seen:
            model(batch)
        return seen.maps

    alone = [look(batch) for batch in texts]
    with ThreadPoolExecutor(2) as both:
        for found in both.map(lambda _: [look(batch) for batch in texts], range(8)):
            for mine, wanted in zip(found, alone, strict=True):
                assert len(mine) == len(wanted) and all(map(torch.equal, mine, wanted))
