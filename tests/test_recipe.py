"""Recipes are shown as they stand in their files, and two of them fall into place beside each other."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.analysis.recipe import Row, recipe, remarks, side_by_side
from lab.catalog import MODELS
from lab.registry import Entry

LINES = st.lists(st.sampled_from(["a", "b", "c", "    d", ""]), max_size=12)


@pytest.mark.parametrize("entry", list(MODELS), ids=lambda entry: entry.name)
def test_a_recipe_is_the_end_of_its_builders_source(entry: Entry) -> None:
    lines = recipe(entry)
    source = [line.removeprefix("    ").rstrip() for line in inspect.getsource(entry.build).splitlines()]
    source = [line for line in source if not line.lstrip().startswith("#")]
    assert lines and source[-len(lines) :] == list(lines)
    assert lines[-1].lstrip().startswith(("return", ")", "s,", "**")) and entry.summary not in "\n".join(lines)
    assert len(remarks(entry)) > 20


def test_lines_that_both_have_stand_beside_each_other() -> None:
    rows = side_by_side(["x", "old", "y"], ["x", "new", "more", "y"])
    assert rows == [Row("x", "x"), Row("old", "new"), Row(None, "more"), Row("y", "y")]
    assert [row.same for row in rows] == [True, False, False, True]


@given(LINES, LINES)
def test_each_side_reads_as_the_recipe_that_it_is(left: list[str], right: list[str]) -> None:
    rows = side_by_side(left, right)
    assert [row.left for row in rows if row.left is not None] == left
    assert [row.right for row in rows if row.right is not None] == right


def test_albert_differs_from_bert_and_a_recipe_not_from_itself() -> None:
    bert, albert = recipe(MODELS["bert"]), recipe(MODELS["albert"])
    assert all(row.same for row in side_by_side(bert, bert))
    own = [row.right for row in side_by_side(bert, albert) if not row.same and row.right]
    assert any("s.embedding_width" in line for line in own)
