"""Cost: what full, windowed and linear attention take as a text grows, measured here, beside the formulas.

n tokens   d width   h heads   w window
"""

from collections.abc import Callable, Iterator
from typing import Any

from lab.analysis.attention_length import AGAIN, CACHED, HEADS, LENGTHS, MAP, SUMS, WIDTH, WINDOW
from lab.inference.inputs import framed, with_special_tokens
from lab.sandbox import Limits
from lab.serve.following import at_hand, followed
from lab.serve.limits import limits, within
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.words import say

MEASURED = "lab.analysis.attention_length:measured"
LIMITS = Limits(seconds=120.0, memory=2**31)
COLOURS = {MAP: "wrong", "full": "predicted", "window": "kept", "linear": "replaced"}
AFTER = {AGAIN: "predicted", CACHED: "kept", SUMS: "replaced"}
REACH = 2 * WINDOW - 1  # tokens that one looks at through a window
ORDERS = {"square": 2, "line": 1}  # what is drawn beside: the power of n with which it grows
DASHES = {"square": "9 4", "line": "2 4"}
MS, MB = 1e3, 2.0**-20
DIGITS, RAISED = 6, str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Formula = tuple[str, Callable[[int], tuple[str, int]]]


def cost_opened(run: str, text: str) -> Values:
    """What has been measured here within the last hour, and the formulas for the visitor's text."""
    within(text, limits().prompt)
    have = at_hand(MEASURED)
    return {**_charts(have or []), "said": _said("kept" if have else "ask"), "formulas": formulas(run, text)}


def measure_cost() -> Iterator[Values]:
    """The charts, point by point while they are measured; at once where that was done a while ago."""
    yield {"said": _said("busy")}
    rows: list[dict[str, Any]] = []
    for rows in followed(MEASURED, limits=LIMITS):
        yield _charts(rows)
    yield {**_charts(rows), "said": _said("done")}


def _said(what: str) -> list[Any]:
    sizes = {"width": WIDTH, "heads": HEADS, "window": WINDOW}
    return [["p", say(f"attention.cost.{what}")], *([["note", say("attention.cost.how", **sizes)]] if what else [])]


def _charts(rows: list[dict[str, Any]]) -> Values:
    """The values of the three charts."""
    return {
        "time": _chart(rows, COLOURS, "seconds", MS, "attention.cost.time"),
        "memory": _chart(rows, COLOURS, "bytes", MB, "attention.cost.memory"),
        "next": _chart(rows, AFTER, "seconds", MS, "attention.cost.next"),
    }


def _chart(rows: list[dict[str, Any]], colours: dict[str, str], of: str, times: float, unit: str) -> dict[str, Any]:
    series = []
    for kind, colour in colours.items():
        points = [(row["tokens"], row[of] * times) for row in rows if row["kind"] == kind and of in row]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        series.append(
            {"name": say(f"attention.cost.{kind}"), "x": xs, "y": ys, "colour": colour, "dots": True, "dash": ""}
        )
    beside = [_order(name, power, series) for name, power in ORDERS.items()] if colours is COLOURS else []
    return {
        "series": [*series, *beside],
        "x": say("attention.cost.tokens"),
        "y": say(unit),
        "until": LENGTHS[-1],
        "logx": True,
        "logy": True,
        "dials": False,
        "height": 300,
        "empty": say("attention.cost.empty"),
    }


def _order(name: str, power: int, series: list[dict[str, Any]]) -> dict[str, Any]:
    """How a quantity would grow that is of this order: from the end of the dearest kind down, or of the cheapest."""
    ends = [(one["x"][-1], one["y"][-1]) for one in series if one["x"]]
    drawn = {"name": say(f"attention.cost.{name}"), "colour": "original", "dash": DASHES[name]}
    if not ends:
        return {**drawn, "x": [], "y": []}
    longest = max(x for x, _ in ends)
    last = [y for x, y in ends if x == longest]
    x, y = longest, max(last) if power > 1 else min(last)
    xs = [length for length in LENGTHS if length <= x]
    return {**drawn, "x": xs, "y": [y * (length / x) ** power for length in xs]}


def formulas(run: str, text: str) -> dict[str, Any]:
    """A table of what is multiplied and what is held, with the text's n filled in, and with the longest measured."""
    tokens = {"longest": LENGTHS[-1]}
    if run:
        trained = visitor.trained(run)
        tokens = {"yours": max(1, len(framed(trained, with_special_tokens(trained, text)))), **tokens}
    rows = []
    for name, (formula, filled) in FORMULAS.items():
        numbers = [filled(n) for n in tokens.values()]
        told = say(f"attention.cost.{name}", formula=formula)
        rows.append([told, *(f"{factors} = {_short(product)}" for factors, product in numbers)])
    columns = [say(f"attention.cost.column.{name}", n=f"{n:,}") for name, n in tokens.items()]
    return {"columns": [say("attention.cost.column.formula"), *columns], "rows": rows}


def _short(number: int) -> str:
    """Digits as far as they can be read at a glance."""
    power = len(str(number)) - 1
    return f"{number:,}" if power < DIGITS else f"{number / 10**power:.2f} · 10{str(power).translate(RAISED)}"


def _near(n: int) -> int:
    return min(n, REACH)


FORMULAS: dict[str, Formula] = {
    "multiplied.full": ("2 · n² · d", lambda n: (f"2 · {n}² · {WIDTH}", 2 * n * n * WIDTH)),
    "multiplied.window": (
        "2 · n · (2w − 1) · d",
        lambda n: (f"2 · {n} · {_near(n)} · {WIDTH}", 2 * n * _near(n) * WIDTH),
    ),
    "multiplied.linear": (
        "2 · n · d · d/h",
        lambda n: (f"2 · {n} · {WIDTH} · {WIDTH // HEADS}", 2 * n * WIDTH * (WIDTH // HEADS)),
    ),
    "held.full": ("h · n²", lambda n: (f"{HEADS} · {n}²", HEADS * n * n)),
    "held.window": ("h · n · (2w − 1)", lambda n: (f"{HEADS} · {n} · {_near(n)}", HEADS * n * _near(n))),
    "held.linear": ("d · d/h", lambda _: (f"{WIDTH} · {WIDTH // HEADS}", WIDTH * (WIDTH // HEADS))),
}
NOTHING: dict[str, dict[str, Any]] = _charts([])
