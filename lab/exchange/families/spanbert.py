"""SpanBERT's names in transformers: those of BERT. The head that guesses a span from its ends stands under names that
transformers passes over, so that the lab finds it again; a published file, which is the body alone, is read as BERT."""

from dataclasses import replace

from lab.exchange.families.bert import NAMING as BERT
from lab.exchange.naming import RECIPE

ENDS = ("sides", "places", "place", "dense", "first_norm", "second_norm", "bias")

NAMING = replace(
    BERT,
    model="spanbert",
    pair="",
    onward="",
    names={
        **{mine: theirs for mine, theirs in BERT.names.items() if mine != "sequence.out"},
        "sequence.out": "classifier",
        **{f"boundary.{part}": f"boundary.{part}" for part in ENDS},
    },
    label_names={},
    fits=lambda config: config.get(RECIPE) == "spanbert",
)
