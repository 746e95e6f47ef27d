"""The peer's arm of the MLM benchmark: BertForMaskedLM, Trainer and DataCollatorForLanguageModeling of transformers.

Arms like this one are the only files of the lab that import transformers. The optimizer and the schedule are ours,
handed to the Trainer, so that the arms differ by the model's code, the collator and the loop alone; the special-token
mask is given with each row, which spares the collator the work of finding it.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DataCollatorForLanguageModeling,
    PreTrainedTokenizerFast,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from lab.bench.arms.resting import Turns, answer, rest
from lab.runs.run import BFLOAT16, Training
from lab.training.budget import schedule
from lab.training.matrix_products import by_onednn

BLOCK = {
    "attention.out": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed.up": "intermediate.dense",
    "feed.down": "output.dense",
    "feed_norm": "output.LayerNorm",
}
OTHERS = {
    "stack.embed.tokens.weight": "bert.embeddings.word_embeddings.weight",
    "stack.embed.segments.weight": "bert.embeddings.token_type_embeddings.weight",
    "stack.embed.positions.table.weight": "bert.embeddings.position_embeddings.weight",
    "stack.embed.norm.weight": "bert.embeddings.LayerNorm.weight",
    "stack.embed.norm.bias": "bert.embeddings.LayerNorm.bias",
    "head.dense.weight": "cls.predictions.transform.dense.weight",
    "head.dense.bias": "cls.predictions.transform.dense.bias",
    "head.norm.weight": "cls.predictions.transform.LayerNorm.weight",
    "head.norm.bias": "cls.predictions.transform.LayerNorm.bias",
    "head.bias": "cls.predictions.bias",
}


class TakingTurns(TrainerCallback):
    """Trains one turn at a time."""

    def __init__(self, ends: Sequence[int]) -> None:
        self.turns = Turns(ends)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.turns.took(state.global_step)


def main(place: Path) -> None:
    """Train on what lies ready in ``place``, and say what our arm says."""
    facts = json.loads((place / "facts.json").read_text(encoding="utf-8"))
    text, s = load_file(place / "text.safetensors"), facts["settings"]
    torch.set_num_threads(facts["plan"]["threads"])
    if s["alike"]:
        by_onednn(s["context"])
    model = same_model(facts["size"], s, load_file(place / "start.safetensors"))
    rest()
    answer(loss=mean_loss(model.eval(), text, first_only=True))
    trainer = Trainer(
        model=model,
        args=arguments(place / "peer", s, 0),
        data_collator=collator(facts["specials"], facts["size"]),
        train_dataset=examples(text["rows"], set(facts["specials"].values())),
        optimizers=same_optimizer(model, Training.load(facts["plan"]), s["learning_rate"], s["steps"]),
        callbacks=[TakingTurns(facts["ends"])],
    )
    trainer.train()
    answer(loss=mean_loss(model.eval(), text))


def same_model(size: int, s: dict[str, Any], weights: dict[str, Tensor]) -> BertForMaskedLM:
    """The peer's model with our weights."""
    config = BertConfig(
        vocab_size=size,
        hidden_size=s["width"],
        num_hidden_layers=s["depth"],
        num_attention_heads=s["heads"],
        intermediate_size=4 * s["width"],
        max_position_embeddings=s["context"],
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = BertForMaskedLM(config)
    parameters = dict(model.named_parameters())
    copied = {theirs: weights[ours] for ours, theirs in OTHERS.items()}
    for n in range(s["depth"]):
        copied |= _block(weights, f"stack.blocks.{n}.", f"bert.encoder.layer.{n}.")
    assert parameters.keys() == copied.keys(), parameters.keys() ^ copied.keys()
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(copied[name])
    return model


def _block(weights: dict[str, Tensor], ours: str, theirs: str) -> dict[str, Tensor]:
    renamed = {}
    for kind in ("weight", "bias"):
        for name, other in BLOCK.items():
            renamed[f"{theirs}{other}.{kind}"] = weights[f"{ours}{name}.{kind}"]
        parts = weights[f"{ours}attention.qkv.{kind}"].chunk(3)
        for name, part in zip(("query", "key", "value"), parts, strict=True):
            renamed[f"{theirs}attention.self.{name}.{kind}"] = part
    return renamed


def same_optimizer(model: nn.Module, plan: Training, learning_rate: float, steps: int) -> tuple[Any, Any]:
    """AdamW and the learning rate over time, as our loop has them."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": plan.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98), eps=1e-8, fused=True)
    share = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: schedule((n + 1) / steps, plan.warmup, n + 1))
    return optimizer, share


def arguments(place: Path, s: dict[str, Any], seed: int) -> TrainingArguments:
    """The Trainer in its quickest plain form: it saves, reports and evaluates nothing."""
    return TrainingArguments(
        output_dir=str(place),
        max_steps=s["steps"],
        per_device_train_batch_size=s["batch"],
        train_sampling_strategy="sequential",
        max_grad_norm=1.0,
        logging_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=torch.cuda.is_available(),
        seed=seed + 1,
        bf16=s["peer_precision"] == BFLOAT16,
        use_cpu=not torch.cuda.is_available(),
    )


def collator(specials: dict[str, int], size: int) -> DataCollatorForLanguageModeling:
    """The peer's masking, 15 % of the tokens, with our special tokens."""
    names = {number: name for name, number in specials.items()}
    words = {names.get(n, f"w{n}"): n for n in range(size)}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="[PAD]",
        mask_token="[MASK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
    )
    return DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)


def examples(rows: Tensor, special: set[int]) -> list[dict[str, list[int]]]:
    """The rows as the collator takes them."""
    return [{"input_ids": row, "special_tokens_mask": [int(i in special) for i in row]} for row in rows.tolist()]


def mean_loss(model: nn.Module, text: dict[str, Tensor], *, first_only: bool = False) -> float:
    """Nats per asked token over the questions that lie ready, or over the first batch of them."""
    nats = count = 0.0
    device = next(model.parameters()).device
    for n in range(1 if first_only else sum(name.startswith("shown.") for name in text)):
        with torch.inference_mode():
            logits = model(input_ids=text[f"shown.{n}"].to(device)).logits.flatten(0, 1).float().cpu()
        nats += functional.cross_entropy(logits[text[f"asked.{n}"]], text[f"answers.{n}"], reduction="sum").item()
        count += len(text[f"answers.{n}"])
    return nats / count


if __name__ == "__main__":
    main(Path(sys.argv[1]))
