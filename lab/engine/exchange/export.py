"""From a run to a folder in Hugging Face's layout, which transformers loads and answers as the lab does."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from safetensors.torch import save_file
from tokenizers.processors import TemplateProcessing

from lab.catalog import MODELS, OBJECTIVES
from lab.engine.checkpoint import weights_of
from lab.engine.exchange.headers import CONFIG, SINGLE, TOKENIZER
from lab.engine.exchange.naming import Naming, naming_of
from lab.engine.frames import given
from lab.engine.model import Trained, load
from lab.engine.run import IMPORTED, RunFolder, write
from lab.settings import SettingsError
from lab.vocab import BEGIN, END, MASK, PAD, SEPARATE, SPECIALS, UNKNOWN

Sentence = tuple[str, str]  # English, Chinese
# The names by which transformers knows the roles.
THEIRS = {PAD: "pad", UNKNOWN: "unk", BEGIN: "cls", SEPARATE: "sep", MASK: "mask", END: "eos"}


@dataclass(frozen=True)
class Exported:
    """Where a run was written to, and as which class."""

    folder: Path
    architecture: str
    parameters: int
    notes: list[Sentence]


def export(folder: RunFolder, to: Path) -> Exported:
    """Write the run in ``folder`` to the folder ``to``, which must be empty or new."""
    run = folder.run
    naming = naming_of(run.model, run.settings_of("model"))
    trained = load(folder)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise SettingsError(f"{to} is not empty", f"{to} 不是空文件夹")
    shape = run.settings_of("model")
    naming.refuse(shape)
    architecture = _architecture(naming, trained)
    theirs = naming.give(weights_of(trained.model), shape, classifier=bool(run.task))
    vocabulary = trained.tokenizer.vocabulary.size
    config = {"architectures": [architecture], **_about(naming, trained), **naming.config(shape, vocabulary)}
    to.mkdir(parents=True, exist_ok=True)
    # Tied matrices stand in the file once, as in every file that transformers writes.
    save_file(
        {name: each.detach().clone().contiguous() for name, each in theirs.items()}, to / SINGLE, {"format": "pt"}
    )
    _write(to / CONFIG, config)
    _write(to / "tokenizer_config.json", _tokenizer_config(trained))
    write(to / TOKENIZER, _tokenizer(trained).to_str())
    if "decoder_start_token_id" in config or (trained.left_to_right and not run.task):
        _write(to / "generation_config.json", {name: config[name] for name in _GENERATION if name in config})
    return Exported(to, architecture, sum(each.numel() for each in trained.model.parameters()), _notes(naming, trained))


_GENERATION = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id")


def _architecture(naming: Naming, trained: Trained) -> str:
    head = "labels" if trained.run.task else "pair" if trained.run.pair else "tokens"
    found: str = getattr(naming, head)
    if not found:
        title = MODELS[naming.model].title
        raise SettingsError(
            f"transformers has no class for {title} with the head of this run",
            f"transformers 中没有带有此训练输出层的 {title} 类",
        )
    return found


def _about(naming: Naming, trained: Trained) -> dict[str, Any]:
    """What a config says besides sizes: the kind of numbers, special tokens by number, and the names of labels."""
    found: dict[str, Any] = {"dtype": "float32", "torch_dtype": "float32"}
    specials = trained.tokenizer.vocabulary.specials
    begin, writing = END if trained.left_to_right else BEGIN, trained.writing
    end = END if writing is None else writing.end
    for key, role in (("pad", PAD), ("bos", begin), ("eos", end), ("cls", BEGIN), ("sep", SEPARATE)):
        if role in specials:
            found[f"{key}_token_id"] = specials[role]
    if writing is not None:
        nothing = np.array([], dtype=np.int64)
        opening = writing.opening(nothing, trained.tokenizer.vocabulary).tolist()
        found |= dict(zip(("decoder_start_token_id", "forced_bos_token_id"), opening, strict=False))
    if trained.run.task:
        names = {str(number): name for number, name in enumerate(trained.labels)}
        found |= {"id2label": names, "label2id": {name: int(number) for number, name in names.items()}}
        found["problem_type"] = "single_label_classification"
    return found


def _tokenizer(trained: Trained) -> tokenizers.Tokenizer:
    """The tokenizer, told to frame a text as the run's objective does."""
    ours = trained.tokenizer
    inner = tokenizers.Tokenizer.from_str(ours.inner.to_str())
    if ours.kind == IMPORTED or OBJECTIVES[trained.run.objective].extra["frame"] != "bounded":
        return inner
    used = [(name, ours.vocabulary.specials[name]) for name in (BEGIN, SEPARATE)]
    one = f"{BEGIN}:0 $A:0 {SEPARATE}:0"
    inner.post_processor = TemplateProcessing(single=one, pair=f"{one} $B:1 {SEPARATE}:1", special_tokens=used)
    return inner


def _tokenizer_config(trained: Trained) -> dict[str, Any]:
    ours = trained.tokenizer
    names = {name: name for name in SPECIALS} | ours.roles
    known = {f"{THEIRS[role]}_token": names[role] for role in SPECIALS if role in ours.vocabulary.specials}
    segments = ["token_type_ids"] if "segments" in MODELS[trained.run.model].traits else []
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **known,
        "bos_token": known["eos_token" if trained.left_to_right else "cls_token"],
        **({"eos_token": names[trained.writing.end]} if trained.writing is not None else {}),
        "model_max_length": trained.context,
        "model_input_names": ["input_ids", *segments, "attention_mask"],
        "clean_up_tokenization_spaces": False,
    }


def _notes(naming: Naming, trained: Trained) -> list[Sentence]:
    remark = naming.remark(trained.run.settings_of("model"))
    return [*([remark] if remark else []), *_seen_otherwise(trained)]


def _seen_otherwise(trained: Trained) -> list[Sentence]:
    usual = OBJECTIVES[MODELS[trained.run.model].extra["objective"]]
    if (trained.left_to_right, trained.given) == (bool(usual.extra.get("left_to_right")), given(usual)):
        return []
    title = MODELS[trained.run.model].title
    return [
        (
            f"the run was trained with {trained.run.objective}: {title} in transformers lets tokens see others",
            f"此训练使用了 {trained.run.objective}：transformers 中的 {title} 看到的词元范围与训练时不同",
        )
    ]


def _write(path: Path, document: dict[str, Any]) -> None:
    write(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
