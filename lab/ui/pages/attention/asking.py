"""What a fold asks of a model and a text, and what it says where that cannot be had."""

from collections.abc import Callable
from typing import Any

from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.words import complaint, say


def of_text(
    run: str, text: str, nothing: Callable[[dict[str, Any]], Values], work: Callable[[Trained], Values]
) -> Values:
    """What ``work`` finds for the run's model and the text, or what ``nothing`` makes of the reason why it cannot.
    Raises SettingsError where the text is longer than any that is read here."""
    within(text, limits().prompt)
    if not run:
        return nothing(say("attention.no_runs"))
    try:
        return work(visitor.trained(run))
    except SettingsError as error:
        return nothing(complaint(error))
