"""Growth: how much longer a stranger's tokenizer makes a text before it cuts it into tokens, and afterwards.

A page reads with an imported tokenizer in the process that serves everybody. Rules that each put ten letters in the
place of one make a gigabyte of a few letters, and the library then aborts the process. Published tokenizers put a mark
in the place of a blank, or of several.
"""

from typing import Any

from lab.settings import SettingsError

MOST = 64  # times as long, and letters of what is put before a text or behind a word
_PARTS = ("normalizers", "pretokenizers", "decoders")


def bounded(document: dict[str, Any], name: str) -> None:
    """Raise SettingsError where the tokenizer in ``document``, the content of a tokenizer.json, may make a text much
    longer; ``name`` is what the file is called."""
    model = document.get("model") or {}
    added = (str(model.get(key) or "") for key in ("continuing_subword_prefix", "end_of_word_suffix"))
    stages = (document.get(key) for key in ("normalizer", "pre_tokenizer", "decoder"))
    if max(map(len, added)) > MOST or any(growth(stage) > MOST for stage in stages):
        raise SettingsError(
            f"{name} makes texts more than {MOST} times as long, which no published tokenizer does: it was not taken",
            f"{name} 会把文本变长 {MOST} 倍以上，已发布的分词器都不会这样：没有接受",
        )


def growth(part: Any) -> float:
    """At most how many times as long a text becomes by a normalizer, pre-tokenizer or decoder."""
    if not isinstance(part, dict):
        return 1.0
    times = 1.0
    for inner in [each for key in _PARTS for each in part.get(key) or []]:
        times *= growth(inner)
    if part.get("type") == "Replace":
        pattern = part.get("pattern")
        found = len(pattern.get("String") or "") if isinstance(pattern, dict) else 0  # of an expression, maybe none
        content = len(str(part.get("content") or ""))
        times *= max(1.0, content / found if found else 1 + content)
    if part.get("type") == "Prepend":
        times *= max(1.0, len(str(part.get("prepend") or "")))
    return times
