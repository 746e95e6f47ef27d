"""The tables of README.md that the lab writes of itself: ``python -m lab.docs``, and ``--check`` to compare.

The counts of published models are written, too, as their recipes give them.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from lab.analysis.count import ASSETS, count_published, published_names
from lab.catalog import CLAIMS, MODELS, REGISTRIES
from lab.exchange.export import class_of
from lab.exchange.known import namings
from lab.experiments.recorded import recorded
from lab.glossary import glossary as terms
from lab.registry import Entry
from lab.serve.limits import PROFILES, Limits

README = Path(__file__).parents[1] / "README.md"
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main(words: list[str]) -> int:
    """Write the tables; with ``--check`` only say whether they are up to date. Returns the exit code."""
    text = README.read_text(encoding="utf-8")
    fresh = _TABLE.sub(lambda match: f"{match[1]}{table(match[2])}{match[3]}", text)
    if "--check" in words:
        if fresh != text:
            print("README.md is out of date: run python -m lab.docs", file=sys.stderr)
        return int(fresh != text)
    README.write_text(fresh, encoding="utf-8")
    rows = [f"  {json.dumps(name)}: {json.dumps(count_published(name))}" for name in published_names()]
    (ASSETS / "counts.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return 0


def table(kind: str) -> str:
    """One register as a Markdown table: a row for each entry."""
    if kind == "exchange":
        return exchange()
    if kind == "glossary":
        return glossary()
    if kind == "limits":
        return limits()
    if kind == "claims":
        return claims()
    rows = [_row(entry) for entry in REGISTRIES[kind]]
    return "\n".join(["| name | | what it does | from |", "| --- | --- | --- | --- |", *rows]) + "\n"


def exchange() -> str:
    """The models that have a class in transformers, each with its classes, and whether a run is written as one; below
    them, those that are refused."""
    rows = []
    for naming in namings():
        heads = ("tokens", "pair", "labels", *(("tags", "spans") if naming.written else ()))
        classes = ", ".join(f"`{name}`" for head in heads if (name := class_of(naming, head)))
        rows.append(f"| `{naming.model}` | `{naming.kind}` | {classes} | {_WAYS[naming.written]} |")
    known = {naming.model for naming in namings() if naming.written}
    refused = ", ".join(entry.title for entry in MODELS if entry.name not in known)
    head = ["| name | model_type | classes | |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, "", f"Not exported, for want of a class in transformers: {refused}."]) + "\n"


def glossary() -> str:
    """Every term of the glossary with its Chinese name, its synonyms and its sentence."""
    rows = [f"| {term.en[0]} | {term.zh[0]} | {', '.join(term.en[1:])} | {term.says_en} |" for term in terms().values()]
    return "\n".join(["| term | 中文 | also | in one sentence |", "| --- | --- | --- | --- |", *rows]) + "\n"


def claims() -> str:
    """Every claim with what both arms came to when it was measured for the lab."""
    rows = ["| name | claim | from | on the English town | on the Chinese town |", "| --- |" + " --- |" * 4]
    for entry in CLAIMS:
        documents = (recorded(f"claims/{corpus}/{entry.name}") for corpus in ("town_en", "town_zh"))
        came = [_measured(document) if document else "" for document in documents]
        rows.append("| " + " | ".join((f"`{entry.name}`", entry.summary, entry.paper, *came)) + " |")
    return "\n".join(rows) + "\n"


def _measured(document: Mapping[str, Any]) -> str:
    digits = ".1%" if document["percent"] else ".3f"
    values = [[each["value"] for each in document["measured"] if each["arm"] == arm] for arm in (0, 1)]
    figures = [format(median(those), digits) for those in values]
    arms = ", ".join(f"{arm['title']} {figure}" for arm, figure in zip(document["arms"], figures, strict=True))
    says = _SAYS[document["verdict"]["says"]]
    return f"{says}: {arms} ({document['measure']}; {document['settings']['seeds']} seeds)"


_SAYS = {"holds": "holds", "contradicted": "**the opposite**", "unclear": "too small to say"}


def limits() -> str:
    """What one visitor may do in each of the places where the lab runs."""
    rows = [
        f"| {what} | " + " | ".join(size(allowed) for allowed in PROFILES.values()) + " |"
        for what, size in _SIZES.items()
    ]
    return "\n".join([f"| | {' | '.join(PROFILES)} |", "| --- |" + " --- |" * len(PROFILES), *rows]) + "\n"


_WAYS = {True: "`import`, `export`", False: "`import`"}
_SIZES: dict[str, Callable[[Limits], str]] = {
    "minutes of a run": lambda allowed: f"{allowed.seconds / 60:,.0f}",
    "parameters of a model": lambda allowed: f"{allowed.parameters:,}",
    "depth, width": lambda allowed: f"{allowed.depth}, {allowed.width:,}",
    "context, tokens in a step": lambda allowed: f"{allowed.context:,}, {allowed.batch_tokens:,}",
    "a file brought, a text pasted": lambda allowed: f"{allowed.upload >> 20} MB, {allowed.pasted:,} characters",
    "tokens written at a time": lambda allowed: f"{allowed.generated:,}",
    "runs of a visitor: under way, kept": lambda allowed: f"{allowed.own_waiting}, {allowed.own_runs:,}",
    "runs of all: waiting, kept": lambda allowed: f"{allowed.waiting}, {_gigabytes(allowed.all_runs)}",
    "published models: each, all": lambda allowed: (
        f"{_gigabytes(allowed.published)}, {_gigabytes(allowed.all_published)}"
    ),
}


def _gigabytes(size: int | None) -> str:
    return "any size" if size is None else f"{size / 10**9:g} GB"


def _row(entry: Entry) -> str:
    cells = (f"`{entry.name}`", entry.title, entry.summary, entry.paper)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
