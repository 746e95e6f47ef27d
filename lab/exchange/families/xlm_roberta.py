"""XLM-RoBERTa's names in transformers: RoBERTa's, with a vocabulary of a hundred languages."""

from dataclasses import replace

from lab.exchange.families.roberta import NAMING as ROBERTA

NAMING = replace(
    ROBERTA,
    kind="xlm-roberta",
    tokens="XLMRobertaForMaskedLM",
    labels="XLMRobertaForSequenceClassification",
    onward="XLMRobertaForCausalLM",
    written=False,
)
