"""Every published model that transformers has a class for is as large there, block for block."""

import pytest
import torch
import transformers

from lab.analysis.count import count, published, published_names
from lab.catalog import MODELS
from lab.exchange.export import class_of
from lab.exchange.known import naming_of, namings

BLOCKS = 2  # of each stack: a deep model's blocks are all alike, but for the first
KNOWN = [
    name
    for name in published_names()
    if published(name).model in {naming.model for naming in namings() if naming.written}
]


def sizes(name: str, depth: int) -> tuple[set[int], set[int]]:
    """The numbers of parameters that are named here, and those of the classes there, of a model so deep."""
    model = published(name)
    given = {**model.shape, "depth": depth}
    shape = MODELS[model.model].settings.load(given)
    naming = naming_of(model.model, shape)
    config = {"pad_token_id": 0} | naming.config(shape, model.vocabulary)
    theirs = set()
    for class_name in filter(None, (class_of(naming, head) for head in ("tokens", "pair"))):
        if kind := getattr(transformers, class_name, None):
            with torch.device("meta"):
                built = kind(kind.config_class.from_dict(config))
            built.tie_weights()
            theirs.add(sum(parameter.numel() for parameter in {*built.parameters()}))
    return {*count(model.model, given, model.vocabulary)["params"].values()}, theirs


@pytest.mark.parametrize("name", KNOWN)
def test_it_has_as_many_parameters_as_its_class(name: str) -> None:
    ours, theirs = sizes(name, BLOCKS)
    assert ours & theirs, (ours, theirs)


def test_most_published_models_are_held_against_a_class() -> None:
    assert len(KNOWN) > 0.9 * len(published_names())
    ours, theirs = sizes(KNOWN[0], 2)[0], sizes(KNOWN[0], 3)[1]
    assert ours.isdisjoint(theirs)
