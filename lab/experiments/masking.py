"""The mismatch of masked language modelling: [MASK] stands in what a model is pretrained on, and in no text after that.

Devlin et al. 2018 (section 3.1, appendix C.2) answer it by masking not all of the tokens that are asked: 80 % become
[MASK], 10 % are kept and 10 % become a random token. Here models that differ in these shares alone are asked about the
same tokens of unseen text in three views, all of them masked, all kept (the text is whole, as in fine-tuning) or all
random; and then each is fine-tuned, once all of it and once the head alone.

N asked positions
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from lab.data.batches import Batches
from lab.data.corpus import prepare
from lab.data.stream import Stream
from lab.experiments.starts import Experiment, Outcome, Start, outcome_of
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.runs.tuning import FULL
from lab.settings import SettingsError
from lab.training.run_request import Chosen, pretraining
from lab.training.train import train

VIEWS = {"masked": (1.0, 0.0), "kept": (0.0, 0.0), "random": (0.0, 1.0)}  # shares of [MASK] and of random tokens
SHARE = 0.15  # of the tokens that are asked, whatever a run has learnt with
ROWS = 256  # of unseen text
SHAPE = {"width": 96, "depth": 2, "heads": 3, "context": 32}


@dataclass(frozen=True)
class Arm:
    """How the tokens that are asked are shown, as the paper's table 8 writes it: in percent, masked/kept/random."""

    name: str

    def check(self) -> None:
        """Raise SettingsError unless the name is three percentages that sum to 100."""
        parts = self.name.split("/")
        if len(parts) != 3 or not all(map(str.isdecimal, parts)) or sum(map(int, parts)) != 100:
            raise SettingsError(
                f"an arm is three percentages that add up to 100, masked/kept/random as in 80/10/10, not {self.name!r}",
                f"每组为相加得 100 的三个百分数：掩码/保留/随机，例如 80/10/10，而不是 {self.name!r}",
            )

    @property
    def settings(self) -> dict[str, float]:
        """Settings of the objective. Raises SettingsError as ``check`` does."""
        self.check()
        mask, _, other = (int(part) / 100 for part in self.name.split("/"))
        return {"mask": mask, "random": other}


@dataclass(frozen=True)
class Answered:
    """What a model says of the tokens that it is asked in one view."""

    nats: float  # the mean loss
    right: float  # how often the likeliest token is the one that belongs there
    copied: float  # how often it is the one that is shown there


@dataclass(frozen=True)
class Measured:
    """One arm with one seed: its answers by view, and its scores when ``full`` and when ``frozen``."""

    arm: str
    seed: int
    answers: Mapping[str, Answered]
    scores: Mapping[str, float]
    baselines: Mapping[str, float]
    seconds: float  # of pretraining


def answered(trained: Trained, folder: RunFolder) -> dict[str, Answered]:
    """The three views of the same tokens of the text that a run keeps for validation. Raises SettingsError for a run
    that has not learnt by this objective."""
    if trained.run.objective != "mlm" or trained.run.task:
        raise SettingsError(
            "choose a model that was pretrained with masked language modelling", "请选择用掩码语言模型预训练的模型"
        )
    held = prepare(folder).valid
    return {name: _view(trained, held, mask, other) for name, (mask, other) in VIEWS.items()}


def _view(trained: Trained, held: Stream, mask: float, other: float) -> Answered:
    shown = {"share": SHARE, "mask": mask, "random": other}
    run = trained.run.load(
        trained.run.dump() | {"pair": None, "pair_settings": {}, "objective_settings": shown}
    )  # what is asked is drawn before what is shown: the same tokens in every view
    feed = Batches(run, held, trained.tokenizer.vocabulary, validating=True)
    nats, right, copied, count = 0.0, 0, 0, 0
    for batch in feed.validation(ROWS):
        with torch.no_grad():
            logits = trained.model(batch.to(trained.device)).tokens.float().cpu()  # (N, V)
        assert batch.answers is not None and batch.asked is not None
        predicted = logits.argmax(-1)  # (N,)
        nats += functional.cross_entropy(logits, batch.answers, reduction="sum").item()
        right += int((predicted == batch.answers).sum())
        copied += int((predicted == batch.shown.flatten()[batch.asked]).sum())
        count += len(predicted)
    return Answered(*(round(value / max(count, 1), 6) for value in (nats, right, copied)))


def run_of(arm: Arm, corpus: str, also: Mapping[str, Any], training: Mapping[str, Any], **about: Any) -> Run:
    """The run that pretrains a small BERT so. ``also`` are settings of the corpus."""
    chosen: Chosen = {"model": SHAPE, "objective": arm.settings, "corpus": also, "tokenizer": {}, "training": training}
    return pretraining(model="bert", objective="mlm", corpus=corpus, tokenizer="byte_bpe", chosen=chosen, **about)


def measured(
    arms: Sequence[Arm],
    seeds: Sequence[int],
    corpus: tuple[str, Mapping[str, Any]],
    training: Mapping[str, Any],
    experiment: Experiment,
    rates: Mapping[str, float],
) -> Iterator[Measured]:
    """Pretrain every arm seed by seed, ask it, and fine-tune it by the first budget of the ``experiment`` in each of
    the ways that ``rates`` has a learning rate for. No run is kept."""
    for seed in seeds:
        for arm in arms:
            with tempfile.TemporaryDirectory(prefix="cloze-lab-") as place:
                run = run_of(arm, *corpus, training, seed=seed)
                folder = RunFolder.create(run, Path(place) / "run")
                for _ in train(folder):
                    pass
                answers = answered(load(folder), folder)
                tuned = {how: _tuned(experiment, Start(arm.name, folder), seed, how, rates[how]) for how in rates}
                yield Measured(
                    arm=arm.name,
                    seed=seed,
                    answers=answers,
                    scores={how: outcome.score for how, outcome in tuned.items()},
                    baselines=tuned[FULL].baselines,
                    seconds=folder.document("result.json")["seconds"],
                )


def _tuned(experiment: Experiment, start: Start, seed: int, how: str, rate: float) -> Outcome:
    own = replace(experiment, training={**experiment.training, "learning_rate": rate}, tuning={"how": how})
    outcome = outcome_of(own, start, own.budgets[0], seed)
    assert outcome is not None
    return outcome
