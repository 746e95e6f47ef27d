"""mBART's names in transformers: BART's, and a norm at the end of each stack."""

from dataclasses import replace

from lab.exchange.families.bart import NAMING as BART

NAMING = replace(
    BART,
    model="mbart",
    kind="mbart",
    tokens="MBartForConditionalGeneration",
    labels="MBartForSequenceClassification",
    names={**BART.names, **{f"{stack}.norm": f"model.{stack}.layer_norm" for stack in ("encoder", "decoder")}},
    fixed={**BART.fixed, "scale_embedding": True},
    assumed={"scale_embedding": False},
)
