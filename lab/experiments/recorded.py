"""Experiments that were measured for the lab and come with it, as the documents that the command line prints."""

import json
from functools import cache
from typing import Any

from lab.analysis.count import ASSETS

PLACE = ASSETS / "experiments"


@cache
def recorded(name: str) -> dict[str, Any] | None:
    """The document of an experiment, if it comes with the lab."""
    path = PLACE / f"{name}.json"
    if not path.is_file():
        return None
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document
