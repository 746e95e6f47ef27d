"""Picking a run to ask: the visitor's own and those that come with the lab, in the address as the run's id; and the
step at which its model is asked, where snapshots were kept along the run."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from lab.runs.checkpoint import newest
from lab.runs.run import Run
from lab.runs.snapshots import steps, unkept
from lab.serve.ownership import owners, seen
from lab.settings import SettingsError
from lab.ui.components.memo import Memo
from lab.ui.components.snapshots import SnapshotSlider
from lab.ui.runs.published_models import published_models
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.visitor import choices, label, unseen
from lab.ui.words import word

CHECKPOINT = r"(?:[\w.-]{1,200}@[\w.-]{1,40})?"  # a run and its newest checkpoint


class RunPicker:
    """A dropdown of runs and a slider over the snapshots of the chosen one. ``run`` holds its id, "" until there is
    one, and ``step`` the step as text, "" for the run as it is; they are shared as ``run`` and ``step``. A handler that
    takes one model lists ``asked`` among its inputs and is wrapped by ``of_model``; ``changes`` are to be listened to.

    The list is read anew when the page is opened, when an address names a run, and when somebody unfolds it. Whoever
    comes back to the page and finds that the run has learnt on is answered by the model as it is now.
    """

    def __init__(
        self,
        frame: Frame,
        title: str,
        suits: Callable[..., bool],
        model: str,
        why: Callable[..., SettingsError] | None = None,
        *,
        strangers: bool = True,
        snapshots: bool = True,
        wanted: Any = None,
    ) -> None:
        """``suits`` says which runs can be asked, ``why`` what is to be said of one that cannot; one of the family
        ``model`` is chosen at first. ``strangers`` says whether a run may be asked that somebody else
        showed, ``snapshots`` whether it may be asked as it was. Both functions are told the value of ``wanted``, a
        component, where what suits depends on it."""
        self.suits, self.why, self.model, self.strangers = suits, why, model, strangers
        runs = choices("", suits)
        first = self._first("", suits)
        self.run = frame.share("run", Memo(first, pattern=r"[\w.-]{0,200}"))
        self.dropdown = gr.Dropdown(runs, value=first or None, label=word(title), filterable=False)
        self.step = frame.share("step", Memo(pattern=r"\d{0,10}")) if snapshots else Memo()
        slider = SnapshotSlider(None, visible=snapshots)
        published_models(frame, self.run, (lambda run: True) if wanted is not None else suits)
        asked_last, self.again = Memo(pattern=CHECKPOINT), Memo(pattern=CHECKPOINT)
        asked = [self.run, frame.visitor, self.step, *([] if wanted is None else [wanted])]
        answered = {"choices": self.dropdown, "run": self.run, "step": self.step, "slider": slider}
        for event in (self.dropdown.focus, *([] if wanted is None else [wanted.change])):
            frame.listen(event, self.read_again, asked, answered)
        coming = self.come_back, [asked_last, *asked], answered | {"newest": asked_last, "again": self.again}
        frame.listen(self.run.change, *coming)
        frame.opens(*coming)
        frame.listen(frame.reopened, *coming)
        chosen = [self.run, self.step]
        self.dropdown.input(None, [self.dropdown], chosen, js="(run) => [run || '', '']", api_visibility="private")
        slider.scrub(None, None, [self.step], js="() => window.lab.fired.step", api_visibility="private")

    @property
    def asked(self) -> list[Any]:
        """The inputs that say which model is meant."""
        return [self.run, self.step]

    @property
    def changes(self) -> list[Any]:
        """The events at which another model is meant."""
        return [self.run.change, self.step.change, self.again.change]

    def read_again(self, run: str, visitor: str, step: str = "", *wanted: Any) -> Values:
        """The runs of this moment, and the chosen one: the usual one where the wanted one cannot be had, and that is
        said; and the step, if its weights were kept."""

        def suits(run: Run) -> bool:
            return self.suits(run, *wanted)

        runs = choices(visitor, suits)
        if self.strangers and run not in [name for _, name in runs]:
            runs += linked(run, suits)
        chosen = run if run in [name for _, name in runs] else self._first(visitor, suits)
        refused = {NOTE: self._refusal(run, visitor, *wanted)} if run and run != chosen else {}
        kept = steps(seen(chosen).path) if chosen else []
        at = int(step) if str(step).isdecimal() and run == chosen and int(step) in kept else None
        if str(step).isdecimal() and run == chosen and at is None:
            refused = {NOTE: unkept(seen(run).path, int(step))}
        return {
            "choices": gr.update(choices=runs, value=chosen or None),
            "run": chosen,
            "step": "" if at is None else step,
            "slider": {"steps": kept, "at": at},
            **refused,
        }

    def come_back(self, before: str, *asked: Any) -> Values:
        """As ``read_again``; and where the run, asked as it is, has another newest checkpoint than ``before``, all that
        listen to ``changes`` are to ask again."""
        values = self.read_again(*asked)
        run = values["run"]
        state = newest(seen(run).path / "checkpoints") if run else None
        now = f"{run}@{state.name}" if state else ""
        learnt_on = before.partition("@")[0] == run and before != now and not values["step"]
        return values | {"newest": now} | ({"again": now} if learnt_on else {})

    def _first(self, visitor: str, suits: Callable[[Run], bool]) -> str:
        """The run that is chosen where nobody has chosen any."""
        liked = choices(visitor, lambda run: suits(run) and run.model == self.model)
        return next((name for _, name in liked or choices(visitor, suits)), "")

    def _refusal(self, name: str, visitor: str, *wanted: Any) -> SettingsError:
        """Why a run cannot be asked here."""
        try:
            folder = seen(name)
            run = folder.run
        except SettingsError:
            return SettingsError(
                f"there is no run {name!r} here: another one is shown", f"这里没有训练 {name!r}：显示的是另一个"
            )
        except ValueError:
            return SettingsError(
                f"the run {name!r} is damaged: another one is shown", f"训练 {name!r} 已损坏：显示的是另一个"
            )
        if not self.suits(run, *wanted):
            return (
                self.why(run, *wanted)
                if self.why
                else SettingsError(
                    f"{label(run, folder)} cannot be asked on this page: another run is shown",
                    f"本页无法使用 {label(run, folder)}：显示的是另一个训练",
                )
            )
        if not self.strangers and not folder.is_everybodys and folder.run_owner not in owners(visitor):
            return unseen(visitor, name)
        return SettingsError(
            f"{label(run, folder)} has saved nothing yet: another run is shown",
            f"{label(run, folder)} 还没有保存过：显示的是另一个训练",
        )


def of_model(handler: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """The handler, whose input number ``place`` names a model, for inputs that have a run and a step there."""

    def asked(*inputs: Any) -> Any:
        run, step = inputs[place : place + 2]
        return handler(*inputs[:place], named(run, step), *inputs[place + 2 :])

    def streamed(*inputs: Any) -> Iterator[Any]:
        yield from asked(*inputs)

    return streamed if inspect.isgeneratorfunction(handler) else asked


def named(run: str, step: str) -> str:
    """What a model is called: its run's id, and behind an @ the step at which it is meant."""
    return f"{run}@{step}" if run and step else run


def linked(name: str, suits: Callable[[Run], bool]) -> list[tuple[str, str]]:
    """A run that somebody else showed by its address, if it can be asked. Nobody can guess a run's id."""
    try:
        folder = seen(name)
        run = folder.run
    except ValueError:
        return []
    able = newest(folder.path / "checkpoints") is not None and suits(run)
    return [(label(run, folder), folder.name)] if able else []
