"""What is another number in a recipe that the lab has is taken in, and answers here as it does in transformers."""

from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import randomise, run_of, tokenizer
from test_exchange import agree, loaded, mine, same_weights, theirs
from torch import nn

from lab.engine.exchange.export import export
from lab.engine.exchange.importing import Brought, bring
from lab.engine.exchange.naming import naming_of
from lab.engine.model import load
from lab.settings import SettingsError

transformers = pytest.importorskip("transformers")

ENCODER = {
    "vocab_size": 320,
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 44,
    "max_position_embeddings": 18,
    "pad_token_id": 0,
}
ONE = {"pad_token_id": 1, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
T5 = {"vocab_size": 320, "d_model": 16, "num_layers": 3, "num_heads": 2, "d_kv": 8, "d_ff": 44, "pad_token_id": 0}
T5 |= {"decoder_start_token_id": 0, "eos_token_id": 3}
DECODER = ENCODER | {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 32}
LONG = {"rope_theta": 1e4, "original_max_position_embeddings": 8}
LLAMAS: dict[str, dict[str, Any]] = {
    "biases": {"attention_bias": True},
    "a head's own width": {"head_dim": 6},
    "linear": {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 3.0}},
    "yarn": {"rope_parameters": LONG | {"rope_type": "yarn", "factor": 3.0}},
    "dynamic": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 3.0}},
}
TAKEN: dict[str, tuple[str, dict[str, Any]]] = {  # the class in transformers, and its configuration
    "xlm-roberta": ("XLMRobertaForMaskedLM", ENCODER | ONE),
    "camembert": ("CamembertForMaskedLM", ENCODER | ONE),
    "bert with another eps": ("BertForPreTraining", ENCODER | {"layer_norm_eps": 1e-3}),
    "bert with more segments": ("BertForPreTraining", ENCODER | {"type_vocab_size": 16}),
    **{f"llama, {name}": ("LlamaForCausalLM", DECODER | more) for name, more in LLAMAS.items()},
    "mistral": ("MistralForCausalLM", DECODER | {"sliding_window": 4}),
    "mistral without a window": ("MistralForCausalLM", DECODER | {"sliding_window": None, "head_dim": 6}),
    "qwen2": ("Qwen2ForCausalLM", DECODER | {"rope_parameters": LONG | {"rope_type": "yarn", "factor": 4.0}}),
    "mt5": ("MT5ForConditionalGeneration", T5 | {"tie_word_embeddings": False}),
}


def saved(kind: str, path: Path) -> nn.Module:
    """A tiny model of transformers whose every number is random, saved with a tokenizer."""
    cls, values = TAKEN[kind]
    made = getattr(transformers, cls)
    torch.manual_seed(0)
    model: nn.Module = made(made.config_class(**values))
    if kind == "mt5":  # whose class ties its head whatever it is told
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.clone())
    randomise(model)
    model.config._attn_implementation = "eager"
    model.save_pretrained(path)
    (path / "tokenizer.json").write_text(tokenizer().inner.to_str())
    return model.eval()


def brought(kind: str, path: Path) -> tuple[nn.Module, Brought]:
    model = saved(kind, path / "theirs")
    return model, bring(path / "theirs", path / "run")


@pytest.mark.parametrize("kind", TAKEN)
def test_it_answers_as_transformers_does(kind: str, tmp_path: Path) -> None:
    model, found = brought(kind, tmp_path)
    agree(mine(load(found.folder)), theirs(model))


@pytest.mark.parametrize("kind", TAKEN)
def test_it_is_written_again_and_answers_the_same(kind: str, tmp_path: Path) -> None:
    model, found = brought(kind, tmp_path)
    exported = export(found.folder, tmp_path / "out")
    agree(theirs(loaded(exported)), theirs(model))
    same_weights(found.folder, bring(exported.folder, tmp_path / "back").folder)


def test_spanbert_is_written_as_bert_and_keeps_its_second_head(tmp_path: Path) -> None:
    folder = run_of(naming_of("spanbert"), tmp_path / "run")
    exported = export(folder, tmp_path / "out")
    assert exported.architecture == "BertForMaskedLM"
    agree(mine(load(folder)), theirs(loaded(exported)))
    back = bring(exported.folder, tmp_path / "back").folder
    same_weights(folder, back)
    assert back.run.model == "spanbert" and back.run.objective == "span"


@pytest.mark.parametrize("family", ["Bert", "Roberta", "DistilBert", "Electra"])
@pytest.mark.parametrize("head", ["TokenClassification", "QuestionAnswering"])
def test_of_a_head_for_tokens_or_spans_the_body_is_taken(family: str, head: str, tmp_path: Path) -> None:
    values = ENCODER | (ONE if family == "Roberta" else {})
    if family == "DistilBert":
        values = {
            "vocab_size": 320,
            "dim": 16,
            "n_layers": 3,
            "n_heads": 2,
            "hidden_dim": 44,
            "max_position_embeddings": 18,
        }
    made = getattr(transformers, f"{family}For{head}")
    model = made(made.config_class(**values, **({"embedding_size": 8} if family == "Electra" else {}), num_labels=2))
    randomise(model)
    model.config._attn_implementation = "eager"
    model.save_pretrained(tmp_path / "theirs")
    (tmp_path / "theirs" / "tokenizer.json").write_text(tokenizer().inner.to_str())
    found = bring(tmp_path / "theirs", tmp_path / "run")
    assert any("no task" in en for en, _ in found.notes) and found.folder.run.task is None
    agree(mine(load(found.folder), bare=True), theirs(model.eval().base_model))


def test_a_bert_of_one_segment_is_refused_in_a_sentence() -> None:
    with pytest.raises(SettingsError, match="knows two sentences apart"):
        naming_of("bert").shape({"type_vocab_size": 1})
