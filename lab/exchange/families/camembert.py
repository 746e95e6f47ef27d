"""CamemBERT's names in transformers: RoBERTa's, trained on French."""

from dataclasses import replace

from lab.exchange.families.roberta import NAMING as ROBERTA

NAMING = replace(
    ROBERTA,
    kind="camembert",
    tokens="CamembertForMaskedLM",
    labels="CamembertForSequenceClassification",
    onward="CamembertForCausalLM",
    written=False,
)
