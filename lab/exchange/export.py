"""Export to Hugging Face: from a run to a folder that transformers loads and answers as the lab does."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tokenizers
from safetensors.torch import save as serialized
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from lab.catalog import MODELS, OBJECTIVES
from lab.data.template import given
from lab.exchange.framing import Framing, framing
from lab.exchange.headers import CONFIG, SINGLE, TOKENIZER
from lab.exchange.known import naming_of
from lab.exchange.naming import Naming
from lab.exchange.tokenizing import config_of, for_others
from lab.inference.decoding import suppressed
from lab.inference.model import Trained, load
from lab.inference.tuning import merged
from lab.runs.checkpoint import weights_of
from lab.runs.files import must_be_empty, write
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED
from lab.runs.tuning import MEAN
from lab.settings import SettingsError
from lab.vocabulary import BEGIN, BOS, END, MASK, PAD, SEPARATE, SPECIALS

Sentence = tuple[str, str]  # English, Chinese
EACH = "each.out."  # our head for each token
HEADS = {"classify": "labels", "pairs": "labels", "tokens": "tags", "questions": "spans"}


@dataclass(frozen=True)
class Exported:
    """Where a run was written to, and as which class."""

    folder: Path
    architecture: str
    parameters: int  # that were written: the class may have no place for some, or copies of others
    notes: list[Sentence]


def export(folder: RunFolder, to: Path) -> Exported:
    """Write the run in ``folder`` to the folder ``to``, which must be empty or new."""
    run = folder.run
    naming = naming_of(run.model, run.settings_of("model"))
    trained = load(folder)
    trained = replace(trained, model=merged(trained.model, run))
    if run.task == "seq2seq":  # the model and its head are those that were pretrained
        run = replace(run, task=None, task_settings={}, tuning_settings={})
        trained = replace(trained, run=run)
    must_be_empty(to)
    shape = run.settings_of("model")
    naming.refuse(shape)
    architecture = _architecture(naming, trained)
    theirs = _weights(naming, trained)
    vocabulary, around = trained.tokenizer.vocabulary.size, framing(trained)
    config = {"architectures": [architecture], **_about(naming, trained, around), **naming.config(shape, vocabulary)}
    with _whole(to):
        # Tied matrices stand in the file once, as in every file that transformers writes. Written by Python, because
        # the library's own writing tells a full disk by an error of its own.
        tensors = {name: tensor.detach().clone().contiguous() for name, tensor in theirs.items()}
        (to / SINGLE).write_bytes(serialized(tensors, {"format": "pt"}))
        _write(to / CONFIG, config)
        _write(to / "tokenizer_config.json", _tokenizer_config(naming, trained, around))
        write(to / TOKENIZER, _tokenizer(trained, around).to_str())
        if (trained.seq2seq is not None or trained.left_to_right) and not run.task:
            _write(to / "generation_config.json", _generation(trained, config))
    return Exported(
        to,
        architecture,
        sum(tensor.numel() for tensor in theirs.values()),
        _notes(naming, trained, around),
    )


@contextmanager
def _whole(to: Path) -> Iterator[None]:
    """A new or empty folder that is written whole, or is afterwards as it was."""
    made = not to.exists()
    to.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in to.iterdir():
            path.unlink()
        if made:
            to.rmdir()
        raise


def _weights(naming: Naming, trained: Trained) -> dict[str, Tensor]:
    """Their tensors, made of ours. A head for each token has the name of its task."""
    run, ours = trained.run, weights_of(trained.model)
    head = naming.tag_head if run.task == "tokens" else "qa_outputs"
    each = {name: ours.pop(name) for name in [*ours] if name.startswith(EACH)}
    theirs = naming.give(ours, run.settings_of("model"), classifier=bool(run.task))
    return theirs | {f"{head}.{name.removeprefix(EACH)}": tensor for name, tensor in each.items()}


def _architecture(naming: Naming, trained: Trained) -> str:
    head = HEADS.get(trained.run.task, "") if trained.run.task else "pair" if trained.run.pair else "tokens"
    if not head:
        raise SettingsError(
            f"a run that was fine-tuned for {trained.run.task} is not exported: only classes, tags, answers and texts",
            f"为 {trained.run.task} 微调的训练不能导出：只能导出分类、标注、问答与生成",
        )
    if trained.run.tuning.pooling == MEAN:
        raise SettingsError(
            "in transformers this family's classifier reads one token: this run, summed up by mean pooling, cannot be "
            "exported with its classes; fine-tune it with --pooling own",
            "在 transformers 中这一家族的分类器只读一个词元，平均池化不能连同分类导出：请用 --pooling own 微调",
        )
    if head == "labels" and _onward(naming, trained):
        raise SettingsError(
            "in transformers this family's classifier reads the first token, which sees nothing of a text that is read "
            "from left to right: this run, summed up by its last token, cannot be exported with its classes",
            "在 transformers 中，这一家族的分类器读取第一个词元，而从左到右阅读时它看不到后文："
            "本训练以最后一个词元概括全文，因此不能连同分类一起导出",
        )
    name: str = naming.onward if _onward(naming, trained) and head == "tokens" else class_of(naming, head)
    if not name:
        title = MODELS[naming.model].title
        raise SettingsError(
            f"transformers has no class for {title} with the head of this run",
            f"transformers 中没有带有此训练输出层的 {title} 类",
        )
    return name


def class_of(naming: Naming, head: str) -> str:
    """The class of transformers with this head; "" where there is none."""
    behind = {"tags": "TokenClassification" if naming.tag_head else "", "spans": naming.span_class}
    if head not in behind:
        named: str = getattr(naming, head)
        return named
    return naming.labels.replace("SequenceClassification", behind[head]) if behind[head] else ""


def _onward(naming: Naming, trained: Trained) -> bool:
    """Whether a body that usually sees a text whole goes from left to right in this run, and its class can be told."""
    return bool(naming.onward) and trained.left_to_right and trained.given == "causal"


def _about(naming: Naming, trained: Trained, around: Framing) -> dict[str, Any]:
    """What a config says besides sizes: the kind of numbers, special tokens by number, and the names of labels."""
    config: dict[str, Any] = {"dtype": "float32", "torch_dtype": "float32"}
    specials = trained.tokenizer.vocabulary.specials
    begin, writing = _begins(trained), trained.seq2seq
    end = END if writing is None else writing.end
    for key, role in (("pad", PAD), ("bos", begin), ("eos", end), ("cls", BEGIN), ("sep", SEPARATE)):
        if role in specials:
            config[f"{key}_token_id"] = specials[role]
    ends = trained.tokenizer.vocabulary.ends
    if trained.left_to_right and len(ends) > 1:  # of an imported one
        config["eos_token_id"] = [specials[END], *sorted(ends - {specials[END]})]
    if writing is not None:
        opening = writing.opening(around.around, trained.tokenizer.vocabulary).tolist()
        config |= dict(zip(("decoder_start_token_id", "forced_bos_token_id"), opening, strict=False))
    if _onward(naming, trained):
        config["is_decoder"] = True
    if trained.run.task and trained.labels:
        names = {str(number): name for number, name in enumerate(trained.labels)}
        config |= {"id2label": names, "label2id": {name: int(number) for number, name in names.items()}}
        if HEADS[trained.run.task] == "labels":
            config["problem_type"] = "single_label_classification"
        if config.get("pad_token_id") in around.behind:  # of an imported one: it must not be taken for padding
            del config["pad_token_id"]
    return config


def _begins(trained: Trained) -> str:
    """The role of what begins a text."""
    if not trained.left_to_right:
        return BEGIN
    return BOS if BOS in trained.tokenizer.vocabulary.specials else END


def _generation(trained: Trained, config: dict[str, Any]) -> dict[str, Any]:
    """What generate() must know. It keeps from saying what the lab's models never say; where a beginning is forced,
    that goes before."""
    keys = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id")
    mute = [[number] for number in sorted(suppressed(trained))]
    return {name: config[name] for name in keys if name in config} | ({"bad_words_ids": mute} if mute else {})


def _tokenizer(trained: Trained, around: Framing) -> tokenizers.Tokenizer:
    """The tokenizer, told to frame a text as the lab does. One that was imported keeps its own ways with a text, if its
    files say any, but not with one that is to be classified, which the lab has learnt to frame."""
    ours, writing = trained.tokenizer, trained.seq2seq
    inner = for_others(ours, (MASK, *(writing.says if writing else ())))
    keeps = ours.kind == IMPORTED and not trained.run.task and inner.post_processor is not None
    if keeps or not len(around.around):
        return inner
    names = {number: str(inner.id_to_token(number)) for number in around.around.tolist()}
    first, text, last = around.before, around.segments[len(around.before)], around.behind
    kinds = around.segments[: len(first)], around.segments[len(first) + 1 :]
    before, behind = (
        [f"{names[number]}:{kind}" for number, kind in zip(*each, strict=True)]
        for each in ((first, kinds[0]), (last, kinds[1]))
    )
    inner.post_processor = TemplateProcessing(
        single=[*before, f"$A:{text}", *behind],
        pair=[*before, f"$A:{text}", *behind[:1], "$B:1", *_second(behind)],
        special_tokens=[(name, number) for number, name in names.items()],
    )
    return inner


def _second(behind: list[str]) -> list[str]:
    """What stands behind the second text of a pair, the first of it in that text's segment."""
    return [f"{name.rpartition(':')[0]}:{kind}" for kind, name in enumerate(behind, start=1)]


def _tokenizer_config(naming: Naming, trained: Trained, around: Framing) -> dict[str, Any]:
    ours, config = trained.tokenizer, config_of(trained.tokenizer)
    names = {name: name for name in SPECIALS} | ours.roles
    segments = ["token_type_ids"] if "segments" in MODELS[trained.run.model].traits else []
    goes_on = trained.left_to_right and not trained.run.task
    return {
        **config,
        **({"bos_token": names[begin]} if (begin := _begins(trained)) in ours.vocabulary.specials else {}),
        **({"eos_token": names[trained.seq2seq.end]} if trained.seq2seq is not None else {}),
        "model_max_length": around.longest,
        "truncation_side": around.keeps,
        "padding_side": "left" if goes_on else naming.padding,
        "model_input_names": ["input_ids", *segments, "attention_mask"],
        # A text that is to be classified is text throughout: a special token's name in it means nothing.
        **({"split_special_tokens": True} if trained.run.task else {}),
    }


def _notes(naming: Naming, trained: Trained, around: Framing) -> list[Sentence]:
    shape = trained.run.settings_of("model")
    remarks = [naming.remark(shape), None if trained.run.task else naming.tokens_remark(shape)]
    if _onward(naming, trained):
        seen = [naming.onward_remark] if naming.onward_remark and not trained.run.task else []
    else:
        seen = _seen_otherwise(trained)
    return [*filter(None, remarks), *seen, *_one_language(trained, around), *_long(trained, around)]


def _one_language(trained: Trained, around: Framing) -> list[Sentence]:
    """Where the frame depends on the text, which a template cannot."""
    if trained.seq2seq is None or trained.run.task:
        return []
    vocabulary = trained.tokenizer.vocabulary
    scripts = {*vocabulary.script(vocabulary.ordinary).tolist()} - {0}
    others = [
        other_framing
        for other_framing in (framing(trained, script) for script in scripts)
        if other_framing.behind != around.behind
    ]
    if not others:
        return []
    own, other = (
        trained.tokenizer.inner.id_to_token(other_framing.behind[-1]) for other_framing in (around, others[0])
    )
    return [
        (
            f"the tokenizer ends every text with {own}, and answers begin with it: for {other}, replace both",
            f"导出的分词器在每段文字末尾加 {own}，回答也以它开头：若文字属于 {other}，请替换这两处",
        )
    ]


def _long(trained: Trained, around: Framing) -> list[Sentence]:
    """transformers cuts a text to the context only when told to."""
    if trained.run.task != "classify":
        return []
    return [
        (
            f"for texts of over {around.longest} tokens call the pipeline with truncation=True: their end is kept",
            f"超过 {around.longest} 个词元的文字，请以 truncation=True 调用 pipeline，它会保留结尾",
        )
    ]


def _seen_otherwise(trained: Trained) -> list[Sentence]:
    usual = OBJECTIVES[MODELS[trained.run.model].objective]
    if (trained.left_to_right, trained.given) == (usual.left_to_right, given(usual)):
        return []
    title = MODELS[trained.run.model].title
    return [
        (
            f"the run was trained with {trained.run.objective}; transformers runs {title} with another attention mask: "
            "its answers differ",
            f"此训练使用了 {trained.run.objective}；transformers 运行 {title} 时的注意力掩码与训练时不同，答案会有差别",
        )
    ]


def _write(path: Path, document: dict[str, Any]) -> None:
    write(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
