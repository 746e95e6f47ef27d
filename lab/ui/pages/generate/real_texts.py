"""Texts that no model wrote, to hold beside those that one did."""

import re

from lab.corpora.town_stories import Tongue, document

TOLD = 1_000_000_007  # the seed of a town that no shipped model has read
_CHINESE = re.compile("[\u4e00-\u9fff]")


def tongue(text: str) -> Tongue:
    """The language in which stories suit a text."""
    return "zh" if _CHINESE.search(text) else "en"


def stories(count: int, language: Tongue) -> list[str]:
    """So many stories of that town."""
    return [document(TOLD, number, language).text for number in range(count)]
