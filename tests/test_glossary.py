"""The glossary: whole in both languages, found by any name, and every place that it names is there."""

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from test_cli import lab

from lab.catalog import REGISTRIES
from lab.glossary import GLOSSARY, TOPICS, Term, find, glossary
from lab.settings import SettingsError
from lab.ui.app import PAGES

CHINESE = re.compile(r"[\u4e00-\u9fff]")
TERMS = glossary()
# Of every page, what its address may hold beside the page, and the register whose names stand there.
SHARED = {"objectives": {"objective": "objectives"}, "models": {"model": "models"}}
# What the lab calls something, and the field's word that its entry must give.
HOUSE = {
    "exercise": "training example",
    "shown": "input ids",
    "asked": "masked positions",
    "answers": "labels",
    "visible": "attention mask",
    "dice": "random number generator",
    "knob": "hyperparameter",
    "pinned_sentence": "probe sentence",
    "recipe": "model definition",
}

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("term", TERMS.values(), ids=lambda term: term.key)
def test_a_term_is_whole_in_both_languages(term: Term) -> None:
    assert term.topic in TOPICS and term.en and term.zh
    assert term.says_en.endswith(".") and "  " not in term.says_en and not CHINESE.search(term.says_en)
    assert term.says_zh.endswith("。") and CHINESE.search(term.says_zh)
    assert term.says_en.count(". ") == 0 and term.says_zh.count("。") == 1  # one sentence
    assert len(set(map(str.casefold, term.en))) == len(term.en) and len(set(map(str.casefold, term.zh))) == len(term.zh)


def test_there_is_a_term_for_everything_that_a_textbook_names() -> None:
    asked = (
        "attention mask, KV cache, sentinel, position ids, masking rate, learning rate, sampler, padding, warm-up, "
        "initialisation, validation, distillation, cross-layer parameter sharing, perplexity, epoch, label, logits, "
        "uniform baseline, unigram baseline, bigram baseline, span boundary objective, teacher forcing, checkpoint, "
        "sinusoidal positions, activation function, mixed precision, early stopping, named entity recognition, PCA, "
        "cosine similarity, confidence interval, exact match, typical sampling, Mirostat, contrastive search"
    )
    assert len({find(name).key for name in asked.split(", ")}) == 35
    assert all(any(term.topic == topic for term in TERMS.values()) for topic in TOPICS)


def test_leading_names_are_unique() -> None:
    for language in ("en", "zh"):
        names = [getattr(term, language)[0].casefold() for term in TERMS.values()]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("key", [key for key, term in TERMS.items() if term.topic == "lab"])
def test_a_word_of_the_house_has_the_fields_word(key: str) -> None:
    assert len(TERMS[key].en) > 1 and len(TERMS[key].zh) > 1
    assert key not in HOUSE or HOUSE[key] in TERMS[key].en


@pytest.mark.parametrize("term", TERMS.values(), ids=lambda term: term.key)
def test_the_place_of_a_term_is_there(term: Term) -> None:
    page, *more = parse_qsl(term.see, strict_parsing=True)
    assert page[0] == "page" and page[1] in PAGES
    for key, value in more:
        if key == "open":
            sources = (ROOT / "lab" / "ui" / "pages" / page[1]).glob("*.py")
            assert any(f'frame.fold("{value}", ' in source.read_text(encoding="utf-8") for source in sources)
        elif page[1] == "generate":
            assert key in REGISTRIES["samplers"] and value == "true"
        else:
            assert value in REGISTRIES[SHARED[page[1]][key]]


@pytest.mark.parametrize("term", TERMS.values(), ids=lambda term: term.key)
def test_what_is_marked_on_pages_is_a_name_that_no_other_term_leads_with(term: Term) -> None:
    assert set(term.marked or ()) <= {*term.names}
    others = {each.casefold() for other in TERMS.values() if other is not term for each in (other.en[0], other.zh[0])}
    assert not others & {name.casefold() for name in (term.names if term.marked is None else term.marked)}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Attention Mask", "attention_mask"),
        ("masking rates", "masking_rate"),
        ("kv_cache", "kv_cache"),
        ("nucleus sampling", "top_p"),
        ("哨兵", "sentinel"),
        ("核采样", "top_p"),
    ],
)
def test_a_term_is_found_by_any_of_its_names(name: str, key: str) -> None:
    assert find(name).key == key


def test_a_misspelt_term_is_answered_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match="no term 'perplexty'; did you mean 'perplexity'") as caught:
        find("perplexty")
    assert "perplexity" in caught.value.zh
    with pytest.raises(SettingsError, match="lists all"):
        find("zzzzzzzz")


def test_the_command_lists_all_terms_and_explains_one() -> None:
    every = lab("glossary", "--json").document["terms"]
    assert [each["key"] for each in every] == list(TERMS) and len(every) == len(json.loads(GLOSSARY.read_text("utf-8")))
    said = lab("glossary", "kv", "cache").out
    assert "KV cache · KV 缓存" in said and TERMS["kv_cache"].says_zh in said and "?page=parameters" in said
    assert lab("glossary", "KV cache", "--json").document["term"]["says_en"] == TERMS["kv_cache"].says_en
    for spelt in ("attention_mask", "attention-mask", "Attention Mask"):
        assert lab("glossary", spelt, "--json").document["term"]["key"] == "attention_mask"
    missed = lab("glossary", "perplexty")
    assert missed.code == 2 and "did you mean 'perplexity'" in missed.err


def test_the_readme_holds_every_term() -> None:
    readme = (GLOSSARY.parents[1] / "README.md").read_text(encoding="utf-8")
    for term in TERMS.values():
        assert f"| {term.en[0]} | {term.zh[0]} |" in readme and term.says_en in readme


# Words that a reader would have to decode, and the field's that stand in their place.
DECODED = {
    r"evenly|by frequency|by the token before": "uniform, unigram, bigram baseline",
    r"is turned|turned:": "rotated (RoPE)",
    r"share of (words|tokens) (gone|missing)|length of a (run|gap|blank)": "masking rate, span length",
    r"老师|瞎猜|运气|掷一千次|批次大小|学习中": "教师, 随机猜测, 随机数, 批大小, 训练中",
    r"fills? (gaps|a gap) and|learns from a larger": "distillation",
}


@cache
def told() -> tuple[str, ...]:
    """Everything that visitors read: words of pages, titles, summaries and settings of what can be picked."""
    words = (json.loads(file.read_text("utf-8")) for file in (GLOSSARY.parent / "words").glob("*.json"))
    texts = [text for file in words for pair in file.values() for text in pair.values()]
    for entry in (entry for registry in REGISTRIES.values() for entry in registry):
        knobs = [item.metadata["knob"] for item in entry.settings.knobs().values()]
        texts += [entry.summary, entry.summary_zh, *(text for knob in knobs for text in (knob.en, knob.zh))]
    return tuple(texts)


@pytest.mark.parametrize("pattern", DECODED)
def test_no_text_says_in_riddles_what_the_field_has_a_word_for(pattern: str) -> None:
    riddle = re.compile(pattern, re.IGNORECASE)
    assert [text for text in told() if riddle.search(text)] == []


def test_the_summary_of_a_model_that_has_a_term_of_its_own_leads_with_it() -> None:
    leads = {
        "xlnet": "permutation_lm",
        "electra": "rtd",
        "deberta_v1": "disentangled_attention",
        "t5": "span_corruption",
    }
    leads |= {"albert": "parameter_sharing", "distilbert": "distillation", "spanbert": "sbo", "glm": "blank_infilling"}
    leads |= {"roberta": "dynamic_masking", "llama": "rope", "word2vec": "negative_sampling", "glove": "cooccurrence"}
    for name, key in leads.items():
        model, term = REGISTRIES["models"][name], TERMS[key]
        assert any(each.casefold() in model.summary.casefold() for each in term.en), name
        assert any(each.casefold() in model.summary_zh.casefold() for each in term.zh), name
