"""The probe sentence that a run is asked about while it learns: one of the visitor's own text, if there is one."""

import re

from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveEntry
from lab.serve.uploads import about
from lab.settings import SettingsError
from lab.text import clean
from lab.vocabulary import MASK

LONGEST = 300  # characters
USUAL = {  # what is pinned where nobody has written or brought anything: language, then whether left to right
    ("en", False): f"Rose went to the {MASK} and came home with butter and {MASK}.",
    ("en", True): "Oscar was a gardener in the park. He wanted to",
    ("zh", False): f"春天，露丝在屋后种了一些{MASK}，每天早上都去{MASK}水。",
    ("zh", True): "露丝今年十四岁，住在",
}


def suggested(objective: str, language: str, now: str = "", mark: str = "", learnt: bool = False) -> str:
    """The sentence to pin: what the visitor has typed, else one of their text ``mark`` if that is ``learnt``, else one
    that suits the objective and the corpus's language."""
    if now.strip() and now not in offered(mark):
        return now
    onward = _onward(objective)
    own = with_gaps(about(mark)["sentence"], onward)[0] if mark and learnt else ""
    return own or USUAL["zh" if language == "zh" else "en", onward]


def offered(mark: str) -> set[str]:
    """The sentences that nobody has typed: the usual ones, and those of the visitor's text ``mark``."""
    own = [with_gaps(about(mark)["sentence"], onward)[0] for onward in (False, True)] if mark else []
    return {*USUAL.values(), *own}


def truths(sentence: str, objective: str, mark: str) -> list[str]:
    """The true words of a sentence that was taken from the visitor's text ``mark``; none of any other."""
    usual, true = with_gaps(about(mark)["sentence"] if mark else "", _onward(objective))
    return true if usual and sentence == usual else []


def with_gaps(sentence: str, onward: bool) -> tuple[str, list[str]]:
    """A sentence as it is asked, and what is true where the model guesses: a long word of each half is hidden, or, for
    a model that goes ``onward``, the second half."""
    pieces = re.findall(r"[\u4e00-\u9fff]|\s*[^\s\u4e00-\u9fff]+", sentence)
    if onward:
        middle = len(pieces) // 2
        return "".join(pieces[:middle]).strip(), ["".join(pieces[middle:]).strip()]
    words = [n for n, piece in enumerate(pieces) if any(map(str.isalpha, piece))]
    true: list[str] = []
    for half in filter(None, (words[1 : len(words) // 2], words[len(words) // 2 :])):
        at = max(half, key=lambda number: len(pieces[number].strip()))
        word = max(map(str, re.findall(r"\w+", pieces[at])), key=len)
        true.append(word)
        pieces[at] = pieces[at].replace(word, MASK, 1)
    return "".join(pieces).strip(), true


def checked(text: str, objective: ObjectiveEntry) -> str:
    """The sentence in one line. Raises SettingsError where it is too long or has nothing to guess."""
    text = " ".join(clean(text).split())
    if len(text) > LONGEST:
        raise SettingsError(
            f"the pinned sentence has {len(text):,} characters; at most {LONGEST} fit",
            f"观察句有 {len(text):,} 个字符，最多 {LONGEST} 个",
        )
    if text and MASK not in text and not _onward(objective.name):
        raise SettingsError(
            f"write {MASK} into the pinned sentence where the model shall guess",
            f"请在观察句中用 {MASK} 标出要模型猜测的位置",
        )
    return text


def _onward(objective: str) -> bool:
    return objective in OBJECTIVES and OBJECTIVES[objective].left_to_right
