"""Stories of the town that a run does not learn from: those that a town of the usual size keeps for validation."""

from lab.corpora.town_stories import Tongue, Town, document
from lab.data.corpus import HELD_OUT


def unseen_story(language: Tongue, number: int) -> str:
    """One of them, counted from 0 and round again."""
    town = Town()
    first = round(town.stories * (1 - HELD_OUT))
    return document(town.seed, first + number % (town.stories - first), language).text
