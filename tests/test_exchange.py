"""Runs go to transformers and come back: with the same numbers, for every family that has a naming.

B rows   T tokens   V vocabulary
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import TEXT, randomise, run_of, suited, tokenizer
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from lab.analysis.count import count
from lab.batch import Batch, Document
from lab.catalog import MODELS
from lab.cli.main import main
from lab.exchange.described import counted
from lab.exchange.export import Exported, export
from lab.exchange.importing import bring
from lab.exchange.known import naming_for, naming_of, namings
from lab.exchange.naming import RECIPE, Naming
from lab.inference import attention_maps, decoding, inputs, predict
from lab.inference.model import Trained, load
from lab.layers.discriminator import Discriminator
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.evaluate import evaluate
from lab.training.train import train

transformers = pytest.importorskip("transformers")

WRITTEN = [naming for naming in namings() if naming.written]
EVERY = [pytest.param(naming, id=naming.tokens) for naming in WRITTEN]
WITH_LABELS = [pytest.param(naming, id=naming.tokens) for naming in WRITTEN if naming.labels]


def rows() -> Tensor:
    """Ids that end as a text does: what some classes look for."""
    ids = torch.randint(6, 200, (2, 7), generator=torch.Generator().manual_seed(1))
    ids[:, -1] = tokenizer().vocabulary.separate
    return ids


@torch.inference_mode()
def mine(trained: Trained, *, bare: bool = False) -> tuple[Tensor | None, Tensor | None]:
    """Our logits at every position (B, T, V), and about the rows (B, C); what a ``bare`` model says is (B, T, W)."""
    shown = rows()
    if bare:
        return trained.model.stack(Batch(shown=shown, visible="causal" if trained.left_to_right else "all")), None
    asked = None if trained.run.task else torch.arange(shown.numel())
    writes = "writes" in MODELS[trained.run.model].traits and not trained.run.task
    source = {"source": shown.flip(1)} if writes else {}
    visible = "causal" if trained.left_to_right or source else "all"
    if isinstance(trained.model, Discriminator) and not trained.run.task:  # (B, T): whether each token is the true one
        return trained.model.head(trained.model.stack(Batch(shown=shown))), None
    output = trained.model(Batch(shown=shown, visible=visible, asked=asked, **source))
    tokens = None if output.tokens is None else output.tokens.view(*shown.shape, -1)
    return tokens, output.sequence


@torch.inference_mode()
def theirs(model: nn.Module) -> tuple[Tensor | None, Tensor | None]:
    """The same of a class of transformers."""
    shown = rows()
    given = {"input_ids": shown, "attention_mask": torch.ones_like(shown)}
    if model.config.is_encoder_decoder and "Classification" not in type(model).__name__:
        given = {"input_ids": shown.flip(1), "decoder_input_ids": shown}
    out = model.eval()(**given)
    if "last_hidden_state" in out:
        return out.last_hidden_state, None
    if "prediction_logits" in out:
        return out.prediction_logits, out.get("seq_relationship_logits", out.get("sop_logits"))
    return (out.logits, None) if out.logits.shape[1] == shown.shape[1] else (None, out.logits)


def agree(one: tuple[Tensor | None, Tensor | None], two: tuple[Tensor | None, Tensor | None]) -> None:
    assert any(each is not None for each in one)
    for ours, reference in zip(one, two, strict=True):
        assert (ours is None) == (reference is None)
        if ours is not None and reference is not None:
            torch.testing.assert_close(ours, reference, rtol=0, atol=1e-5)


def loaded(exported: Exported) -> nn.Module:
    found, report = getattr(transformers, exported.architecture).from_pretrained(
        exported.folder, output_loading_info=True, attn_implementation="eager"
    )
    assert not report["missing_keys"] and not report["mismatched_keys"]
    return found


@pytest.mark.parametrize("naming", EVERY)
def test_transformers_loads_an_exported_run_and_answers_as_we_do(naming: Naming, tmp_path: Path) -> None:
    folder = run_of(naming, tmp_path / "run")
    agree(mine(load(folder), bare=is_bare(naming)), theirs(loaded(export(folder, tmp_path / "out"))))


@pytest.mark.parametrize("naming", WITH_LABELS)
def test_transformers_loads_a_fine_tuned_run_with_its_labels(naming: Naming, tmp_path: Path) -> None:
    folder = run_of(naming, tmp_path / "run", task="classify")
    exported = export(folder, tmp_path / "out")
    model = loaded(exported)
    agree((None, mine(load(folder))[1]), theirs(model))
    assert [*model.config.id2label.values()] == ["bad", "fine", "good"]
    back = bring(exported.folder, tmp_path / "back").folder
    assert load(back).labels == ("bad", "fine", "good")
    same_weights(folder, back)


@pytest.mark.parametrize("naming", EVERY)
def test_what_is_exported_and_imported_again_is_equal_to_the_last_bit(naming: Naming, tmp_path: Path) -> None:
    folder = run_of(naming, tmp_path / "run")
    back = bring(export(folder, tmp_path / "out").folder, tmp_path / "back").folder
    same_weights(folder, back)
    before, after = load(folder), load(back)
    assert before.run.settings_of("model") == after.run.settings_of("model")
    assert before.tokenizer.encode(TEXT).tolist() == after.tokenizer.encode(TEXT).tolist()
    assert after.run.objective == before.run.objective and after.run.pair == before.run.pair


def same_weights(one: RunFolder, two: RunFolder) -> None:
    before, after = (checkpoint.load_weights(each.path / "checkpoints")[0] for each in (one, two))
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("naming", EVERY)
def test_a_folder_that_transformers_saved_answers_here_as_it_does_there(naming: Naming, tmp_path: Path) -> None:
    model, folder = saved(naming, tmp_path)
    brought = bring(folder, tmp_path / "run")
    agree(mine(load(brought.folder), bare=is_bare(naming)), theirs(model))
    notes = [note for note, _ in brought.notes if "special tokens" not in note]  # the tokenizer is anybody's
    assert brought.folder.status() == "finished" and bool(notes) == is_bare(naming)


def is_bare(naming: Naming) -> bool:
    """Whether transformers has no class with the head that the family is pretrained with."""
    return not naming.tokens.endswith(("LM", "LMHeadModel", "Generation", "PreTraining"))


@pytest.mark.parametrize("naming", WITH_LABELS)
def test_a_classifier_that_transformers_saved_answers_here_as_it_does_there(naming: Naming, tmp_path: Path) -> None:
    """Its file has no head for tokens."""
    model, folder = saved(naming, tmp_path, architecture=naming.labels, id2label={0: "bad", 1: "fine", 2: "good"})
    brought = bring(folder, tmp_path / "run")
    trained = load(brought.folder)
    agree((None, mine(trained)[1]), theirs(model))
    assert trained.labels == ("bad", "fine", "good")


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "electra", "distilbert", "gpt", "llama"])
def test_a_model_without_its_heads_comes_with_its_states_and_a_word_about_it(family: str, tmp_path: Path) -> None:
    naming = naming_of(family)
    model, folder = saved(naming, tmp_path, architecture=naming.tokens.split("For")[0].split("LMHead")[0] + "Model")
    brought = bring(folder, tmp_path / "run")
    agree(mine(load(brought.folder), bare=True), theirs(model))
    assert bool(brought.notes) == (family != "gpt")  # whose head is its table


def saved(naming: Naming, path: Path, architecture: str = "", **more: Any) -> tuple[Any, Path]:
    """A tiny model of transformers with random numbers, and the folder into which it was saved."""
    settings = MODELS[naming.model].settings.load(suited(naming))
    values = naming.config(settings, 320) | {"pad_token_id": 0, "bos_token_id": 5, "eos_token_id": 5} | more
    if values.get("is_encoder_decoder"):
        end = tokenizer().vocabulary.separate
        values |= {"eos_token_id": end, "decoder_start_token_id": end}
    del values[RECIPE]  # which a stranger does not write
    cls = getattr(transformers, architecture or naming.pair or naming.tokens)
    model = cls(cls.config_class(**{key: value for key, value in values.items() if key != "model_type"}))
    if not getattr(settings, "tied", True) and hasattr(model, "lm_head"):
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.clone())  # T5's class ties them whatever it is told
    randomise(model)
    model.config._attn_implementation = "eager"
    model.save_pretrained(path / "theirs")
    (path / "theirs" / "tokenizer.json").write_text(tokenizer().inner.to_str())
    return model, path / "theirs"


def split_up(folder: Path) -> None:
    """The folder's weights in two files with an index, as large models are published."""
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    places = {name: f"model-0000{1 + n % 2}-of-00002.safetensors" for n, name in enumerate(names)}
    for file in {*places.values()}:
        save_file({name: tensors[name] for name in names if places[name] == file}, folder / file, {"format": "pt"})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    (folder / "model.safetensors").unlink()


def rewritten(folder: Path, rename: Callable[[str], str], **more: Tensor) -> None:
    """The folder's weights under other names, and with more tensors."""
    tensors = load_file(folder / "model.safetensors")
    save_file({rename(name): each for name, each in tensors.items()} | more, folder / "model.safetensors")


def bert(tmp_path: Path) -> tuple[RunFolder, Path]:
    folder = run_of(naming_of("bert"), tmp_path / "run")
    return folder, export(folder, tmp_path / "out").folder


def gpt(tmp_path: Path) -> tuple[RunFolder, Path]:
    folder = run_of(naming_of("gpt"), tmp_path / "run")
    return folder, export(folder, tmp_path / "out").folder


def test_weights_in_several_files_are_read(tmp_path: Path) -> None:
    run, folder = bert(tmp_path)
    split_up(folder)
    same_weights(run, bring(folder, tmp_path / "back").folder)


def test_old_spellings_of_norms_buffers_and_copies_are_understood(tmp_path: Path) -> None:
    run, folder = bert(tmp_path)
    table = load_file(folder / "model.safetensors")["bert.embeddings.word_embeddings.weight"]
    rewritten(
        folder,
        lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"),
        **{"bert.embeddings.position_ids": torch.arange(16)[None], "cls.predictions.decoder.weight": table.clone()},
    )
    same_weights(run, bring(folder, tmp_path / "back").folder)


def test_a_missing_prefix_and_the_masks_of_old_files_are_understood(tmp_path: Path) -> None:
    run, folder = gpt(tmp_path)
    masks = {f"h.{n}.attn.bias": torch.ones(1, 1, 16, 16) for n in range(3)}
    rewritten(folder, lambda name: name.removeprefix("transformer."), **masks)
    same_weights(run, bring(folder, tmp_path / "back").folder)


def test_a_copy_stands_in_for_its_original_and_must_not_differ_from_it(tmp_path: Path) -> None:
    run, folder = gpt(tmp_path)
    rewritten(folder, lambda name: "lm_head.weight" if name == "transformer.wte.weight" else name)
    same_weights(run, bring(folder, tmp_path / "back").folder)
    other = load_file(folder / "model.safetensors")["lm_head.weight"] + 1
    rewritten(folder, lambda name: name, **{"transformer.wte.weight": other})
    with pytest.raises(SettingsError, match="'lm_head.weight' and 'transformer.wte.weight' differ"):
        bring(folder, tmp_path / "again")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_become_single_precision(dtype: torch.dtype, tmp_path: Path) -> None:
    _, folder = bert(tmp_path)
    rounded = {name: each.to(dtype) for name, each in load_file(folder / "model.safetensors").items()}
    save_file(rounded, folder / "model.safetensors")
    got, _ = checkpoint.load_weights(bring(folder, tmp_path / "back").folder.path / "checkpoints")
    name = "stack.blocks.1.feed.up.weight"
    assert torch.equal(got[name], rounded["bert.encoder.layer.1.intermediate.dense.weight"].float())


def test_a_bias_for_each_token_travels_and_may_be_missing(tmp_path: Path) -> None:
    run = run_of(naming_of("bart"), tmp_path / "run")
    folder = export(run, tmp_path / "out").folder
    tensors = load_file(folder / "model.safetensors")
    assert tensors["final_logits_bias"].shape == (1, 300) and tensors["final_logits_bias"].abs().min() > 0
    del tensors["final_logits_bias"]
    old = {name.removeprefix("model."): each for name, each in tensors.items()}
    save_file(old | {"encoder.version": torch.tensor([3.0])}, folder / "model.safetensors")
    (before, _), (after, _) = (
        checkpoint.load_weights(each.path / "checkpoints") for each in (run, bring(folder, tmp_path / "back").folder)
    )
    assert not after["head.bias"].any()
    assert all(torch.equal(before[name], after[name]) for name in before if name != "head.bias")


def test_what_a_decoder_has_before_it_and_what_ends_it_is_written_down(tmp_path: Path) -> None:
    known = tokenizer().vocabulary
    for model, start, then in (("t5", known.pad, None), ("bart", known.separate, known.begin)):
        exported = export(run_of(naming_of(model), tmp_path / model), tmp_path / f"{model}-out")
        config = loaded(exported).generation_config
        assert (config.decoder_start_token_id, config.forced_bos_token_id) == (start, then)
        assert config.eos_token_id == known.separate and config.forced_eos_token_id is None


def test_stacks_of_two_widths_are_refused(tmp_path: Path) -> None:
    folder = export(run_of(naming_of("bart"), tmp_path / "run"), tmp_path / "out").folder
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"decoder_ffn_dim": 20}))
    with pytest.raises(SettingsError, match="encoder_ffn_dim 44 and decoder_ffn_dim 20; here both are the same"):
        bring(folder, tmp_path / "back")


@pytest.mark.parametrize(("kind", "model"), [("chatglm", "chatglm"), ("glm", "glm")])
def test_a_family_is_read_under_the_names_that_its_authors_gave_it(kind: str, model: str, tmp_path: Path) -> None:
    theirs = next(each for each in namings() if (each.kind, each.model) == (kind, model) and not each.written)
    run = run_of(theirs, tmp_path / "run")
    shape, trained = run.run.settings_of("model"), load(run)
    tensors = theirs.give(dict(trained.model.named_parameters()), shape)
    speeds = {"transformer.rotary_pos_emb.inv_freq": torch.ones(2)}
    folder = tmp_path / "theirs"
    folder.mkdir()
    save_file(
        {name: each.detach().contiguous() for name, each in tensors.items()} | speeds, folder / "model.safetensors"
    )
    (folder / "config.json").write_text(json.dumps(theirs.config(shape, trained.tokenizer.vocabulary.size)))
    (folder / "tokenizer.json").write_text(tokenizer().inner.to_str())
    same_weights(run, bring(folder, tmp_path / "back").folder)
    found = counted(folder / "config.json")
    assert found == {"model": model, **count(model, run.run.shape, trained.tokenizer.vocabulary.size)}


def test_what_transformers_has_no_class_for_is_not_exported(tmp_path: Path) -> None:
    glm = next(naming for naming in namings() if naming.model == "glm")
    with pytest.raises(SettingsError, match="no class for GLM: it cannot be exported"):
        export(run_of(glm, tmp_path / "run"), tmp_path / "out")


def tokens_of(folder: Path, names: dict[str, str]) -> None:
    """Give the folder's tokenizer other special tokens: ours to theirs, and none but these."""
    document = json.loads((folder / "tokenizer.json").read_text())
    document["added_tokens"] = [
        token | {"content": names[token["content"]]} for token in document["added_tokens"] if token["content"] in names
    ]
    vocabulary = document["model"]["vocab"]
    document["model"]["vocab"] = {names.get(token, token): number for token, number in vocabulary.items()}
    (folder / "tokenizer.json").write_text(json.dumps(document))


def test_a_token_with_several_roles_may_end_a_text(tmp_path: Path) -> None:
    _, folder = gpt(tmp_path)
    tokens_of(folder, {"[END]": "<|endoftext|>"})
    imported = load(bring(folder, tmp_path / "back").folder)
    end = imported.tokenizer.vocabulary.end
    assert imported.tokenizer.vocabulary.begin == end
    assert torch.isfinite(decoding.continuation(imported, "The cat").next_logits()[end])


def test_a_model_that_writes_fills_gaps_by_the_marks_that_it_was_trained_with(tmp_path: Path) -> None:
    _, folder = saved(naming_of("t5"), tmp_path, vocab_size=420)
    with_special_tokens = tokenizer().with_special_tokens([f"<extra_id_{number}>" for number in range(100)][::-1])
    usual = {"[PAD]": "<pad>", "[SEP]": "</s>", "[UNK]": "<unk>"}
    tokens_of(folder, usual)
    few = bring(folder, tmp_path / "few")
    assert "special tokens that span corruption needs, such as <extra_id_0>" in few.notes[-1][0]
    with pytest.raises(SettingsError, match="no token that serves as <extra_id_0>"):
        predict.fill(load(few.folder), "The [MASK] sat.")
    (folder / "tokenizer.json").write_text(with_special_tokens.inner.to_str())
    tokens_of(folder, usual | {f"<extra_id_{number}>": f"<extra_id_{number}>" for number in range(100)})
    whole = bring(folder, tmp_path / "run")
    assert not any("special tokens" in note for note, _ in whole.notes)
    imported = load(whole.folder)
    source = inputs.framed(imported, inputs.with_gaps(imported, "The [MASK] sat [MASK]."))
    pieces = [piece.text for piece in imported.tokenizer.pieces(source)]
    assert [name for name in pieces if name.startswith("<extra")] == ["<extra_id_0>", "<extra_id_1>"]
    assert len(predict.fill(imported, "The [MASK] sat [MASK].")) == 2


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "t5", "feed_forward_proj": "gated-silu"}, "T5 / T5 v1.1 are made with 'relu' / 'gated-gelu'"),
        ({"model_type": "gpt_neox"}, "does not know the model_type 'gpt_neox'; it knows: albert, bart"),
        ({}, "has no model_type, such as albert, bart"),
    ],
)
def test_what_is_not_taken_in_is_said_so_that_one_can_see_why(config: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        naming_for(config)


@pytest.mark.parametrize("config", [{"model_type": "t5"}, {"feed_forward_proj": "gated-gelu"}, {"model_type": "mt5"}])
def test_a_t5_with_another_activation_is_refused(config: dict[str, Any]) -> None:
    config = {"model_type": "t5", "vocab_size": 300} | config
    naming = naming_for(config)
    own = naming.fixed["dense_act_fn"]
    assert naming.shape({**config, "dense_act_fn": own}) == naming.shape(config)
    with pytest.raises(SettingsError, match=f"the config has dense_act_fn 'silu'; the lab's T5.* is made with '{own}'"):
        naming.shape({**config, "dense_act_fn": "silu"})


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta", "camembert", "longformer"])
def test_positions_behind_another_padding_are_refused_by_what_the_config_says(kind: str) -> None:
    config = {"model_type": kind, "pad_token_id": 5, "vocab_size": 300}
    with pytest.raises(SettingsError, match="the config has pad_token_id 5, behind which .* must be 0 or 1"):
        naming_for(config).shape(config)
    assert naming_for(config).shape({**config, "pad_token_id": 0}).pad == 0


def test_a_tensor_too_few_and_one_too_many_are_named(tmp_path: Path) -> None:
    _, folder = bert(tmp_path)
    rewritten(folder, lambda name: name, surplus=torch.ones(2))
    with pytest.raises(SettingsError, match="'surplus', for which BERT has no place"):
        bring(folder, tmp_path / "back")
    tensors = load_file(folder / "model.safetensors")
    del tensors["surplus"], tensors["bert.encoder.layer.2.output.dense.bias"]
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(SettingsError, match="lack the tensor 'bert.encoder.layer.2.output.dense.bias'"):
        bring(folder, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_model_that_computes_something_else_is_refused(tmp_path: Path) -> None:
    _, folder = bert(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_act": "relu"}))
    with pytest.raises(SettingsError, match="hidden_act 'relu'; the lab's BERT is made with 'gelu'"):
        bring(folder, tmp_path / "back")


def test_an_exported_tokenizer_frames_a_text_as_the_run_does(tmp_path: Path) -> None:
    run, folder = bert(tmp_path)
    known = transformers.AutoTokenizer.from_pretrained(folder)
    framed = predict.framed(load(run), tokenizer().encode("The cat sat."))
    assert known("The cat sat.")["input_ids"] == framed.tolist()
    assert known.decode(known("The cat sat.")["input_ids"], skip_special_tokens=True) == "The cat sat."
    gaps = known("The [MASK] sat.")["input_ids"]
    assert gaps == inputs.framed(load(run), inputs.with_gaps(load(run), "The [MASK] sat.")).tolist()
    assert (known.pad_token, known.mask_token, known.cls_token) == ("[PAD]", "[MASK]", "[CLS]")


def test_an_imported_model_is_asked_measured_and_fine_tuned(tmp_path: Path) -> None:
    run, folder = bert(tmp_path)
    imported = load(bring(folder, tmp_path / "back").folder)
    assert [g.id for g in predict.fill(imported, "The [MASK] sat.")[0]] == [
        g.id for g in predict.fill(load(run), "The [MASK] sat.")[0]
    ]
    assert attention_maps.attention(imported, "The cat sat.")[0].maps.shape[0] == 3
    back = RunFolder.open(tmp_path / "back")
    found = evaluate(imported, back, [Document(TEXT * 4)] * 30)
    assert found["loss"] > 0 and found["baselines"]["unigram"] > 0
    with pytest.raises(SettingsError, match="name one to measure it on"):
        evaluate(imported, back)
    with pytest.raises(SettingsError, match="fine-tune it"):
        next(train(back))
    before = back.run
    tuned = Run(
        kind="finetune",
        model=before.model,
        shape=before.shape,
        objective=before.objective,
        task="classify",
        corpus="town_en",
        corpus_settings={"stories": 40},
        tokenizer=before.tokenizer,
        training={"steps": 2, "batch": 4, "threads": 1},
        parent=str(back.path),
    )
    child = RunFolder.create(tuned, tmp_path / "tuned")
    assert [step.step for step in train(child)] == [1, 2]


def test_an_imported_model_continues_a_text(tmp_path: Path) -> None:
    run, folder = gpt(tmp_path)
    imported = load(bring(folder, tmp_path / "back").folder)
    words = [
        [each.id for each in decoding.generate(each, "The cat", [("greedy", {})], 5)] for each in (load(run), imported)
    ]
    assert words[0] == words[1]


@pytest.mark.parametrize("naming", EVERY)
def test_a_config_alone_tells_how_large_its_model_is(naming: Naming, tmp_path: Path) -> None:
    folder = run_of(naming, tmp_path / "run")
    export(folder, tmp_path / "out")
    found = counted(tmp_path / "out" / "config.json")
    known = count(naming.model, folder.run.shape, load(folder).tokenizer.vocabulary.size)
    assert found == {"model": found["model"], **known}


def test_the_terminal_counts_a_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "bert", "vocab_size": 30522}))
    assert main(["params", str(path), "--json"]) == 0
    counted_alone = json.loads(capsys.readouterr().out)
    assert counted_alone["params"]["with_pretraining_heads"] == 110_106_428
    assert main(["params", str(tmp_path), "--json"]) == 0  # the folder that it lies in
    assert json.loads(capsys.readouterr().out)["params"] == counted_alone["params"]
    path.write_text(json.dumps({"model_type": "bort"}))
    assert main(["params", str(path)]) == 2 and "model_type 'bort'" in capsys.readouterr().err


def test_the_terminal_exports_and_imports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(naming_of("gpt"), tmp_path / "run")
    assert main(["export", "--run", str(run.path), "--to", str(tmp_path / "out"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["architecture"] == "GPT2LMHeadModel"
    written = load_file(tmp_path / "out" / "model.safetensors").values()
    assert document["parameters_written"] == sum(tensor.numel() for tensor in written)
    assert main(["import", str(tmp_path / "out"), "--to", str(tmp_path / "back"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == document["parameters_written"]
    assert main(["import", str(tmp_path / "out"), "--to", str(tmp_path / "back")]) == 2
    assert main(["export", "--run", str(run.path), "--to", str(tmp_path / "out")]) == 2
    assert main(["import", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.count("\n") == 3


@pytest.mark.parametrize("model", ["longformer", "electra", "spanbert"])
def test_what_the_terminal_counts_is_what_was_written(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(naming_of(model), tmp_path / "run")
    assert main(["export", "--run", str(run.path), "--to", str(tmp_path / "out")]) == 0
    written = sum(tensor.numel() for tensor in load_file(tmp_path / "out" / "model.safetensors").values())
    assert f": {written:,} parameters written to {tmp_path / 'out'}" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["deberta_v1", "deberta_v2"])
def test_a_mask_decoder_goes_and_comes_back_though_transformers_has_none(model: str, tmp_path: Path) -> None:
    run = run_of(naming_of(model), tmp_path / "run", plain=False)
    exported = export(run, tmp_path / "out")
    assert "mask decoder" in exported.notes[0][0]
    loaded(exported)
    back = bring(exported.folder, tmp_path / "back").folder
    assert not back.run.shape["plain"]
    same_weights(run, back)


def test_a_published_deberta_v3_is_its_discriminator_and_what_else_is_in_the_file_is_passed_over(
    tmp_path: Path,
) -> None:
    run = run_of(naming_of("deberta_v3"), tmp_path / "run", half="discriminator")
    folder = export(run, tmp_path / "out").folder
    assert "mask_predictions.classifier.weight" in load_file(folder / "model.safetensors")
    rewritten(folder, lambda name: name, **{"lm_predictions.lm_head.bias": torch.ones(300)})
    same_weights(run, bring(folder, tmp_path / "back").folder)


@pytest.mark.parametrize("naming", [each for each in WRITTEN if each.kind in ("deberta-v2", "electra")])
@pytest.mark.parametrize("older", [True, False])
def test_a_file_whose_config_names_no_class_is_the_half_whose_head_it_holds(
    naming: Naming, older: bool, tmp_path: Path
) -> None:
    model, folder = saved(naming, tmp_path, **({"legacy": older} if "Deberta" in naming.tokens else {}))
    config = json.loads((folder / "config.json").read_text())
    del config["architectures"]
    (folder / "config.json").write_text(json.dumps(config))
    brought = bring(folder, tmp_path / "run")
    assert brought.folder.run.objective == (naming.objective or MODELS[naming.model].objective)
    bare = naming.tokens.endswith("Model")  # as DeBERTa v3's discriminator is there
    assert any("no head" in en for en, _ in brought.notes) == bare
    agree(mine(load(brought.folder), bare=bare), theirs(model))


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_decoder_that_transformers_saved_goes_from_left_to_right_here_too(family: str, tmp_path: Path) -> None:
    naming = naming_of(family)
    model, folder = saved(naming, tmp_path, architecture=naming.onward, is_decoder=True)
    imported = load(bring(folder, tmp_path / "run").folder)
    assert imported.run.objective == "clm" and imported.left_to_right
    agree(mine(imported), theirs(model))
    assert len([*decoding.generate(imported, "The cat", decoding.GREEDY, tokens=2)]) == 2


def test_an_encoder_that_may_not_look_ahead_and_is_no_decoder_of_ours_is_refused(tmp_path: Path) -> None:
    folder = export(run_of(naming_of("electra"), tmp_path / "run"), tmp_path / "out").folder
    changed(folder, is_decoder=True)
    with pytest.raises(SettingsError, match="the config has is_decoder True"):
        bring(folder, tmp_path / "back")


def changed(folder: Path, **more: Any) -> None:
    """Other words in the folder's config."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | more))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"problem_type": "multi_label_classification"}, "for multi_label_classification"),
        ({"problem_type": "regression"}, "for regression"),
        ({"id2label": {"0": "LABEL_0"}}, "for regression"),
    ],
)
def test_a_head_that_chooses_no_class_is_refused(more: dict[str, Any], said: str, tmp_path: Path) -> None:
    folder = export(run_of(naming_of("bert"), tmp_path / "run", task="classify"), tmp_path / "out").folder
    changed(folder, **more)
    with pytest.raises(SettingsError, match=said):
        bring(folder, tmp_path / "back")


def test_a_t5_v11_without_a_head_takes_its_token_table_as_transformers_does(tmp_path: Path) -> None:
    naming = naming_of("t5_v11")
    model, folder = saved(naming, tmp_path, vocab_size=420)
    model.lm_head.weight = model.shared.weight
    rewritten(folder, lambda name: name)
    tensors = load_file(folder / "model.safetensors")
    tensors.pop("lm_head.weight")
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    brought = bring(folder, tmp_path / "run")
    assert [note for note, _ in brought.notes if "special tokens" not in note] == []
    agree(mine(load(brought.folder)), theirs(model))


def chatglm(tmp_path: Path, **more: Any) -> Path:
    """A folder as ChatGLM's authors published theirs."""
    naming = next(each for each in namings() if each.kind == "chatglm" and not each.written)
    trained = load(run_of(naming, tmp_path / "run"))
    shape = trained.run.settings_of("model")
    folder = tmp_path / "theirs"
    folder.mkdir()
    tensors = naming.give(dict(trained.model.named_parameters()), shape)
    save_file({name: each.detach().contiguous() for name, each in tensors.items()}, folder / "model.safetensors")
    config = naming.config(shape, trained.tokenizer.vocabulary.size) | more
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(tokenizer().inner.to_str())
    return folder


def test_a_factor_of_the_rotations_is_said_and_divides_positions_where_it_is_chatglm2s(tmp_path: Path) -> None:
    folder = chatglm(tmp_path, rope_ratio=50)
    brought = bring(folder, tmp_path / "back")
    assert brought.folder.run.shape["theta"] == 5e5 and "rope_ratio 50 multiplies the base" in brought.notes[0][0]
    changed(folder, rope_ratio=1)
    assert not bring(folder, tmp_path / "plain").notes
    changed(folder, rope_ratio=16, _name_or_path="THUDM/chatglm2-6b-32k")
    brought = bring(folder, tmp_path / "again")
    assert not brought.notes
    exported = export(brought.folder, tmp_path / "out")
    model = loaded(exported)
    assert model.config.rope_parameters["rope_type"] == "linear" and model.config.rope_parameters["factor"] == 16
    agree(mine(load(brought.folder)), theirs(model))


@pytest.mark.parametrize("family", ["bert", "albert"])
def test_a_pooler_for_which_there_is_no_place_is_named(family: str, tmp_path: Path) -> None:
    naming = naming_of(family)
    _, folder = saved(naming, tmp_path, architecture=naming.tokens.split("For")[0] + "Model")
    assert any("pooler" in en for en, _ in bring(folder, tmp_path / "run").notes)
    _, whole = saved(naming, tmp_path / "whole", architecture=naming.pair)
    assert not bring(whole, tmp_path / "pair").notes
