"""Headline parameter counts: what the authors of a published model state, and why the exact count differs."""

import re
from typing import Any

from lab.analysis.count import Published, count, kept_counts
from lab.catalog import MODELS
from lab.ui.words import say

ENGLISH = {  # whose headline is that of the first release
    "bert-base-cased",
    "bert-large-cased",
    "bert-base-chinese",
    "bert-base-multilingual-cased",
    "bert-base-multilingual-uncased",
}
SLIGHT = 0.015  # of a count that is cut off at most; more is no rounding
MISCOUNTED = {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"}  # by their authors' own later note


def why(model: Published) -> dict[str, Any]:
    """One line: the headline, the exact counts, and why they differ."""
    counts = _counts(model)
    params = counts["params"]
    data = {name: f"{n:,}" for name, n in params.items()}
    stated = re.findall(r"([\d.]+)([MB])\b", model.headline)
    if not stated:
        return say("parameters.why.none", n=data["with_pretraining_heads"])
    hits = [name for name, n in params.items() if any(rounds_to(n, *figure) for figure in stated)]
    near = [(n, figures(digits)) for n in params.values() for digits, unit in stated if rounds_roughly(n, digits, unit)]
    shown = {"headline": " / ".join(digits + unit for digits, unit in stated), "n": data["with_pretraining_heads"]}
    if model.name in MISCOUNTED:
        return say("parameters.why.miscounted", **shown)
    if model.name in ENGLISH:
        return say("parameters.why.english", vocabulary=f"{model.vocabulary:,}", **shown)
    if near and not hits:
        return say("parameters.why.rounded", hit=f"{near[-1][0]:,}", digits=near[-1][1], **shown)
    entry, whole = MODELS[model.model], params["with_pretraining_heads"]
    backbone = whole - counts["breakdown"]["embeddings"]
    if not hits and any(rounds_to(backbone, *figure) or cuts_to(backbone, *figure) for figure in stated):
        return say("parameters.why.backbone", hit=f"{backbone:,}", **shown)
    cut = [n for n in params.values() if any(cuts_to(n, *figure) for figure in stated)]
    if hits == ["bare_model"] and whole in cut and entry.paradigm == "decoder":
        hits = []  # nobody counts what writes without its output layer: Llama 3's 70B is 70.55 billion cut off
    if not hits and cut:
        return say("parameters.why.cut", hit=f"{cut[-1]:,}", **shown)
    if not hits:
        return say("parameters.why.no", **shown)
    if len(hits) == len(params):
        return say("parameters.why.all", **shown)
    kinds = {  # a pooler is named where there is one, and as pretrained where something is learnt of it
        "bare_model": "bare" if "with_pooler" in params else "headless",
        "with_pooler": "pooler",
        "with_pretraining_heads": "heads" if entry.pair else "output",
    }
    return say(f"parameters.why.{kinds[hits[-1]]}", hit=data[hits[-1]], **shown)


def _counts(model: Published) -> dict[str, dict[str, int]]:
    """What ``count`` says of the model: as it was kept, but of one that is published without its heads."""
    kept = None if model.headless else kept_counts(model.name)
    if not kept:
        return count(model.model, model.shape, model.vocabulary)
    params = dict(kept["params"])
    if model.class_ties:  # kept is beside it what its class would have
        params["with_pretraining_heads"] = params.pop("published_untied")
    return {**kept, "params": params}


def rounds_to(n: int, digits: str, unit: str) -> bool:
    """Whether a count, rounded to as many digits, is the stated number of millions or billions."""
    return round(n / {"M": 1e6, "B": 1e9}[unit], len(digits.partition(".")[2])) == float(digits)


def cuts_to(n: int, digits: str, unit: str) -> bool:
    """Whether a count, its further digits cut off, is the stated number: 65.29 billion are 65.2B."""
    size, places = n / {"M": 1e6, "B": 1e9}[unit], len(digits.partition(".")[2])
    return int(size * 10**places) == round(float(digits) * 10**places) and float(digits) > (1 - SLIGHT) * size


def rounds_roughly(n: int, digits: str, unit: str) -> bool:
    """Whether a count is the stated number once it is rounded to as many digits as that has before its zeros: 336M is
    340M."""
    shown = f"{n / {'M': 1e6, 'B': 1e9}[unit]:.{figures(digits)}g}"
    return figures(digits) > 1 and float(shown) == float(digits)


def figures(digits: str) -> int:
    """How many digits a stated number has before its closing zeros."""
    return len(digits.replace(".", "").strip("0"))
