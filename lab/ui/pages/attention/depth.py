"""Depth: norms of hidden states and gradients by layer, and what warm-up does, for the visitor's own text.

L layers
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from lab.analysis.depth import DEPTHS, HEADS, LEARNING, RATE, STEPS, TOKENS, WARMUP, WIDTH, renumbered
from lab.inference.inputs import with_special_tokens
from lab.inference.model import Trained
from lab.sandbox import Limits
from lab.serve.following import at_hand, followed
from lab.ui.pages.attention.asking import of_text
from lab.ui.shell.answers import Values
from lab.ui.words import say

BY_DEPTH, WARMING = "lab.analysis.depth:by_depth", "lab.analysis.depth:warming"
LIMITS = Limits(seconds=90.0, memory=2**31)
FIRST = 12  # layers that are shown at first
STYLES = {
    ("post", True): {"colour": "wrong", "dash": ""},
    ("pre", True): {"colour": "predicted", "dash": ""},
    ("post", False): {"colour": "wrong", "dash": "3 4"},
    ("pre", False): {"colour": "predicted", "dash": "9 4"},
}
MEASURES: tuple[dict[str, Any], ...] = (
    {"key": "gradients", "first": 1, "logy": True},
    {"key": "states", "first": 0, "logy": True},
    {"key": "alike", "first": 0, "low": 0, "high": 1},
)


def deepened(run: str, text: str) -> Iterator[Values]:
    """The curves along the layers and the one across the depths, one depth after another, and at the end what theory
    says of them; and how the text was learnt, where somebody has asked for that within the last hour."""
    made = of_text(run, text, nothing, partial(_asked, text=text))
    if "ids" not in made:
        yield made
        return
    ids = made["ids"]
    learnt = _learning(at_hand(WARMING, ids) or [], over=True)
    if at_hand(BY_DEPTH, ids) is None:
        yield {"theory": [["p", say("attention.depth.working")]], **learnt}
    for told in followed(BY_DEPTH, ids, limits=LIMITS):
        if told:
            yield {**_worked_out(told, len(ids)), **learnt}


def nothing(why: dict[str, Any]) -> Values:
    """No curves, and why."""
    empty = {"series": [], "empty": why, "dials": False}
    return {"layers": {"empty": why}, "across": empty, "theory": [], "learning": empty, "learnt": []}


def _worked_out(told: list[list[dict[str, Any]]], tokens: int) -> Values:
    """What is to be shown of the depths so far."""
    rows = {(row["norm"], row["residual"], row["depth"]): row for each in told for row in each}
    depths = [*DEPTHS[: len(told)]]
    numbers = [
        [[_short(rows[*kind, depth][measure["key"]]) for measure in MEASURES] for depth in depths] for kind in STYLES
    ]
    layers = {
        "depths": depths,
        "all": len(DEPTHS),
        "at": min(FIRST, depths[-1]),
        "kinds": [{"name": _kind(*kind), **style} for kind, style in STYLES.items()],
        "measures": [
            {**measure, "name": _word(f"{measure['key']}.title"), "y": _word(measure["key"])} for measure in MEASURES
        ],
        "numbers": numbers,
        "x": say("attention.depth.layer"),
    }
    ends = {norm: [rows[norm, True, depth]["gradients"][-1] for depth in depths] for norm in ("post", "pre")}
    shown = {"layers": layers, "across": _across(ends, depths)}
    if len(depths) < len(DEPTHS):
        so_far = {"n": len(depths), "all": len(DEPTHS)}
        return {**shown, "theory": [["p", say("attention.depth.so_far", **so_far)]]}
    alike = {kind: rows[*kind, DEPTHS[-1]]["alike"][-1] for kind in STYLES}
    return {**shown, "theory": _theory(ends, alike, tokens)}


def _across(ends: dict[str, list[float]], depths: list[int]) -> dict[str, Any]:
    """The gradient in the last layer, by the number of layers, and a fall with its root."""
    lines = [
        {"name": _kind(norm, True), "x": depths, "y": _short(ys), "dots": True, **STYLES[norm, True]}
        for norm, ys in ends.items()
    ]
    fall = [ends["pre"][0] * (depths[0] / depth) ** 0.5 for depth in depths]
    lines.append({"name": _word("root"), "x": depths, "y": _short(fall), "colour": "original", "dash": "2 4"})
    return {
        "series": lines,
        "x": _word("layers"),
        "y": _word("gradients"),
        "until": DEPTHS[-1],
        "logx": True,
        "logy": True,
        "dials": False,
        "height": 260,
    }


def _theory(ends: dict[str, list[float]], alike: dict[tuple[str, bool], float], tokens: int) -> list[Any]:
    (post, deep_post), (pre, deep_pre) = ((ys[0], ys[-1]) for ys in (ends["post"], ends["pre"]))
    few, many = DEPTHS[0], DEPTHS[-1]
    found = {"post": post, "deep_post": deep_post, "pre": pre, "deep_pre": deep_pre, "bound": pre * (few / many) ** 0.5}
    numbers = {name: f"{number:.2g}" for name, number in found.items()}
    bare = min(alike["post", False], alike["pre", False])
    cosines = {"alike_pre": alike["pre", True], "alike_post": alike["post", True], "alike_bare": bare}
    numbers |= {name: f"{cosine:.2f}" for name, cosine in cosines.items()}
    return [
        ["p", say("attention.depth.theory", few=few, many=many, **numbers)],
        ["note", say("attention.depth.how", width=WIDTH, heads=HEADS, n=tokens, most=TOKENS)],
    ]


def warm_up(run: str, text: str) -> Iterator[Values]:
    """The losses of four models that learn the text, step by step; at once where that was done a while ago."""
    made = of_text(run, text, lambda why: {"learnt": [["p", why]]}, partial(_asked, text=text))
    if "ids" not in made:
        yield made
        return
    yield {"learnt": [["p", say("attention.depth.busy")]]}
    told: list[Any] = []
    for told in followed(WARMING, made["ids"], limits=LIMITS):
        yield _learning(told, over=False)
    yield _learning(told, over=True)


def _asked(trained: Trained, text: str) -> Values:
    return {"ids": renumbered(with_special_tokens(trained, text).tolist())}


def _learning(told: list[Any], *, over: bool) -> Values:
    """The chart of what was told of the four models so far, and at the end what came of them."""
    losses: dict[tuple[str, bool], list[float]] = {
        (norm, warm): [] for norm in ("post", "pre") for warm in (False, True)
    }
    for arms in told:
        for arm in arms:
            losses[arm["norm"], arm["warmup"]] += arm["losses"]
    series = []
    for (norm, warm), ys in losses.items():
        style = {"colour": STYLES[norm, True]["colour"], "dash": "" if warm else "3 4"}
        name = say("attention.depth.arm", norm=_word(norm), warm=_word("warm" if warm else "cold"))
        series.append({"name": name, "x": list(range(1, len(ys) + 1)), "y": _short(ys), **style})
    chart = {
        "series": series,
        "x": _word("step"),
        "y": _word("loss"),
        "until": STEPS,
        "low": 0,
        "dials": False,
        "height": 280,
        "empty": _word("learning.empty"),
    }
    if not (over and told):
        return {"learning": chart, **({"learnt": []} if over else {})}
    ends = {f"{norm}_{'warm' if warm else 'cold'}": f"{ys[-1]:.2f}" for (norm, warm), ys in losses.items()}
    sizes = {"depth": LEARNING, "rate": RATE, "n": STEPS, "warmup": round(WARMUP * STEPS)}
    said = [["p", say("attention.depth.learnt", **ends)], ["note", say("attention.depth.learning.how", **sizes)]]
    return {"learning": chart, "learnt": said}


def _short(numbers: list[float]) -> list[float]:
    """As many digits as a curve shows."""
    return [float(f"{number:.4g}") for number in numbers]


def _word(name: str) -> dict[str, Any]:
    return say(f"attention.depth.{name}")


def _kind(norm: str, residual: bool) -> dict[str, Any]:
    return _word(norm if residual else f"{norm}.without")
