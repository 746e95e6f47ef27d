"""The nucleus sampling paper's table in direction: what it found, and whether the same holds here.

Source: Holtzman et al. 2019, table 1 (GPT-2 Large, 5,000 passages of up to 200 tokens). There a repetition is a phrase
of two tokens or more that ends the text three times over; here it is the share of 4-grams that a text holds twice, for
of a few short texts none may end so.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lab.ui.shell.figures import percent
from lab.ui.words import say

COLUMNS = ("finding", "paper", "here", "same")


class Figures(NamedTuple):
    """What is measured of the texts of one way to write; None where they are too short to tell."""

    perplexity: float | None
    repeated: float | None
    self_bleu: float | None  # 0 to 1


class Finding(NamedTuple):
    """One way to write has less of a measure than another."""

    of: str  # the measure, a field of Figures
    less: str
    more: str
    paper: tuple[float, float]


FINDINGS = (
    Finding("repeated", "pure", "greedy", (0.0022, 0.7366)),
    Finding("repeated", "pure", "beam", (0.0022, 0.2894)),
    Finding("perplexity", "greedy", "stories", (1.50, 12.38)),
    Finding("perplexity", "beam", "stories", (1.48, 12.38)),
    Finding("perplexity", "top_k", "top_p", (6.88, 13.13)),
    Finding("perplexity", "top_p", "pure", (13.13, 22.73)),
    Finding("perplexity", "stories", "pure", (12.38, 22.73)),
    Finding("self_bleu", "pure", "top_k", (0.28, 0.39)),
)


def direction(measured: Mapping[str, Figures]) -> dict[str, Any]:
    """A table of what the paper found beside the figures that are measured so far, by the way to write."""
    rows = []
    for finding in FINDINGS:
        less, more = (getattr(measured.get(way), finding.of, None) for way in (finding.less, finding.more))
        if less is None or more is None:
            continue
        ways = {"less": say(f"generate.paper.way.{finding.less}"), "more": say(f"generate.paper.way.{finding.more}")}
        holds = "yes" if less < more else "no" if more < less else "equal"
        here = _pair(finding.of, less, more, {"yes": "<", "no": ">", "equal": "="}[holds])
        rows.append(
            [
                say(f"generate.paper.{finding.of}", **ways),
                _pair(finding.of, *finding.paper, "<"),
                here,
                say(f"generate.paper.{holds}"),
            ]
        )
    columns = [say(f"generate.paper.{name}") for name in COLUMNS]
    return {"columns": columns, "rows": rows, "empty": say("generate.measure.none")}


def _pair(of: str, one: float, other: float, sign: str) -> str:
    one_said, other_said = (percent(each) if of == "repeated" else f"{each:.2f}" for each in (one, other))
    return f"{one_said} {sign} {other_said}"
