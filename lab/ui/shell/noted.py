"""An answer that stands, with a sentence about what was asked for and could not be had."""

from dataclasses import dataclass
from typing import Any

from lab.settings import SettingsError

NOTE = "noted"  # under this name a handler whose answers are spread by name puts the sentence


@dataclass(frozen=True)
class Noted:
    """``answer`` is what the handler gives; ``note`` is shown beside it for a while."""

    answer: Any
    note: SettingsError
