"""Notes that somebody keeps with a run; the words in them that begin with # are its tags.

Chinese has no blank in front of a word, and its input methods a wide ＃.
"""

import json
import re

from lab.runs.files import write
from lab.runs.folder import RunFolder
from lab.text import clean

NOTES = "notes.json"
MOST, TAGS = 2_000, 8  # characters, and tags that count
_TAG = re.compile(r"(?<![A-Za-z0-9_#＃])[#＃](\w[\w.-]{0,29})")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def notes_of(folder: RunFolder) -> str:
    """What was noted, "" where nothing was."""
    text = folder.document(NOTES).get("text", "")
    return text if isinstance(text, str) else ""


def take_note(folder: RunFolder, text: str) -> str:
    """Keep a text with the run, in the place of the one that was there; what was kept."""
    kept = _UNSEEN.sub("", clean(text)).strip()[:MOST]
    if kept:
        write(folder.path / NOTES, json.dumps({"text": kept}, ensure_ascii=False))
    else:
        (folder.path / NOTES).unlink(missing_ok=True)
    return kept


def tags(text: str) -> list[str]:
    """The tags of a note, each once, as they come."""
    return list(dict.fromkeys(_TAG.findall(text)))[:TAGS]
