"""MacBERT's names in transformers: those of BERT."""

from dataclasses import replace

from lab.engine.exchange.families.bert import NAMING as BERT

NAMING = replace(BERT, model="macbert")
