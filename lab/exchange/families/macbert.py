"""MacBERT's names in transformers: those of BERT."""

from dataclasses import replace

from lab.exchange.families.bert import NAMING as BERT

NAMING = replace(BERT, model="macbert")
