"""A text reaches an imported model as its publishers mean it to: framed, begun and ended as transformers does it.

T tokens
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from random_runs import TEXT, randomise
from tokenizers import decoders, models, pre_tokenizers, processors, trainers
from torch import nn

from lab.analysis.top_k_accuracy import of_model
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.inference import decoding
from lab.inference.asked import ask
from lab.inference.decoding import GREEDY, generate
from lab.inference.in_context import likelihood
from lab.inference.inputs import labelled
from lab.inference.model import Trained, load
from lab.inference.predict import classify
from lab.inference.sampling import sample
from lab.inference.scoring import logprobs
from lab.inference.sentence_vectors import sentence_vectors
from lab.inference.shown import shown
from lab.inference.word_senses import word_vectors
from lab.objectives.parts.sentinels import SENTINELS
from lab.runs.pack import pack

transformers = pytest.importorskip("transformers")

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1}
SIZES |= {"intermediate_size": 44, "max_position_embeddings": 32}
CHAT = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
PROMPT, NEW = "The cat sat", 12


def published(path: Path, family: str, specials: tuple[str, ...], single: str = "", **config: Any) -> nn.Module:
    """A random model of transformers and its tokenizer, which puts the tokens of ``single`` around a text $A."""
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    wanted = trainers.BpeTrainer(
        vocab_size=300, special_tokens=[*specials], initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator([TEXT] * 3, wanted)
    if single:
        around = [(name, inner.token_to_id(name)) for name in specials if name in single]
        inner.post_processor = processors.TemplateProcessing(single=single, special_tokens=around)
    made = getattr(transformers, family)
    model = made(made.config_class(vocab_size=inner.get_vocab_size(), **config)).eval()
    torch.manual_seed(5)
    randomise(model)
    model.save_pretrained(path)
    transformers.PreTrainedTokenizerFast(tokenizer_object=inner).save_pretrained(path)
    return model


def brought(path: Path) -> Trained:
    return load(bring(path, path.with_name(path.name + "-run")).folder)


def read_there(path: Path, text: str) -> torch.Tensor:
    """The ids of a text as transformers reads it: (1, T)."""
    ids: torch.Tensor = transformers.AutoTokenizer.from_pretrained(path)(text, return_tensors="pt").input_ids
    return ids


def written_there(path: Path, text: str) -> list[int]:
    """What transformers writes behind a text, by the files alone."""
    model, ids = transformers.AutoModelForCausalLM.from_pretrained(path), read_there(path, text)
    out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=NEW, do_sample=False, pad_token_id=0)
    new: list[int] = out[0, ids.shape[1] :].tolist()
    return new


def changed(path: Path, **more: Any) -> None:
    path.write_text(json.dumps((json.loads(path.read_text()) if path.exists() else {}) | more))


@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
@pytest.mark.parametrize("ends", [2, [0, 2], [2, 0]], ids=str)
def test_a_chat_model_stops_where_its_config_says(ends: Any, file: str, tmp_path: Path) -> None:
    """Of a Qwen2 the pretraining's texts end in <|endoftext|>, and a chat model's turns in <|im_end|>."""
    folder = tmp_path / "chat"
    model = published(folder, "Qwen2ForCausalLM", CHAT, **SIZES, bos_token_id=0, eos_token_id=0)
    (folder / "generation_config.json").unlink()
    unstopped = written_there(folder, PROMPT)
    with torch.no_grad():  # it says <|im_end|> instead of the third token that it wrote
        model.lm_head.weight[2] = 1.1 * model.lm_head.weight[unstopped[2]]
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    assert len(unstopped) == NEW and unstopped[2] not in unstopped[:2]
    changed(folder / file, eos_token_id=ends)
    theirs, trained = written_there(folder, PROMPT), brought(folder)
    assert theirs == [*unstopped[:2], 2]
    assert [token.id for token in generate(trained, PROMPT, GREEDY, NEW)] == theirs[:-1]
    assert [[token.id for token in text] for text in sample(trained, PROMPT, [GREEDY], [0], NEW)] == [theirs[:-1]]
    first = ends[0] if isinstance(ends, list) else ends
    assert trained.tokenizer.vocabulary.end == first and not {2, first} & {*decoding.suppressed(trained)}
    again = export(bring(folder, tmp_path / "run").folder, tmp_path / "again").folder
    assert written_there(again, PROMPT) == theirs


def test_a_config_of_writing_that_is_damaged_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "chat"
    published(folder, "Qwen2ForCausalLM", CHAT, **SIZES, bos_token_id=0, eos_token_id=0)
    (folder / "generation_config.json").write_text("{")
    assert brought(folder).tokenizer.vocabulary.ends == {0}


LLAMA = ("<unk>", "<s>", "</s>")
NUMBERS = {"bos_token_id": 1, "eos_token_id": 2}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0}
GLM = {"head_dim": 16, "pad_token_id": 0, "eos_token_id": 0, "bos_token_id": None}
FAMILIES: dict[str, tuple[str, tuple[str, ...], str, dict[str, Any]]] = {
    "gpt-2": ("GPT2", CHAT[:1], "", GPT2 | {"pad_token_id": 0}),
    "gpt-1": ("OpenAIGPT", ("<unk>",), "", {**GPT2, "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}),
    "llama": ("Llama", LLAMA, "<s> $A", SIZES | NUMBERS | {"pad_token_id": 0}),
    "llama with both": ("Llama", LLAMA, "<s> $A </s>", SIZES | NUMBERS | {"pad_token_id": 0}),
    "mistral": ("Mistral", LLAMA, "<s> $A", SIZES | NUMBERS | {"sliding_window": None, "pad_token_id": 0}),
    "qwen2": ("Qwen2", CHAT, "", SIZES | {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 0}),
    "chatglm": ("Glm", ("<|endoftext|>", "[gMASK]", "<sop>"), "[gMASK] <sop> $A", SIZES | GLM),
}
TEXTS = ("The cat sat on the mat.", "猫", "a <s> b </s> [SEP]")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_classifier_that_reads_onward_reads_what_its_tokenizer_frames(family: str, tmp_path: Path) -> None:
    name, specials, single, config = FAMILIES[family]
    model = published(tmp_path / "theirs", f"{name}ForSequenceClassification", specials, single, num_labels=3, **config)
    trained = brought(tmp_path / "theirs")
    again = export(bring(tmp_path / "theirs", tmp_path / "run").folder, tmp_path / "again").folder
    for text in TEXTS[:2]:
        with torch.no_grad():
            theirs = model(read_there(tmp_path / "theirs", text)).logits.softmax(-1)[0].tolist()
        ours = {guess.token: guess.probability for guess in classify(trained, text)}
        assert [ours[f"LABEL_{n}"] for n in range(3)] == pytest.approx(theirs, abs=1e-5)
        assert read_there(again, text).tolist() == read_there(tmp_path / "theirs", text).tolist()
    read = labelled(trained, trained.tokenizer.encode(TEXTS[2])).shown[0]
    before, behind = single.split("$A")[0].split(), single.split("$A")[-1].split()
    assert trained.tokenizer.decode(read) == "".join(before) + TEXTS[2] + "".join(behind)
    long = labelled(trained, trained.tokenizer.encode(TEXTS[0] * 9)).shown[0]
    assert len(long) == trained.context and long[: len(before)].tolist() == read[: len(before)].tolist()


def test_what_was_fine_tuned_here_keeps_the_frame_that_it_has_learnt(tmp_path: Path) -> None:
    published(tmp_path / "theirs", "LlamaForCausalLM", LLAMA, "<s> $A", **SIZES, **NUMBERS)
    trained = brought(tmp_path / "theirs")
    own = replace(trained, run=replace(trained.run, kind="finetune", corpus="town_en", training={"steps": 1}))
    assert trained.opens == [1] and own.opens == []
    assert labelled(own, trained.tokenizer.encode("a")).shown[0].tolist() == [1, *trained.tokenizer.encode("a"), 2]


def writing(family: str, path: Path) -> tuple[nn.Module, str, dict[str, Any]]:
    """A model of the family that goes on with a text; what its tokenizer puts before one, and its config."""
    name, specials, single, config = FAMILIES[family]
    single = single.removesuffix(" </s>")
    kind = "LMHeadModel" if "GPT" in name else "ForCausalLM"
    return published(path, f"{name}{kind}", specials, single, **config), single, config


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_goes_on_behind_what_its_tokenizer_puts_before_it(family: str, tmp_path: Path) -> None:
    model, _, config = writing(family, tmp_path / "theirs")
    trained = brought(tmp_path / "theirs")
    again = export(bring(tmp_path / "theirs", tmp_path / "run").folder, tmp_path / "again").folder
    for text in TEXTS[:2]:
        ids = read_there(tmp_path / "theirs", text)
        assert decoding.continuation(trained, text).ids == ids[0].tolist() == read_there(again, text)[0].tolist()
        written = written_there(tmp_path / "theirs", text)
        assert [token.id for token in generate(trained, text, GREEDY, NEW)] == [*until_end(trained, written)]
    start = read_there(tmp_path / "theirs", "").long()[0].tolist() or [0]
    assert decoding.continuation(trained, "").ids == start
    read = json.loads((again / "tokenizer_config.json").read_text())
    assert trained.tokenizer.inner.token_to_id(read["bos_token"]) == (config["bos_token_id"] or 0)
    own = trained.tokenizer.encode(TEXTS[0]).tolist()
    with torch.no_grad():
        given = model(torch.tensor([[*start, *own]])).logits[0, len(start) - 1 : -1]
    given[:, decoding.suppressed(trained)] = -torch.inf
    theirs = given.log_softmax(-1)[range(len(own)), own].tolist()
    assert logprobs(trained, own) == pytest.approx(theirs, abs=1e-4)
    long = logprobs(trained, own * 9)
    assert len(long) == 9 * len(own) and torch.tensor(long).isfinite().all()


@pytest.mark.parametrize("family", FAMILIES)
def test_who_looks_into_a_model_sees_what_opens_a_text(family: str, tmp_path: Path) -> None:
    model, single, _ = writing(family, tmp_path / "theirs")
    trained, text = brought(tmp_path / "theirs"), TEXTS[0]
    ids = read_there(tmp_path / "theirs", text)
    assert shown(trained, text).read.tolist() == shown(trained, f"{''.join(single.split()[:-1])}{text}").read.tolist()
    assert shown(trained, text).read.tolist() == ids[0].tolist()
    assert shown(trained, text * 9).read[: len(trained.opens)].tolist() == trained.opens
    with torch.no_grad():
        theirs = model(ids, output_hidden_states=True)
    logits = theirs.logits[0, -1]
    logits[decoding.suppressed(trained)] = -torch.inf
    torch.testing.assert_close(ask(trained, ids[0].numpy()).probabilities, logits.softmax(-1), rtol=0, atol=1e-5)
    own = theirs.hidden_states[1][0, len(trained.opens) :]
    mean, last = sentence_vectors(trained, text)[1]
    torch.testing.assert_close(mean, own.mean(0), rtol=0, atol=1e-4)
    torch.testing.assert_close(last, own[-1], rtol=0, atol=1e-4)
    word = word_vectors(trained, text, (4, 7))[1]
    _, spans = trained.tokenizer.encode_with_spans(text)
    here = [at for at, (start, end) in enumerate(spans.tolist()) if start < 7 and end > 4]
    torch.testing.assert_close(word, own[here].mean(0), rtol=0, atol=1e-4)


def until_end(trained: Trained, ids: list[int]) -> Iterator[int]:
    return takewhile(lambda token: token not in trained.tokenizer.vocabulary.ends, ids)


def test_a_label_and_a_word_are_asked_behind_what_opens_a_text(tmp_path: Path) -> None:
    model = published(tmp_path / "theirs", "LlamaForCausalLM", LLAMA, "<s> $A", **SIZES, **NUMBERS)
    trained = brought(tmp_path / "theirs")
    before, label = "The cat\n", " mat"
    ids, own = read_there(tmp_path / "theirs", before + label), trained.tokenizer.encode(label).tolist()
    with torch.no_grad():
        nats = model(ids).logits[0, -len(own) - 1 : -1].log_softmax(-1)
    assert likelihood(trained, before, label) == pytest.approx(float(nats[range(len(own)), own].mean()), abs=1e-4)
    read: list[Any] = []
    hook = trained.model.register_forward_pre_hook(lambda _, given: read.append(given[0].shown))
    of_model(trained, ["The cat sat."])
    hook.remove()
    assert read[0].tolist() == [[1, *trained.tokenizer.encode("The cat sat.")]]


@torch.no_grad()
def test_what_opens_a_text_stays_where_the_context_is_full(tmp_path: Path) -> None:
    """As where a tokenizer of transformers cuts a text from the left; the rest is the lab's own."""
    model = published(tmp_path / "theirs", "LlamaForCausalLM", LLAMA, "<s> $A", **SIZES, **NUMBERS)
    trained, prompt = brought(tmp_path / "theirs"), "The cat sat on the mat. Where is the dog? " * 3
    known = transformers.AutoTokenizer.from_pretrained(tmp_path / "theirs", truncation_side="left")
    cut = known(prompt, truncation=True, max_length=trained.context, return_tensors="pt").input_ids
    text = decoding.continuation(trained, prompt)
    assert isinstance(text, decoding.Continuation) and text.read == cut[0].tolist()
    for _ in range(40):
        logits = text.next_logits()
        seen = model(torch.tensor([text.read])).logits[0, -1]
        sayable = logits.isfinite()
        assert text.read[0] == 1 and len(text.read) <= trained.context
        torch.testing.assert_close(logits[sayable], seen[sayable], rtol=0, atol=1e-4)
        text.add(int(logits.argmax()))


def test_a_tokenizer_that_would_fill_the_context_itself_is_not_followed(tmp_path: Path) -> None:
    published(tmp_path / "theirs", "LlamaForCausalLM", LLAMA, "<s> " * 40 + "$A", **SIZES, **NUMBERS)
    trained = brought(tmp_path / "theirs")
    assert trained.opens == [] and len([*generate(trained, PROMPT, GREEDY, 3)]) == 3


BART = {f"{stack}_{size}": 2 for stack in ("encoder", "decoder") for size in ("layers", "attention_heads")}
BART |= {"d_model": 32, "encoder_ffn_dim": 44, "decoder_ffn_dim": 44, "max_position_embeddings": 32}
BART |= {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "forced_eos_token_id": None}
OPENINGS: dict[str, tuple[dict[str, Any], dict[str, Any] | None, list[int]]] = {  # what the two configs say
    "as published": ({"decoder_start_token_id": 2, "forced_bos_token_id": 0}, None, [2, 0]),
    "as long ago": ({"decoder_start_token_id": 2, "force_bos_token_to_be_generated": True}, None, [2, 0]),
    "nothing forced": ({"decoder_start_token_id": 2}, None, [2]),
    "another start": ({"decoder_start_token_id": 0}, None, [0]),
    "a language": ({"decoder_start_token_id": 2, "forced_bos_token_id": 7}, None, [2, 7]),
    "in the other file": (
        {"decoder_start_token_id": 2},
        {"decoder_start_token_id": 0, "forced_bos_token_id": 7, "eos_token_id": 2},
        [0, 7],
    ),
}


@pytest.mark.parametrize("said", OPENINGS)
def test_an_answer_opens_as_the_files_say(said: str, tmp_path: Path) -> None:
    config, generation, opening = OPENINGS[said]
    folder = tmp_path / "theirs"
    names = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    published(folder, "BartForConditionalGeneration", names, "<s> $A </s>", **BART)
    (folder / "generation_config.json").unlink()
    changed(folder / "config.json", **{"decoder_start_token_id": None} | config)
    if generation is not None:
        changed(folder / "generation_config.json", **generation)
    run = bring(folder, tmp_path / "run").folder
    trained, again = load(run), export(run, tmp_path / "again").folder
    assert decoding.continuation(trained, PROMPT).ids == opening
    assert (run.path / "opening.json").exists() == (opening != [2, 0])
    for place in (folder, again):
        model, ids = transformers.AutoModelForSeq2SeqLM.from_pretrained(place), read_there(place, PROMPT)
        bad = [[number] for number in decoding.suppressed(trained)]
        out = model.generate(ids, max_new_tokens=NEW, do_sample=False, num_beams=1, bad_words_ids=bad)[0].tolist()
        ours = [token.id for token in generate(trained, PROMPT, GREEDY, NEW)]
        assert out[: len(opening)] == opening
        assert [*takewhile(lambda token: token != 2, out[len(opening) :])] == ours[: len(out) - len(opening)]
        assert len(ours) > 2 or 2 in out[len(opening) :]
    assert load(pack(run, tmp_path / "packed")).opening == trained.opening
    assert load(bring(again, tmp_path / "back").folder).opening == trained.opening


BOTH = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>")
T5 = {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_kv": 16, "d_ff": 44, "n_positions": 32, "pad_token_id": 0}
NUMBERED: dict[str, dict[str, Any]] = {
    "BartForConditionalGeneration": BART | {"bos_token_id": 5, "eos_token_id": 6, "decoder_start_token_id": 6},
    "T5ForConditionalGeneration": T5 | {"eos_token_id": 6, "decoder_start_token_id": 0},
}


@pytest.mark.parametrize("family", NUMBERED)
def test_an_answer_ends_where_the_config_says_whatever_the_tokens_are_called(family: str, tmp_path: Path) -> None:
    folder, config = tmp_path / "theirs", NUMBERED[family]
    names = BOTH if "Bart" in family else (*BOTH, *SENTINELS)
    model = published(folder, family, names, "<s> $A </s>" if "Bart" in family else "$A </s>", **config)
    ids, unsaid = read_there(folder, PROMPT), [[number] for number in range(6)]
    told = {"max_new_tokens": NEW, "do_sample": False, "num_beams": 1, "bad_words_ids": unsaid}
    unstopped = model.generate(ids, **told)[0].tolist()
    with torch.no_grad():  # it says </s> instead of the third token that it wrote
        model.get_output_embeddings().weight[6] = 1.1 * model.get_output_embeddings().weight[unstopped[3]]
    model.save_pretrained(folder)
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
    out = theirs.generate(ids, **told)[0].tolist()
    run = bring(folder, tmp_path / "run").folder
    trained = load(run)
    ours = [token.id for token in generate(trained, PROMPT, GREEDY, NEW)]
    assert out[-1] == 6 and len(out) < len(unstopped)
    assert ours == out[1:-1]
    vocabulary = trained.tokenizer.vocabulary
    assert {*range(7)} <= {*vocabulary.specials.values()}, "those that have no role are special all the same"
    again = json.loads((export(run, tmp_path / "again").folder / "config.json").read_text())
    keys = [key for key in ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id") if key in config]
    assert [again[key] for key in keys] == [config[key] for key in keys]
