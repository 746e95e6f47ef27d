"""One head step by step: every number is the model's own, and the last one too, for every family that attends."""

from typing import Any

import pytest
import torch
from random_runs import randomise, tokenizer
from tiny import plan
from tiny import shape as smallest

from lab.analysis.count import attends
from lab.catalog import MODELS, OBJECTIVES
from lab.data.corpus import marked
from lab.inference.attention_maps import maps_of
from lab.inference.head_steps import head_steps
from lab.inference.model import Trained, build
from lab.inference.passed import passed
from lab.inference.probe import watching
from lab.inference.shown import Shown, shown
from lab.inference.tuning import tuned
from lab.layers.disentangled import Disentangled, log_buckets
from lab.settings import SettingsError

TEXT = "The cat [MASK] on the mat. Where is the dog?"
FAMILIES = [entry.name for entry in MODELS if attends(entry.name)]
TWO_STACKS = ("encoder", "decoder", "cross")
MORE = {"kv_heads": 1, "theta": 5e5, "rope_scale": 8.0, "buckets": 8, "window": 4}


def made(name: str, **more: Any) -> Trained:
    """A model of the family whose every number is random, with two layers of two heads."""
    known = MODELS[name].settings.knobs()
    shape = smallest(name) | {"depth": 2} | {size: value for size, value in MORE.items() if size in known} | more
    run = plan(model=name, shape=shape)
    cut = marked(tokenizer(), OBJECTIVES[run.objective])
    model = build(run, cut.vocabulary.size, 0).eval()
    randomise(model)
    return Trained(run, model, cut)


def kinds(name: str) -> tuple[str, ...]:
    return TWO_STACKS if MODELS[name].paradigm == "encoder-decoder" else ("",)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_steps_of_every_family_end_in_the_model_s_own_hidden_state(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    maps = {each.kind: each for each in maps_of(trained, asked)}
    for kind in kinds(name):
        for layer in range(2):
            first, second = (head_steps(trained, asked, kind, layer, head) for head in range(2))
            assert max(first.off, second.off) < 1e-6
            assert torch.allclose(first.matrices["weights"], maps[kind].maps[layer, 0], atol=1e-6)
            assert (first.lookers, first.looked) == (maps[kind].lookers, maps[kind].tokens)
            together = first.matrices["own"] + second.matrices["own"] + first.maps["own"].bias
            assert torch.allclose(together, first.matrices["added"], atol=1e-5)
            assert first.steps[0].name == "hidden" and first.steps[-1].makes == "out"


@pytest.mark.parametrize("name", FAMILIES)
def test_queries_keys_and_values_are_made_by_the_maps_that_are_named(name: str) -> None:
    trained = made(name)
    for kind in kinds(name):
        steps = head_steps(trained, shown(trained, TEXT), kind, 1, 1)
        for step in steps.steps:
            if step.makes in ("q", "k", "v"):
                worked_out = steps.maps[step.makes](steps.matrices[step.takes[0]])
                assert torch.allclose(worked_out, steps.matrices[step.makes], atol=1e-5), step


def test_a_score_and_a_weight_worked_out_by_hand() -> None:
    """Heads of two numbers: a score is two products, added and divided by the root of two."""
    trained = made("gpt", width=4, heads=2)
    steps = head_steps(trained, shown(trained, "a b"), "", 0, 0)
    q, k, last = steps.matrices["q"].tolist(), steps.matrices["k"].tolist(), len(steps.lookers) - 1
    scores = [(q[last][0] * key[0] + q[last][1] * key[1]) / 2**0.5 for key in k]
    assert steps.matrices["scaled"][last].tolist() == pytest.approx(scores, abs=1e-6)
    powers = [2.718281828459045**score for score in scores]
    weights = [power / sum(powers) for power in powers]
    assert steps.matrices["weights"][last].tolist() == pytest.approx(weights, abs=1e-6)
    v = steps.matrices["v"].tolist()
    mixed = [sum(weight * value[i] for weight, value in zip(weights, v, strict=True)) for i in range(2)]
    assert steps.matrices["mixed"][last].tolist() == pytest.approx(mixed, abs=1e-6)
    assert steps.matrices["masked"][0, 1] == -torch.inf and steps.matrices["weights"][0, 0] == 1


@pytest.mark.parametrize(
    ("name", "more"), [("llama", {"rope_scaling": "yarn"}), ("chatglm", {}), ("glm4", {}), ("mistral", {"window": 2})]
)
def test_what_is_turned_on_its_way_is_shown_before_and_after(name: str, more: dict[str, Any]) -> None:
    trained = made(name, **more)
    steps = head_steps(trained, shown(trained, TEXT), "", 0, 1)
    assert steps.rotary is not None
    q, turned = steps.matrices["q"], steps.matrices["turned_q"]
    angle = float(steps.rotary.speeds[0]) * 3  # the fourth token, its first pair
    x, y = (float(each) * steps.rotary.longer for each in q[3, :2])
    cos, sin = torch.tensor(angle).cos().item(), torch.tensor(angle).sin().item()
    assert turned[3, :2].tolist() == pytest.approx([x * cos - y * sin, x * sin + y * cos], abs=1e-5)


def test_a_family_without_scaling_and_one_without_a_softmax_take_their_own_steps() -> None:
    names = {
        name: [step.name for step in head_steps(made(name), shown(made(name), TEXT), kind, 0, 0).steps]
        for name, kind in (("t5", "encoder"), ("linear_transformer", ""), ("gpt", ""), ("bert", ""), ("glm4", ""))
    }
    assert "bias" in names["t5"] and "bias" not in names["bert"]
    assert {"features", "zeroed", "shares"} <= {*names["linear_transformer"]}
    assert not {"scaled", "softmax"} & {*names["linear_transformer"]}
    assert names["gpt"].index("norm") < names["gpt"].index("q")
    assert names["bert"].index("norm") > names["bert"].index("residual")
    assert names["glm4"].count("norm") == 2  # what attention adds is normalised, too


@torch.no_grad()
@pytest.mark.parametrize("name", ["deberta_v1", "deberta_v2", "deberta_v3"])
def test_what_distances_add_is_told_apart_and_is_what_loops_over_tokens_find(name: str) -> None:
    """Content to position is the looker's query with the distance's key; position to content the other's key with the
    distance's query. Distances count t - s in both, as in the authors' code."""
    trained = made(name)
    asked = shown(trained, TEXT)
    steps = head_steps(trained, asked, "", 1, 1)
    assert [step.name for step in steps.steps if step.name in ("scaled", "c2p", "p2c", "masked")] == [
        "scaled",
        "c2p",
        "p2c",
        "masked",
    ]
    part = passed(trained.model, asked.batch, "", 1).part
    assert isinstance(part, Disentangled)
    distances, (q, k) = part.distances, (steps.matrices[name] for name in "qk")
    half, width = distances.table.num_embeddings // 2, q.shape[1]
    for t in range(len(q)):
        for s in range(len(k)):
            apart = torch.tensor([t - s])
            near = log_buckets(apart, distances.buckets // 2, distances.context) if distances.buckets else apart
            query, key = part.places(distances.norm(distances.table((near + half).clamp(0, 2 * half - 1))))
            ours = slice(width, 2 * width)  # of the second head
            assert steps.matrices["c2p"][t, s] == pytest.approx(float(q[t] @ key[0, ours]) * steps.scale, abs=1e-5)
            assert steps.matrices["p2c"][t, s] == pytest.approx(float(k[s] @ query[0, ours]) * steps.scale, abs=1e-5)
    whole = steps.matrices["scaled"] + steps.matrices["c2p"] + steps.matrices["p2c"]
    assert torch.allclose(steps.matrices["with_p2c"], whole)


def test_a_learned_prefix_is_looked_at_like_tokens() -> None:
    trained = made("bert")
    run = plan(model="bert", kind="finetune", task="classify", tuning_settings={"how": "prefix", "prefix": 3})
    model = tuned(trained.model, run)
    randomise(model)
    steps = head_steps(Trained(trained.run, model, trained.tokenizer), shown(trained, TEXT), "", 1, 0)
    assert steps.prefix == 3 and steps.off < 1e-6
    assert steps.matrices["weights"].shape == (len(steps.lookers), 3 + len(steps.looked))


def test_a_head_that_is_not_there_and_one_with_two_sets_of_steps_get_a_sentence() -> None:
    trained = made("bert")
    asked = shown(trained, TEXT)
    for kind, layer, head, sentence in (("", 0, 2, "2 heads"), ("", 2, 0, "2 layers"), ("cross", 0, 0, "no maps")):
        with pytest.raises(SettingsError, match=sentence):
            head_steps(trained, asked, kind, layer, head)
    run = plan(model="longformer", shape=smallest("longformer"))
    judge = Trained(run, build(run, 300, 2).eval(), trained.tokenizer)
    with pytest.raises(SettingsError, match="two sets of steps"):
        head_steps(judge, asked, "", 0, 0)


def test_typed_special_tokens_are_read_as_such_and_open_the_second_segment() -> None:
    trained = made("bert")
    asked = shown(trained, "[CLS] the cat [SEP] a [PAD] [MASK] [SEP]")
    marks = [piece.text for piece in trained.tokenizer.pieces(asked.read) if piece.special]
    assert marks == ["[CLS]", "[SEP]", "[PAD]", "[MASK]", "[SEP]"]
    second = asked.read.tolist().index(trained.tokenizer.vocabulary.separate) + 1
    assert asked.batch.segments is not None
    assert asked.batch.segments[0].tolist() == [0] * second + [1] * (len(asked.read) - second)
    assert shown(trained, "the cat [SEP]").batch.segments is None
    assert shown(made("roberta"), "a [SEP] b").batch.segments is None
    assert shown(made("xlnet"), "the cat").batch.segments is not None  # its [CLS] has a segment of its own


def test_what_is_looked_at_leaves_no_trace() -> None:
    trained = made("bert")
    asked: Shown = shown(trained, TEXT)
    head_steps(trained, asked, "", 1, 1)
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(asked.batch)
    assert len(seen.maps) == 2 and not any(part.met.watched for part in trained.model.modules() if hasattr(part, "met"))
