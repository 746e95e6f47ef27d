"""Translations: every word of the page in English and Chinese, and every error as a sentence to act on.

The words lie in assets/words, one file a page. A missing language is an error when the lab starts.
"""

import hashlib
import json
import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.context import LocalContext

from lab.registry import Entry
from lab.settings import SettingsError

ASSETS = Path(__file__).resolve().parents[2] / "assets"
LANGUAGES = ("en", "zh")
STOPS = tuple(".?!。？！")
GAP = re.compile(r"\{(\w+)\}")
UNIT = re.compile(r"(?<=[}\d]) (?=%|(?:[kMG]B|s)\b)")  # the blank between a number and its unit, which stay on one line
ONE = re.compile(r"\{(\w+)\|([^|}]+)\|([^|}]+)\}")  # {n|step|steps} is "step" where n is 1

log = logging.getLogger("lab.ui")


def load(folder: Path) -> dict[str, dict[str, str]]:
    """The words of every file in ``folder``: key to language to text. Keys open with the name of their file."""
    words: dict[str, dict[str, str]] = {}
    for file in sorted(folder.glob("*.json")):
        for key, texts in json.loads(file.read_text(encoding="utf-8")).items():
            if not key.startswith(file.stem + "."):
                raise KeyError(f"{file.name}: the key {key!r} must open with {file.stem + '.'!r}")
            if sorted(texts) != sorted(LANGUAGES) or not all(texts.values()):
                raise KeyError(f"{file.name}: {key!r} needs exactly the languages {', '.join(LANGUAGES)}")
            words[key] = texts
    return words


WORDS = load(ASSETS / "words")
I18N = gr.I18n(**{language: {key: texts[language] for key, texts in WORDS.items()} for language in LANGUAGES})


def word(key: str) -> Any:
    """A word for a label, info, placeholder or tab: the browser shows it in the visitor's language."""
    if key not in WORDS:
        raise KeyError(f"there is no word {key!r} in assets/words")
    if "{" in WORDS[key]["en"]:
        raise KeyError(f"the word {key!r} has gaps: use say() in a component or sentence() in Python")
    return I18N(key)


def both(en: str, zh: str) -> Any:
    """Like ``word`` for a pair that a registry entry or a knob brings along. Only while the page is being built."""
    key = "both." + hashlib.sha256(f"{en}\0{zh}".encode()).hexdigest()[:12]
    for language, text in zip(LANGUAGES, (en, zh), strict=True):
        I18N.translations[language][key] = text
    return I18N(key)


def say(key: str, **data: Any) -> dict[str, Any]:
    """A word inside a component's value; gaps such as ``{n}`` are filled with ``data`` in the browser."""
    if key not in WORDS:
        raise KeyError(f"there is no word {key!r} in assets/words")
    return {"word": key, **data}


def pair(en: str, zh: str) -> dict[str, str]:
    """A text of our own in both languages inside a component's value."""
    return {"en": en, "zh": zh}


def titled(entry: Entry) -> dict[str, str]:
    """What an entry of a register is called, inside a component's value."""
    return pair(entry.title, entry.title_zh)


def joined(mark: str, texts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Such texts with a mark between them, in both languages; empty where there is none."""
    return {language: mark.join(text[language] for text in texts) for language in LANGUAGES if texts}


def sentence(key: str, language: str, **data: Any) -> str:
    """A word in one language with its gaps filled, for text that Python must write; as words.js does."""
    text = UNIT.sub("\N{NO-BREAK SPACE}", WORDS[key][language])
    text = ONE.sub(lambda gap: gap[2] if str(data.get(gap[1])) == "1" else gap[3], text)
    return GAP.sub(lambda gap: str(data.get(gap[1], gap[0])), text)  # at once: what stands in a gap may look like one


def language_of(request: Any) -> str:
    """``"en"`` or ``"zh"``: what the address says, else what the visitor chose before, else what the browser asks."""
    if request is None:
        return "en"
    asked = dict(request.query_params).get("lang") or dict(request.cookies).get("lab_lang")
    asked = asked or dict(request.headers).get("accept-language", "")
    return "zh" if str(asked).strip().lower().startswith("zh") else "en"


def language_now() -> str:
    """The language of the visitor whose handler is running."""
    return language_of(LocalContext.request.get(None))


def note_of(error: Exception) -> dict[str, Any]:
    """An error as a note for the visitor, in both languages: what they can put right is said; anything else is logged
    under an id that they can quote, and never shown."""
    if isinstance(error, SettingsError):
        return {"title": say("frame.error.check"), "text": pair(upper(error.titled), upper(error.zh)), "mild": True}
    number = secrets.token_hex(4)
    log.error("log id %s", number, exc_info=error)
    return {"title": say("frame.error.title"), "text": say("frame.error.ours", id=number), "mild": False}


def complaint(error: SettingsError) -> dict[str, str]:
    """What an error says, as a sentence that stands alone, in both languages."""
    en, zh = upper(error.titled), upper(error.zh)
    return pair(en + "." * (en[-1:] not in STOPS), zh + "。" * (zh[-1:] not in STOPS))


def upper(text: str) -> str:
    """The text with a capital to open it, as a sentence has; a name such as vocab.json is left as it is spelt."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].rstrip(",:;").isalpha() else text


def in_language(text: dict[str, Any], language: str) -> str:
    """What ``say`` or ``pair`` made, in one language; so are the texts in its gaps."""
    if "word" not in text:
        return str(text[language])
    gaps = {name: in_language(data, language) if isinstance(data, dict) else data for name, data in text.items()}
    return sentence(text["word"], language, **gaps)
