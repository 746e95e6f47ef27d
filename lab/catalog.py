"""The registries of the lab, and which of its things fit together.

The packages are named as strings and imported on first use: this is the one place that reaches up.
"""

from typing import Any

from lab.claim import ClaimEntry
from lab.entries import (
    BenchmarkEntry,
    CorpusEntry,
    ModelEntry,
    ObjectiveEntry,
    SamplerEntry,
    TaskEntry,
    TokenizerEntry,
)
from lab.registry import Registry

MODELS = Registry("model", "lab.models", ModelEntry)
OBJECTIVES = Registry("objective", "lab.objectives", ObjectiveEntry)
SAMPLERS = Registry("sampler", "lab.samplers", SamplerEntry)
TOKENIZERS = Registry("tokenizer", "lab.tokenizers", TokenizerEntry)
CORPORA = Registry("corpus", "lab.corpora", CorpusEntry)
TASKS = Registry("task", "lab.tasks", TaskEntry)
CLAIMS = Registry("claim", "lab.claims", ClaimEntry)
BENCHMARKS = Registry("benchmark", "lab.bench", BenchmarkEntry)  # nothing that a visitor picks

REGISTRIES: dict[str, Registry[Any]] = {
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
    "visible": "attention with any mask",
    "causal": "causal reading, from left to right",
    "whole": "bidirectional reading",
    "segments": "segment ids (which sentence a token is in)",
    "pools": "a sentence vector",
    "states": "a vector for each token where it stands",
    "writes": "an encoder and a decoder (read a source, write an answer)",
    "positions": "position ids given for each token",
    "streams": "two-stream attention (the query stream knows a position, not its token)",
    "directions": "a forward and a backward language model",
    "windows": "static vectors learnt from context windows",
    "cooccurrences": "static vectors learnt from co-occurrence counts",
    "detects": "a discriminator (it tells replaced tokens from true ones)",
    "counts": "learning by counts, without gradients",
}

# What a trait brings along: among all tables there are those of who reads to the right, and of who reads everything.
BRINGS = {"visible": frozenset({"causal", "whole"})}


def sized(tokenizer: TokenizerEntry, vocabulary: Any) -> dict[str, Any]:
    """The settings of a tokenizer with so many tokens; none for one that has a number of its own."""
    return {"vocabulary": vocabulary} if "vocabulary" in tokenizer.settings.knobs() else {}


def missing(model: ModelEntry, objective: ObjectiveEntry | TaskEntry) -> frozenset[str]:
    """The traits that the objective (or task) needs and the model does not offer."""
    offered = model.traits.union(*(BRINGS.get(trait, frozenset()) for trait in model.traits))
    if isinstance(objective, TaskEntry) and any(traits <= offered for traits in objective.otherwise):
        return frozenset()
    return objective.traits - offered


def fits(model: ModelEntry, objective: ObjectiveEntry | TaskEntry) -> bool:
    """Whether the model can be trained with the objective (or on the task)."""
    return not missing(model, objective)


def learners(objective: ObjectiveEntry) -> list[tuple[str, str]]:
    """The families that are pretrained with the objective, as titles in English and Chinese; those that the lab lacks,
    or that learn something else here unless asked, are named by the objective itself."""
    here = [model for model in MODELS if objective.name in (model.objective, model.pair)]
    return [(model.title, model.title_zh) for model in here] + [(name, name) for name in objective.learnt_by]
