"""Published models that the lab offers by name: each with the commit that was looked at, its size and its licence.

Any other model on the Hub of an architecture that the lab reads can be asked for by its id; these are those that a
course speaks of. ``bytes`` are about what is fetched: what it is exactly, the Hub says when it is asked.
"""

from dataclasses import dataclass

MEGABYTE = 10**6


@dataclass(frozen=True, kw_only=True)
class HubModel:
    """A published model. ``revision`` is the commit that is fetched; None where the weights were converted to
    safetensors by the Hub, in a pull request whose commit is noted when it is fetched. ``language`` is "en" or "zh"."""

    name: str
    model: str  # the family
    language: str
    bytes: int
    licence: str
    revision: str | None = None


MODELS = (
    HubModel(
        name="google-bert/bert-base-uncased",
        model="bert",
        language="en",
        bytes=440 * MEGABYTE,
        licence="Apache-2.0",
        revision="86b5e0934494bd15c9632b12f734a8a67f723594",
    ),
    HubModel(
        name="google-bert/bert-base-chinese",
        model="bert",
        language="zh",
        bytes=412 * MEGABYTE,
        licence="Apache-2.0",
        revision="8f23c25b06e129b6c986331a13d8d025a92cf0ea",
    ),
    HubModel(name="hfl/chinese-bert-wwm-ext", model="bert", language="zh", bytes=412 * MEGABYTE, licence="Apache-2.0"),
    HubModel(
        name="hfl/chinese-macbert-base", model="macbert", language="zh", bytes=412 * MEGABYTE, licence="Apache-2.0"
    ),
    HubModel(
        name="distilbert/distilbert-base-uncased",
        model="distilbert",
        language="en",
        bytes=268 * MEGABYTE,
        licence="Apache-2.0",
        revision="12040accade4e8a0f71eabdb258fecc2e7e948be",
    ),
    HubModel(
        name="FacebookAI/roberta-base",
        model="roberta",
        language="en",
        bytes=499 * MEGABYTE,
        licence="MIT",
        revision="e2da8e2f811d1448a5b465c236feacd80ffbac7b",
    ),
    HubModel(
        name="albert/albert-base-v2",
        model="albert",
        language="en",
        bytes=47 * MEGABYTE,
        licence="Apache-2.0",
        revision="8e2f239c5f8a2c0f253781ca60135db913e5c80c",
    ),
    HubModel(
        name="google/electra-small-discriminator",
        model="electra",
        language="en",
        bytes=54 * MEGABYTE,
        licence="Apache-2.0",
    ),
    HubModel(
        name="cross-encoder/nli-deberta-v3-small",
        model="deberta_v3",
        language="en",
        bytes=568 * MEGABYTE,
        licence="Apache-2.0",
        revision="fa2804872c3b4bd748f38c0185cc85775361e735",
    ),
    HubModel(
        name="openai-community/gpt2",
        model="gpt",
        language="en",
        bytes=548 * MEGABYTE,
        licence="MIT",
        revision="607a30d783dfa663caf39e06633721c8d4cfcd7e",
    ),
    HubModel(
        name="distilbert/distilgpt2",
        model="gpt",
        language="en",
        bytes=353 * MEGABYTE,
        licence="Apache-2.0",
        revision="2290a62682d06624634c1f46a6ad5be0f47f38aa",
    ),
    HubModel(
        name="google-t5/t5-small",
        model="t5",
        language="en",
        bytes=242 * MEGABYTE,
        licence="Apache-2.0",
        revision="df1b051c49625cf57a3d0d8d3863ed4d13564fe4",
    ),
    HubModel(
        name="facebook/bart-base",
        model="bart",
        language="en",
        bytes=558 * MEGABYTE,
        licence="Apache-2.0",
        revision="aadd2ab0ae0c8268c7c9693540e9904811f36177",
    ),
)


# Tokenizers that are worth a look beside those of the models: of a hundred languages, and of today's large models.
TOKENIZERS = ("FacebookAI/xlm-roberta-base", "Qwen/Qwen2.5-0.5B", "deepseek-ai/DeepSeek-V3")


def hub_model(name: str) -> HubModel | None:
    """The offered model of that name, with or without its owner's; None where it is none of them."""
    return next((model for model in MODELS if name in (model.name, model.name.rpartition("/")[2])), None)
