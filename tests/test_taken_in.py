"""What is another number in a recipe that the lab has is taken in, and answers here as it does in transformers."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from random_runs import randomise, run_of, tokenizer
from safetensors.torch import load_file, save_file
from test_exchange import WRITTEN, agree, changed, is_bare, loaded, mine, rewritten, rows, same_weights, theirs
from torch import nn

from lab.batch import Batch, Document
from lab.catalog import MODELS
from lab.exchange.export import export
from lab.exchange.importing import Brought, bring
from lab.exchange.known import naming_for, naming_of
from lab.exchange.naming import Naming
from lab.inference import attention_maps
from lab.inference.logit_lens import lens
from lab.inference.model import load
from lab.inference.shown import shown
from lab.settings import SettingsError
from lab.training.evaluate import evaluate
from lab.ui.pages.attention import maps as attention

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
GPT = {"vocab_size": 320, "n_embd": 16, "n_layer": 3, "n_head": 2, "n_positions": 18, "layer_norm_epsilon": 1e-2}
XLNET = {"vocab_size": 320, "d_model": 16, "n_layer": 3, "n_head": 2, "d_inner": 44, "layer_norm_eps": 1e-2}
DISTIL = {"vocab_size": 320, "dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 44, "max_position_embeddings": 18}
DEBERTA = {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"]}
DEBERTA |= ENCODER | {"type_vocab_size": 0, "layer_norm_eps": 1e-2}
VERSION_3 = DEBERTA | {"position_buckets": 8, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
VERSION_2 = VERSION_3 | {"conv_kernel_size": 3, "conv_act": "gelu"}
BART = {"vocab_size": 320, "d_model": 16, "max_position_embeddings": 18, "pad_token_id": 0, "eos_token_id": 3}
BART |= {f"{stack}_attention_heads": 2 for stack in ("encoder", "decoder")}
BART |= {f"{stack}_ffn_dim": 44 for stack in ("encoder", "decoder")}
BART |= {"decoder_start_token_id": 3, "forced_eos_token_id": None}
UNTIED = {"tie_word_embeddings": False}
ODD = {"layer_norm_eps": 1e-2, "type_vocab_size": 3} | UNTIED
DECODER = ENCODER | {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 32}
LONG = {"rope_theta": 1e4, "original_max_position_embeddings": 8}
LLAMAS: dict[str, dict[str, Any]] = {
    "biases": {"attention_bias": True},
    "a head's own width": {"head_dim": 6},
    "linear": {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 3.0}},
    "yarn": {"rope_parameters": LONG | {"rope_type": "yarn", "factor": 3.0}},
    "dynamic": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 3.0}},
}
GLM = DECODER | {"head_dim": 8, "bos_token_id": 5, "eos_token_id": 5}
HALF = {"partial_rotary_factor": 0.5, "rope_theta": 1e4, "factor": 3.0}
SLOW = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
BANDS = SLOW | {"original_max_position_embeddings": 8}
GLMS: dict[str, dict[str, Any]] = {
    "a tied head": {"tie_word_embeddings": True, "attention_bias": False},
    "a head's own width": {"head_dim": 12, "attention_bias": True},
    "whole heads turned": {"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 1.0}},
    "linear": {"rope_parameters": HALF | {"rope_type": "linear"}},
    "yarn": {"rope_parameters": HALF | {"rope_type": "yarn", "original_max_position_embeddings": 8}},
    "dynamic": {"rope_parameters": HALF | {"rope_type": "dynamic"}},
    "by band": {"rope_parameters": HALF | BANDS | {"rope_type": "llama3"}, "head_dim": 12},
}
TAKEN: dict[str, tuple[str, dict[str, Any]]] = {  # the class in transformers, and its configuration
    "xlm-roberta": ("XLMRobertaForMaskedLM", ENCODER | ONE),
    "camembert": ("CamembertForMaskedLM", ENCODER | ONE),
    "bert with another eps": ("BertForPreTraining", ENCODER | {"layer_norm_eps": 1e-3}),
    "bert with more segments": ("BertForPreTraining", ENCODER | {"type_vocab_size": 16}),
    "bert with one segment": ("BertForPreTraining", ENCODER | {"type_vocab_size": 1}),
    "bert with a head of its own": ("BertForPreTraining", ENCODER | UNTIED),
    "roberta": ("RobertaForMaskedLM", ENCODER | ONE | ODD),
    "longformer": ("LongformerForMaskedLM", ENCODER | ONE | {"attention_window": [6, 6, 6]}),
    "albert": ("AlbertForPreTraining", ENCODER | ODD | {"embedding_size": 8}),
    "electra's generator": ("ElectraForMaskedLM", ENCODER | ODD | {"embedding_size": 8}),
    "electra": ("ElectraForPreTraining", ENCODER | ODD | {"embedding_size": 8}),
    "distilbert": ("DistilBertForMaskedLM", DISTIL | UNTIED),
    "deberta": ("DebertaForMaskedLM", DEBERTA),
    "deberta v2": ("DebertaV2ForMaskedLM", VERSION_2),
    "deberta v3": ("DebertaV2ForMaskedLM", VERSION_3),
    "xlnet": ("XLNetLMHeadModel", XLNET | UNTIED),
    "gpt-1": ("OpenAIGPTLMHeadModel", GPT | UNTIED),
    "gpt-2": ("GPT2LMHeadModel", GPT | UNTIED | {"bos_token_id": 5, "eos_token_id": 5}),
    "bart": ("BartForConditionalGeneration", BART | UNTIED | {"encoder_layers": 3, "decoder_layers": 1}),
    "mbart": (
        "MBartForConditionalGeneration",
        BART | {"encoder_layers": 1, "decoder_layers": 3, "scale_embedding": True},
    ),
    "t5": ("T5ForConditionalGeneration", T5 | UNTIED | {"num_decoder_layers": 1, "layer_norm_epsilon": 1e-2}),
    "t5 v1.1": (
        "T5ForConditionalGeneration",
        T5 | UNTIED | {"feed_forward_proj": "gated-gelu", "num_decoder_layers": 4, "layer_norm_epsilon": 1e-2},
    ),
    **{f"chatglm, {name}": ("GlmForCausalLM", GLM | more) for name, more in GLMS.items()},
    **{f"glm-4, {name}": ("Glm4ForCausalLM", GLM | GLMS[name]) for name in ("a tied head", "yarn")},
    **{f"llama, {name}": ("LlamaForCausalLM", DECODER | more) for name, more in LLAMAS.items()},
    "mistral": ("MistralForCausalLM", DECODER | {"sliding_window": 4}),
    "mistral without a window": ("MistralForCausalLM", DECODER | {"sliding_window": None, "head_dim": 6}),
    "qwen2": ("Qwen2ForCausalLM", DECODER | {"rope_parameters": LONG | {"rope_type": "yarn", "factor": 4.0}}),
    "mt5": ("MT5ForConditionalGeneration", T5 | UNTIED),
}


def saved(kind: str, path: Path) -> nn.Module:
    """A tiny model of transformers whose every number is random, saved with a tokenizer."""
    cls, values = TAKEN[kind]
    made = getattr(transformers, cls)
    torch.manual_seed(0)
    model: nn.Module = made(made.config_class(**values))
    if "T5" in cls:  # whose class ties its head whatever it is told
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.clone())
    randomise(model)
    if "Bart" in cls:  # whose class has a table for each stack where its head has one
        for name in ("encoder", "decoder"):
            model.model.get_submodule(name).embed_tokens.weight = model.model.shared.weight
    model.config._attn_implementation = "eager"
    model.save_pretrained(path)
    (path / "tokenizer.json").write_text(tokenizer().inner.to_str())
    return model.eval()


def brought(kind: str, path: Path) -> tuple[nn.Module, Brought]:
    model = saved(kind, path / "theirs")
    return model, bring(path / "theirs", path / "run")


@pytest.fixture(scope="module", params=TAKEN)
def taken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[nn.Module, Brought]:
    return brought(request.param, tmp_path_factory.mktemp("taken"))


def test_it_answers_as_transformers_does(taken: tuple[nn.Module, Brought]) -> None:
    model, found = taken
    agree(mine(load(found.folder)), theirs(model))


def test_it_is_written_again_and_answers_the_same(taken: tuple[nn.Module, Brought], tmp_path: Path) -> None:
    model, found = taken
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
    assert any("body alone" in en for en, _ in found.notes) and found.folder.run.task is None
    agree(mine(load(found.folder), bare=True), theirs(model.eval().base_model))


NUMBERS = {"eps": 1e-2, "segments": 3, "decoder_depth": 1, "head_width": 12, "rotary_share": 1.0}
OWN = {"segments", "decoder_depth", "rotary_share"}
SIZED = [naming for naming in WRITTEN if OWN & {*MODELS[naming.model].settings.knobs()}]


@pytest.mark.parametrize("naming", [pytest.param(naming, id=naming.tokens) for naming in SIZED])
def test_a_run_of_the_lab_with_other_numbers_is_written_and_comes_back(naming: Naming, tmp_path: Path) -> None:
    knobs = MODELS[naming.model].settings.knobs()
    more = {name: value for name, value in NUMBERS.items() if name in knobs}
    more |= {"tied": not knobs["tied"].default} if "tied" in knobs else {}
    folder = run_of(naming, tmp_path / "run", **more)
    exported = export(folder, tmp_path / "out")
    agree(mine(load(folder), bare=is_bare(naming)), theirs(loaded(exported)))
    back = bring(exported.folder, tmp_path / "back").folder
    same_weights(folder, back)
    assert back.run.settings_of("model") == folder.run.settings_of("model")


def test_an_older_file_has_the_bias_of_its_own_head_once(tmp_path: Path) -> None:
    model, folder = saved("bert with a head of its own", tmp_path / "theirs"), tmp_path / "theirs"
    rewritten(folder, lambda name: name, **{"cls.predictions.bias": model.cls.predictions.decoder.bias.detach()})
    tensors = load_file(folder / "model.safetensors")
    del tensors["cls.predictions.decoder.bias"]
    save_file(tensors, folder / "model.safetensors")
    agree(mine(load(bring(folder, tmp_path / "run").folder)), theirs(model))


def test_two_tables_where_the_config_has_one_are_refused_with_what_to_do(tmp_path: Path) -> None:
    saved("gpt-2", tmp_path / "theirs")
    changed(tmp_path / "theirs", tie_word_embeddings=True)
    with pytest.raises(SettingsError, match="GPT has one for both unless the config says tie_word_embeddings false"):
        bring(tmp_path / "theirs", tmp_path / "run")


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("bart", {"decoder_ffn_dim": 20}, "encoder_ffn_dim 44 and decoder_ffn_dim 20; here both are the same"),
        ("deberta", {"type_vocab_size": 2}, "type_vocab_size 2; the lab's DeBERTa is made with 0"),
        ("deberta v2", {"position_buckets": -1}, "has no position_buckets"),
        ("chatglm, yarn", {"head_dim": 10}, "5 numbers of each head are rotated"),
        ("chatglm, yarn", {"rope_parameters": {"rope_type": "longrope"}}, "RoPE scaling of the kind 'longrope'"),
        (
            "llama, biases",
            {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}, "max_position_embeddings": None},
            "context",
        ),
    ],
)
def test_what_is_another_architecture_is_refused_in_a_sentence(kind: str, more: dict[str, Any], said: str) -> None:
    cls, values = TAKEN[kind]
    config = {"model_type": getattr(transformers, cls).config_class.model_type, **values, **more}
    with pytest.raises(SettingsError, match=said) as error:
        naming_for(config).shape(config)
    assert error.value.zh


@pytest.mark.parametrize(
    "more",
    [
        {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}},
        {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, **BANDS}, "original_max_position_embeddings": 12},
        {"rope_parameters": {"rope_type": "llama3", "factor": 8.0, **SLOW}, "original_max_position_embeddings": 8},
    ],
)
def test_where_two_places_speak_of_rotations_that_is_read_which_transformers_reads(
    more: dict[str, Any], tmp_path: Path
) -> None:
    """A model card's rope_scaling is added to a config that has rope_parameters, too."""
    saved("llama, biases", tmp_path / "theirs")
    changed(tmp_path / "theirs", **more)
    model = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "theirs", attn_implementation="eager")
    agree(mine(load(bring(tmp_path / "theirs", tmp_path / "run").folder)), theirs(model))


def test_a_config_is_spoken_of_in_its_own_words(tmp_path: Path) -> None:
    saved("llama, biases", tmp_path / "theirs")
    changed(tmp_path / "theirs", rms_norm_eps=0.5)
    with pytest.raises(SettingsError, match=r"the config's rms_norm_eps: eps 0\.5 is above"):
        bring(tmp_path / "theirs", tmp_path / "run")
    changed(
        tmp_path / "theirs", rms_norm_eps=1e-5, rope_scaling={"rope_type": "llama3", **BANDS, "high_freq_factor": 8.0}
    )
    with pytest.raises(SettingsError, match=r"'llama3' with .*high_freq_factor"):
        bring(tmp_path / "theirs", tmp_path / "run")


def test_a_model_whose_one_special_token_ends_a_text_is_looked_into_and_goes_on_elsewhere(tmp_path: Path) -> None:
    """As OpenAI's GPT-2: nothing is kept from being said."""
    parts = tokenizers.Tokenizer(tokenizers.models.BPE())
    parts.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    learning = tokenizers.trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet, show_progress=False
    )
    parts.train_from_iterator(["The cat sat"], learning)
    saved("gpt-2", tmp_path / "theirs")
    parts.save(str(tmp_path / "theirs" / "tokenizer.json"))
    changed(tmp_path / "theirs", bos_token_id=0, eos_token_id=0, vocab_size=320)
    found = bring(tmp_path / "theirs", tmp_path / "run")
    trained = load(found.folder)
    assert len(lens(trained, shown(trained, "The cat sat")).likeliest) == 4
    exported = export(found.folder, tmp_path / "out")
    model = transformers.GPT2LMHeadModel.from_pretrained(exported.folder)
    assert model.generate(torch.tensor([[5]]), max_new_tokens=3, do_sample=False).shape[1] > 1


def test_a_text_of_several_rows_is_measured_by_an_imported_model_that_writes_in_gaps(tmp_path: Path) -> None:
    found = bring(export(run_of(naming_of("t5"), tmp_path / "own"), tmp_path / "out").folder, tmp_path / "run")
    text = " ".join(["the cat sat on the mat and the dog lay by the door."] * 20)
    assert evaluate(load(found.folder), found.folder, [Document(text)] * 4)["loss"] > 0


@torch.inference_mode()
def test_a_model_of_one_segment_takes_both_sentences_for_the_first(tmp_path: Path) -> None:
    model = load(run_of(naming_of("bert"), tmp_path / "run", segments=1)).model
    shown = rows()
    second = (torch.arange(shown.shape[1]) > 3).long().expand_as(shown)
    one, two = (model(Batch(shown=shown, segments=each)).sequence for each in (None, second))
    assert torch.equal(one, two)


def test_a_student_of_transformers_with_half_the_decoder_writes(tmp_path: Path) -> None:
    _, found = brought("bart", tmp_path)
    trained = load(found.folder)
    encoder, decoder, cross = attention_maps.attention(trained, "The cat sat.")
    assert (len(encoder.maps), len(decoder.maps), len(cross.maps)) == (3, 1, 1)
    assert attention.exists(trained, "encoder.3.1") and not attention.exists(trained, "cross.3.1")


def test_a_tokenizer_of_pieces_frames_a_text_when_it_is_written_again(tmp_path: Path) -> None:
    saved("bert with more segments", tmp_path / "theirs")
    for file in (tmp_path / "theirs").glob("*token*"):
        file.unlink()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (tmp_path / "theirs" / "vocab.txt").write_text("\n".join([*specials, *(f"w{n}" for n in range(315))]))
    run = bring(tmp_path / "theirs", tmp_path / "run").folder
    export(run, tmp_path / "again")
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "again")
    assert again("w3 w9").input_ids == [2, 8, 14, 3]
    assert again("w3", "w9").input_ids == [2, 8, 3, 14, 3]
