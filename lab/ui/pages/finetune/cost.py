"""What a comparison will take: texts, steps and time, and how many parameters move in each way."""

from collections.abc import Mapping, Sequence
from typing import Any

from lab.analysis.moving import moved
from lab.runs.run import Run
from lab.runs.tuning import FULL, GRADUAL, LAST, OWN
from lab.runs.vocabulary_size import vocabulary_size
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.pages.finetune.arms import parent_title, way
from lab.ui.runs.fine_tuning import Comparison, by_untaught_token, finetuning, seconds_of
from lab.ui.runs.labelled_texts import FaultyFile
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import clock, grouped, percent, short
from lab.ui.words import complaint, say

FEW_STEPS = 50  # below which small models still name the commonest class, as measured on the town's sentiment


def cost(visitor: str, asked: Mapping[str, Any]) -> Values:
    """How many texts and steps, how long, and what moves; or the sentence that says why it cannot be."""
    try:
        planned = finetuning(asked, visitor)
        seconds = checked(planned)
    except SettingsError as error:
        faulty = isinstance(error, FaultyFile)  # what is wrong stands beside the file, where it can be put right
        why = say("finetune.cost.file") if faulty else complaint(error)
        return {"forecast": {"tiles": []}, "objection": [["note", why]]}
    run, texts, each = planned.runs[0], planned.texts, planned.rows[0].each
    held = say("finetune.cost.test") if texts.held is None else say("finetune.cost.held", n=grouped(texts.held))
    step = say("finetune.cost.batch", n=run.plan.batch)
    if each > 1:
        step = say("finetune.cost.batch.rows", n=run.plan.batch, each=f"{each:.1f}")
    tiles = [
        ("texts", grouped(planned.learnt), held),
        ("steps", grouped(run.plan.steps or 0), step),
        ("seconds", say("finetune.cost.about", n=clock(seconds)), say("finetune.cost.runs", n=len(planned.runs))),
    ]
    named = [{"name": say(f"finetune.cost.{name}"), "value": value, "note": note} for name, value, note in tiles]
    moving = [_moving(each, texts.classes) for each in _each_way(planned.runs)]
    return {"forecast": {"tiles": named + moving}, "objection": [*_hurried(run), *_untaught(planned.runs, visitor)]}


def checked(planned: Comparison) -> float:
    """The seconds that the longest of the runs will take, about. Raises SettingsError where that is more than is
    allowed here, or where nothing would move."""
    longest, most = max(seconds_of(planned, planned.runs)), limits().seconds
    if longest > most:
        raise SettingsError(
            f"this would take about {clock(longest)} for each run; at most {clock(most)} are allowed here",
            f"每个训练大约需要 {clock(longest)}，这里最多允许 {clock(most)}",
        )
    for run in _each_way(planned.runs):
        moved(run, vocabulary_size(run), planned.texts.classes)
    return longest


def _hurried(run: Run) -> list[list[Any]]:
    """That so few steps teach next to nothing, whatever a run starts from."""
    steps = run.plan.steps or 0
    return [["note", say("finetune.steps.few", n=steps)]] if steps < FEW_STEPS else []


def _untaught(runs: Sequence[Run], visitor: str) -> list[list[Any]]:
    """Which of the runs will sum a text up by a first token that pretraining here has taught nothing."""
    starts = {run.parent: run for run in runs if not run.fresh}.values()
    return [
        ["note", say("finetune.pooling.untaught", title=parent_title(visitor, run))]
        for run in starts
        if run.tuning.pooling == OWN and by_untaught_token(run)
    ]


def _each_way(runs: Sequence[Run]) -> list[Run]:
    """One run of each family and way to fine-tune it."""
    return [*{(run.parent, run.tuning): run for run in reversed(runs)}.values()][::-1]


def _moving(run: Run, classes: int) -> dict[str, Any]:
    counted = moved(run, vocabulary_size(run), classes)
    rest = run.tuning.how == FULL and counted.moving < counted.parameters
    shared = run.tuning.how in (LAST, GRADUAL) and run.settings_of("model").dump().get("sharing", "none") != "none"
    more = ".all" if rest else ".shared" if shared else ""
    note = say(f"finetune.cost.of{more}", n=grouped(counted.parameters), share=percent(counted.share))
    return {"name": say("finetune.cost.moving", how=way(run)), "value": short(counted.moving), "note": note}
