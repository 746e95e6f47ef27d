"""Claims of the literature: two arms that differ in one thing, a verdict that may be none, and what was measured."""

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_cli import lab

from lab.analysis.text_diversity import Diversity
from lab.catalog import CLAIMS, CORPORA, OBJECTIVES, SAMPLERS, TASKS
from lab.claim import ENTITY_F1, Arm, ClaimEntry, Loss, PairAccuracy, Repetition, TaskScore
from lab.cli.claim import _text
from lab.experiments import claims
from lab.experiments.claims import MOST_SEEDS, STUDENT, Measured, measured, run_of, value_of, verdict
from lab.experiments.recorded import recorded
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.run_request import command

NAMES = CLAIMS.names()
FEW = ("town_en", {"stories": 30})
# In which parts the runs of both arms differ; where in none, they are measured otherwise.
APART: dict[str, set[str]] = {
    "depth": {"shape"},
    "dynamic_masking": {"objective_settings"},
    "masking_rate": {"objective_settings", "training"},
    "parameter_sharing": {"shape"},
    "sentence_order": {"pair", "pair_settings"},
    "bidirectional": {"objective", "objective_settings"},
    "pretraining": set(),
    "greedy_decoding": set(),
    "recurrence": {"model", "shape"},
}


def arms_of(claim: ClaimEntry, **settings: Any) -> tuple[Arm, Arm]:
    first, second = claim.build(claim.settings.load(settings))
    return first, second


@pytest.mark.parametrize("name", NAMES)
def test_the_arms_of_a_claim_differ_in_one_thing_and_are_measured_alike(name: str) -> None:
    claim = CLAIMS[name]
    first, second = arms_of(claim)
    assert all(first.title) and all(second.title) and first.title != second.title
    assert all(claim.found) and not claim.found[0].endswith(".") and not claim.found[1].endswith("。")
    assert type(first.measure) is type(second.measure) and claim.paper and claim.says in ("higher", "lower")
    runs = [run_of(arm, claim.settings.load({}), FEW, 1) for arm in (first, second)]
    one, other = (run.dump() for run in runs)
    assert {part for part in one if one[part] != other[part]} == APART[name]
    assert APART[name] or first.measure != second.measure
    assert all(run.plan.steps == claim.settings.load({}).steps and run.seed == 0 for run in runs)


def test_a_measure_asks_for_what_there_is() -> None:
    for claim in CLAIMS:
        assert claim.corpus in CORPORA and CORPORA[claim.corpus].settings.load(dict(claim.corpus_settings))
        for arm in arms_of(claim):
            match arm.measure:
                case PairAccuracy(objective=objective):
                    assert OBJECTIVES[objective].stage == "pair" and arm.pair not in (None, objective)
                case TaskScore(task=task, corpus=corpus, score=score):
                    assert CORPORA[corpus].task == TASKS[task].name
                    assert score[0].lower().replace(" ", "_") == TASKS[task].score
                case Repetition(chain=chain):
                    assert all(SAMPLERS[sampler].settings.load(settings) for sampler, settings in chain)
                case Loss(share=share):
                    assert share is None or arm.objective in (None, "mlm")


# ---- the verdict


def found(*pairs: tuple[float, float]) -> list[Measured]:
    """Seed by seed, what both arms came to."""
    return [Measured(arm, seed, pair[arm], 1.0) for seed, pair in enumerate(pairs) for arm in (0, 1)]


def test_differences_are_taken_seed_by_seed_and_a_wide_interval_says_nothing() -> None:
    says = verdict(CLAIMS["depth"], found((2.0, 1.0), (3.0, 1.0), (4.0, 1.0)))
    assert says.differences == [1.0, 2.0, 3.0] and says.mean == 2.0
    # 4.303 times a spread of 1 over the root of 3.
    assert (says.low, says.high) == pytest.approx((2 - 2.4843, 2 + 2.4843), abs=1e-4) and says.says == "unclear"


@pytest.mark.parametrize(("expected", "says"), [("higher", "holds"), ("lower", "contradicted")])
def test_a_claim_holds_where_the_interval_lies_on_its_side(expected: Any, says: str) -> None:
    claim = replace(CLAIMS["depth"], says=expected)
    above = found((2.0, 1.0), (2.1, 1.0), (2.2, 1.0))
    assert verdict(claim, above).says == says
    below = [replace(each, arm=1 - each.arm) for each in above]
    assert verdict(claim, below).says == ({"holds", "contradicted"} - {says}).pop()


def test_two_arms_that_come_to_the_same_say_nothing() -> None:
    assert verdict(CLAIMS["depth"], found((1.0, 1.0), (2.0, 2.0))).says == "unclear"


@pytest.mark.parametrize("seeds", range(2, MOST_SEEDS + 1))
def test_the_intervals_are_students(seeds: int) -> None:
    """Between plus and minus the quantile lies 95 % of the distribution, summed up here by Simpson's rule."""
    freedom, most, parts = seeds - 1, STUDENT[seeds - 2], 20_000
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    height = [scale * (1 + (most * n / parts) ** 2 / freedom) ** (-(freedom + 1) / 2) for n in range(parts + 1)]
    inside = 2 * most / parts / 3 * (height[0] + 4 * sum(height[1::2]) + 2 * sum(height[2:-1:2]) + height[-1])
    assert inside == pytest.approx(0.95, abs=5e-5)


# ---- measuring


def test_both_arms_see_the_same_seeds_and_a_model_that_serves_both_learns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[tuple[str, int]] = []
    learn = claims.train

    def counted(folder: RunFolder) -> Any:
        trained.append((folder.run.model, folder.run.seed))
        return learn(folder)

    monkeypatch.setattr(claims, "train", counted)
    claim = CLAIMS["greedy_decoding"]
    settings = claim.settings.load({"steps": 2, "texts": 3, "tokens": 12})
    came = [*measured(claim, settings, FEW, range(2), 1)]
    assert [(each.arm, each.seed) for each in came] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert trained == [("gpt", 0), ("gpt", 1)] and came[0].seconds == came[1].seconds
    assert all(0 <= each.value <= 1 for each in came)


def test_what_is_measured_is_what_the_measure_names(tmp_path: Path) -> None:
    pair = CLAIMS["sentence_order"]
    folder = claims._pretrained(run_of(arms_of(pair)[0], pair.settings.load({"steps": 2}), FEW, 1), tmp_path / "run")
    own = folder.document("result.json")["validation"]
    assert value_of(PairAccuracy(objective="sop"), folder) == pytest.approx(own["sequence_accuracy"])
    assert value_of(PairAccuracy(objective="nsp"), folder) != own["sequence_accuracy"]
    assert value_of(Loss(), folder) == value_of(Loss(share=0.15), folder) != value_of(Loss(share=0.9), folder)
    score = TaskScore(task="tokens", score=ENTITY_F1, corpus="town_entities", labels=4, steps=2)
    assert 0 <= value_of(score, folder) <= 1
    with pytest.raises(SettingsError, match="fill gaps"):
        value_of(Repetition(chain=[("greedy", {})], texts=2, tokens=8), folder)


def test_a_4_gram_that_comes_again_is_a_repeated_one() -> None:
    assert Diversity.of([[1, 2, 3, 4, 9, 1, 2, 3, 4]]).repeated == pytest.approx(1 / 6)


# ---- the command


def test_the_command_lists_the_claims_and_measures_one(tmp_path: Path) -> None:
    listed = lab("claim", "--json").document["claims"]
    assert [each["name"] for each in listed] == NAMES
    own = tmp_path / "own.txt"
    own.write_text("The cat sat on the mat, and the dog saw it. " * 200, encoding="utf-8")
    done = lab("claim", "depth", "--steps", 2, "--deep", 3, "--seeds", 2, "--threads", 1, "--json", "--corpus", own)
    document = done.document
    assert document["claim"] == "depth" and document["settings"]["deep"] == 3
    assert document["arms"][0]["title"] == "3 layers" and "--depth 3" in document["arms"][0]["command"]
    assert [each["seed"] for each in document["measured"]] == [0, 0, 1, 1]
    assert document["verdict"]["says"] in ("holds", "unclear", "contradicted")
    assert done.err.count("seed") == 4


def test_what_a_claim_asks_of_its_text_is_asked_of_another_that_knows_it(tmp_path: Path) -> None:
    claim, own = CLAIMS["dynamic_masking"], tmp_path / "own.txt"
    own.write_text("The cat sat on the mat.", encoding="utf-8")
    assert _text(claim, None) == ("town_en", {"stories": 100})
    assert _text(claim, "town_zh") == ("town_zh", {"stories": 100})
    assert _text(claim, str(own)) == ("file", {"path": str(own)})


@pytest.mark.parametrize("seeds", [1, MOST_SEEDS + 1])
def test_too_few_or_too_many_seeds_are_refused_in_one_sentence(seeds: int) -> None:
    done = lab("claim", "depth", "--seeds", seeds)
    assert done.code == 2 and done.err.strip() == f"error: --seeds must lie between 2 and {MOST_SEEDS}, not at {seeds}"


@pytest.mark.parametrize("flags", [("--seeds", 2), ("--threads", 1), ("--corpus", "town_zh")])
def test_flags_without_a_claim_to_measure_are_refused(flags: tuple[str, object]) -> None:
    done = lab("claim", *flags)
    assert done.code == 2 and done.err == "error: name the claim that is to be measured; without one all are listed\n"
    assert lab("claim").code == 0


def test_a_misspelt_claim_is_answered_with_the_nearest() -> None:
    assert "pretraining" in lab("claim", "pretrainng").err


# ---- what comes with the lab


@pytest.mark.parametrize("corpus", ["town_en", "town_zh"])
@pytest.mark.parametrize("name", NAMES)
def test_what_comes_with_the_lab_was_measured_as_the_command_measures(name: str, corpus: str) -> None:
    claim, document = CLAIMS[name], recorded(f"claims/{corpus}/{name}")
    assert document is not None, "assets/experiments/claims holds what was measured"
    settings = claim.settings.load({knob: document["settings"][knob] for knob in claim.settings.knobs()})
    assert settings == claim.settings.load({}) and document["settings"]["seeds"] >= 3
    came = [Measured(**each) for each in document["measured"]]
    assert [(each.arm, each.seed) for each in came] == [
        (a, s) for s in range(document["settings"]["seeds"]) for a in (0, 1)
    ]
    says = verdict(claim, came)
    assert says.says == document["verdict"]["says"] and says.mean == pytest.approx(document["verdict"]["mean"])
    text = document["corpus"], document["corpus_settings"]
    assert text == (corpus, dict(claim.corpus_settings))
    for arm, told in zip(claim.build(settings), document["arms"], strict=True):
        assert told["title"] == arm.title[0]
        assert told["command"] == command(run_of(arm, settings, text, document["settings"]["threads"]))
        assert shlex.split(told["command"])[:4] == ["python", "-m", "lab", "pretrain"]
