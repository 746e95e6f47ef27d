"""``params --cost`` and ``--measure``: operations, memory and time of a training step."""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from lab.analysis.cost import example, example_cost, kept_per_token
from lab.analysis.measure import measure


def costs(asked: Namespace, model: str, shape: Mapping[str, Any], vocabulary: int) -> tuple[int, dict[str, Any]]:
    """How many tokens a row of the step has, and each cost by its name."""
    run = example(model, shape, asked.length, asked.rows)
    cost = example_cost(model, shape, vocabulary, asked.length, asked.rows)
    document = {
        "weights_bytes": cost.weights,
        "gradients_bytes": cost.weights,
        "optimizer_bytes": cost.optimizer,
        "activation_bytes": cost.activations,
        "training_bytes": cost.training,
        "forward_flops_per_token": cost.forward / cost.tokens or None,  # of a model without matrix products
        "backward_flops_per_token": cost.backward / cost.tokens or None,
        "kv_cache_bytes_per_token": kept_per_token(run, vocabulary),
    }
    if asked.measure:
        measured = measure(run, vocabulary, asked.threads)
        document |= {"step_seconds": round(measured.seconds, 6), "measured_bytes": measured.memory}
    return run.shape["context"], document
