"""The formulas give what counting the tensors gives, for every model and any sizes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.analysis.count import count, published, published_names
from lab.analysis.formula import choices_of, terms, work_out
from lab.catalog import MODELS

SIZES = st.fixed_dictionaries(
    {
        "width": st.integers(1, 125).map(lambda n: 16 * n),  # what heads and pairs can share out
        "depth": st.integers(1, 12),
        "embedding_width": st.integers(1, 600),
        "context": st.integers(8, 4096),
        "feed": st.none() | st.integers(4, 5000),
        "head_width": st.integers(1, 100).map(lambda n: 4 * n),  # half of which turns in pairs
    }
)


def worked_out(model: str, shape: dict[str, Any], vocabulary: int) -> dict[str, int]:
    formula = terms(model, own_feed=shape.get("feed") is not None, **choices_of(model, shape))
    return work_out(formula, {**shape, "vocabulary": vocabulary})


@pytest.mark.parametrize("name", published_names())
def test_the_formula_of_a_published_model_gives_its_count(name: str) -> None:
    known = published(name)
    counted = count(known.model, known.shape, known.vocabulary)["breakdown"]
    assert worked_out(known.model, dict(known.shape), known.vocabulary) == counted


@pytest.mark.parametrize("model", MODELS.names())
@settings(max_examples=12, deadline=None)
@given(sizes=SIZES, shared=st.sampled_from([(1, None), (2, 1), (4, 2)]), vocabulary=st.integers(1, 200_000))
def test_the_formula_gives_the_count_at_any_sizes(
    model: str, sizes: dict[str, Any], shared: tuple[int, int | None], vocabulary: int
) -> None:
    known = MODELS[model].settings.knobs()
    sizes = {**sizes, "heads": shared[0], "kv_heads": shared[1]}
    shape = {name: size for name, size in sizes.items() if name in known}
    counted = count(model, shape, vocabulary)["breakdown"]
    assert worked_out(model, shape, vocabulary) == counted


def test_the_token_table_is_vocabulary_times_width_in_bert_and_two_narrow_tables_in_albert() -> None:
    tables = {
        model: [term.sizes for term in terms(model) if "tokens" in term.name or "project.weight" in term.name]
        for model in ("bert", "albert")
    }
    assert tables == {
        "bert": [("vocabulary", "width")],
        "albert": [("vocabulary", "embedding_width"), ("width", "embedding_width")],
    }


def test_blocks_count_once_each_in_bert_and_once_in_all_in_albert() -> None:
    for model, each in (("bert", True), ("albert", False), ("gpt", True)):
        inside = [term for term in terms(model) if term.runs]
        assert {term.each for term in inside} == {each}
        square = sum(term.times for term in inside if term.sizes == ("width", "width"))
        assert square == 12  # 12 H squared in a block: 4 for attention, 8 for the feed-forward part


@pytest.mark.parametrize("share", ["all", "attention", "feed", "none"])
@settings(max_examples=10, deadline=None)
@given(sizes=SIZES, vocabulary=st.integers(1, 200_000))
def test_the_formula_knows_what_albert_shares(share: str, sizes: dict[str, int | None], vocabulary: int) -> None:
    sizes = {name: size for name, size in sizes.items() if name in MODELS["albert"].settings.knobs()}
    counted = count("albert", {**sizes, "heads": 1, "share": share}, vocabulary)["breakdown"]
    formula = terms("albert", own_feed=sizes["feed"] is not None, share=share)
    assert work_out(formula, {**sizes, "vocabulary": vocabulary}) == counted  # type: ignore[dict-item]
    each = {term.part for term in formula if term.runs and term.each and term.part != "norms"}
    assert each == {"all": set(), "attention": {"ffn"}, "feed": {"attention"}, "none": {"attention", "ffn"}}[share]
