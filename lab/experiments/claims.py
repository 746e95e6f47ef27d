"""A claim, measured: both arms seed by seed, and what the differences between them allow one to say.

A seed decides the first weights, the order of the texts and what is hidden of them, alike for both arms, so that their
difference is taken seed by seed. A claim holds where the 95 % interval of the mean difference lies on the side that it
names, and is contradicted where that lies on the other; between them there are too few seeds to say.
"""

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from pathlib import Path
from typing import Any, Literal

from lab.analysis.text_diversity import Diversity
from lab.catalog import CORPORA, MODELS
from lab.claim import Arm, ClaimEntry, ClaimSettings, Loss, PairAccuracy, Repetition, TaskScore
from lab.data.batches import Batches
from lab.data.corpus import documents_of, prepare
from lab.experiments.starts import Experiment, Start, outcome_of
from lab.inference.model import Trained, load
from lab.inference.sampling import sample
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.evaluate import check, evaluate
from lab.training.presets import authors_settings
from lab.training.run_request import pretraining
from lab.training.sizes import USUAL, shape
from lab.training.train import train

# Student's t (1908), two-sided 95 %, for 2 seeds, 3, and so on.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
MOST_SEEDS = len(STUDENT) + 1
MOST_DIGITS = 5  # behind the point
PAIRS = 2000  # that a model is asked about, at most
PROMPT = 20  # characters that a text is begun with
TUNED = {"batch": 16, "learning_rate": 1e-3}  # how labels are learnt from

Text = tuple[str, Mapping[str, Any]]  # a corpus by its name, and its settings


@dataclass(frozen=True)
class Measured:
    """What one arm came to with one seed. ``arm`` is 0 or 1."""

    arm: int
    seed: int
    value: float
    seconds: float  # of pretraining


@dataclass(frozen=True)
class Verdict:
    """What the differences, first arm less second, one for each seed, allow one to say."""

    differences: Sequence[float]
    mean: float
    low: float  # of the 95 % interval of the mean
    high: float
    says: Literal["holds", "contradicted", "unclear"]

    def figures(self, *, percent: bool) -> dict[str, str]:
        """``mean``, ``low`` and ``high`` in points or in nats, with so many digits that an interval which leaves out 0
        does not seem to touch it."""
        times = 100 if percent else 1
        values = {"mean": times * self.mean, "low": times * self.low, "high": times * self.high}
        digits = 1 if percent else 3
        while (
            self.says != "unclear" and digits < MOST_DIGITS and 0 in {round(value, digits) for value in values.values()}
        ):
            digits += 1
        return {name: f"{value:.{digits}f}" for name, value in values.items()}


def measured(
    claim: ClaimEntry, settings: ClaimSettings, text: Text, seeds: Sequence[int], threads: int
) -> Iterator[Measured]:
    """Both arms of a claim, seed by seed; one that is pretrained like the other is the same model. Of a run the end
    alone counts, and none is kept."""
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="cloze-lab-") as place:
            learnt = list[RunFolder]()
            for number, arm in enumerate(claim.build(settings)):
                run = replace(run_of(arm, settings, text, threads, seed), tuning_settings={"evaluations": 1})
                folder = next((earlier for earlier in learnt if earlier.run.alike(run)), None)
                if folder is None:
                    folder = _pretrained(run, Path(place) / str(number))
                    learnt.append(folder)
                seconds = folder.document("result.json")["seconds"]
                yield Measured(number, seed, value_of(arm.measure, folder), seconds)


def run_of(arm: Arm, settings: ClaimSettings, text: Text, threads: int, seed: int = 0) -> Run:
    """How an arm is pretrained: as the lab trains a model unasked, but for what the arm says."""
    model, chosen = MODELS[arm.model], arm.chosen
    objective = arm.objective or model.objective
    budget = {"steps": settings.steps, "batch": settings.batch, "threads": threads}
    return pretraining(
        model=model.name,
        corpus=text[0],
        tokenizer=model.tokenizer,
        objective=objective,
        pair=arm.pair,
        chosen={
            "model": {**shape(model.name, USUAL), **chosen.get("model", {})},
            "objective": {**authors_settings(model, objective), **chosen.get("objective", {})},
            "corpus": text[1],
            "tokenizer": {},
            "training": {**budget, **chosen.get("training", {})},
        },
        seed=seed,
    )


def _pretrained(run: Run, place: Path) -> RunFolder:
    folder = RunFolder.create(run, place)
    for _ in train(folder):
        pass
    return folder


@singledispatch
def value_of(measure: Any, folder: RunFolder) -> float:
    """What is measured of the run in ``folder``, in the measure's unit."""
    raise TypeError(f"nothing measures {measure}")


@value_of.register
def _(measure: Loss, folder: RunFolder) -> float:
    trained = load(folder)
    if measure.share is not None:
        trained = _asking(trained, objective_settings={**trained.run.objective_settings, "share": measure.share})
    return float(evaluate(trained, folder)["loss"])


@value_of.register
def _(measure: PairAccuracy, folder: RunFolder) -> float:
    trained = load(folder)
    asked = _asking(trained, pair=measure.objective, pair_settings={})
    feed = Batches(asked.run, prepare(folder).valid, trained.tokenizer.vocabulary, validating=True)
    return float(check(trained.model, feed, trained.device, PAIRS)["sequence_accuracy"])


@value_of.register
def _(measure: TaskScore, folder: RunFolder) -> float:
    spoken = CORPORA[folder.run.corpus].language  # labels are in the language of the text, English where it has none
    experiment = Experiment(
        task=measure.task,
        corpus=measure.corpus,
        corpus_settings={"language": "zh"} if spoken == "zh" else {},
        budgets=[measure.labels],
        seeds=[folder.run.seed],
        training={**TUNED, "steps": measure.steps, "threads": folder.run.plan.threads},
    )
    outcome = outcome_of(experiment, Start("", folder, measure.fresh), measure.labels, folder.run.seed)
    assert outcome is not None
    return outcome.score


@value_of.register
def _(measure: Repetition, folder: RunFolder) -> float:
    trained = load(folder)
    prompts = [document.text[:PROMPT] for document in documents_of(folder.run)[-measure.texts :]]
    written = [
        [token.id for token in sample(trained, prompt, [measure.chain], [seed], measure.tokens)[0]]
        for seed, prompt in enumerate(prompts)
    ]
    repeated = Diversity.of(written).repeated
    if repeated is None:
        raise SettingsError(
            "the model writes too little to repeat itself: train it longer", "模型写出的文本太短：请训练得更久"
        )
    return repeated


def _asking(trained: Trained, **changed: Any) -> Trained:
    """The same model, asked something else than it has learnt."""
    return replace(trained, run=replace(trained.run, **changed))


def verdict(claim: ClaimEntry, found: Sequence[Measured]) -> Verdict:
    """What a claim's measurements say, of at least two seeds."""
    first, second = ({each.seed: each.value for each in found if each.arm == arm} for arm in (0, 1))
    differences = [first[seed] - second[seed] for seed in second]
    mean, spread = statistics.mean(differences), statistics.stdev(differences)
    margin = STUDENT[len(differences) - 2] * spread / len(differences) ** 0.5
    low, high = mean - margin, mean + margin
    if low <= 0 <= high:
        return Verdict(differences, mean, low, high, "unclear")
    above = low > 0
    return Verdict(differences, mean, low, high, "holds" if above == (claim.says == "higher") else "contradicted")
