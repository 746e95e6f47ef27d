"""The registers of the lab, and which of its things fit together.

The packages are named as strings and imported on first use: this is the one place that reaches up.
"""

from typing import Any

from lab.registry import Entry, Registry

MODELS = Registry("model", "lab.models")
OBJECTIVES = Registry("objective", "lab.objectives")
SAMPLERS = Registry("sampler", "lab.samplers")
TOKENIZERS = Registry("tokenizer", "lab.tokenizers")
CORPORA = Registry("corpus", "lab.corpora")
TASKS = Registry("task", "lab.tasks")
CLAIMS = Registry("claim", "lab.claims")
BENCHMARKS = Registry("benchmark", "lab.bench")  # for the command line only: nothing that a visitor picks

REGISTRIES = {
    "models": MODELS,
    "objectives": OBJECTIVES,
    "samplers": SAMPLERS,
    "tokenizers": TOKENIZERS,
    "corpora": CORPORA,
    "tasks": TASKS,
    "claims": CLAIMS,
}

# What a model may offer and an objective may need: a closed list, so that a misspelt trait is found at once.
TRAITS = {
    "visible": "takes any table of who may look at whom",
    "causal": "can read from left to right",
    "whole": "can read a text from both sides",
    "segments": "knows two sentences apart",
    "pools": "sums a whole sequence up in one vector",
    "writes": "reads a source and writes an answer of another length",
    "places": "is told where each token stands",
    "streams": "predicts a token in a second stream that knows its place and not what it is",
    "directions": "reads once from the left and once from the right",
    "windows": "learns one vector for each token from the few around it",
    "meetings": "learns how often two tokens stand near each other",
    "detects": "has a second network that tells replaced tokens from true ones",
    "counts": "learns by counting, in one pass, without gradients",
}

# What a trait brings along: among all tables there are those of who reads to the right, and of who reads everything.
BRINGS = {"visible": frozenset({"causal", "whole"})}


def sized(tokenizer: Entry, vocabulary: Any) -> dict[str, Any]:
    """The settings of a tokenizer with so many tokens; none for one that has a number of its own."""
    return {"vocabulary": vocabulary} if "vocabulary" in tokenizer.settings.knobs() else {}


def missing(model: Entry, objective: Entry) -> frozenset[str]:
    """The traits that the objective (or task) needs and the model does not offer."""
    return objective.traits - model.traits.union(*(BRINGS.get(trait, frozenset()) for trait in model.traits))


def fits(model: Entry, objective: Entry) -> bool:
    """Whether the model can be trained with the objective (or on the task)."""
    return not missing(model, objective)
