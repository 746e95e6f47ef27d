"""Gradio's front end as it is mended: a table finds what the walk finds, and the page is built once."""

import re

import pytest
from playwright.sync_api import Page

from lab.ui.shell.gradio_files import FOLDER, GradioFiles
from lab.ui.shell.mended import AGAIN, SEARCH, mended

WALK = b"function Z(e,t){if(e.id===t)return e;if(e.children)for(let n of e.children){let e=Z(n,t);if(e)return e}return null}"  # noqa: E501
BOTH = """([walk, table]) => {
  const [slow, quick] = [walk, table].map((script) => new Function(`${script}; return Z;`)());
  const leaf = (id) => ({ id, children: [] }), other = { id: 1, children: [leaf(2)] };
  const tree = { id: 0, children: [leaf(1), { id: 3, children: [leaf(4), { id: 5 }] }, leaf(6)] };
  const pairs = [0, 1, 3, 4, 5, 6, 7].map((id) => [slow(tree, id), quick(tree, id)]).concat([[slow(other, 2), quick(other, 2)]]);
  return [pairs.every(([one, two]) => one === two), pairs.filter(([one]) => one).length];
}"""  # noqa: E501


def test_the_table_finds_what_the_walk_finds(page: Page) -> None:
    assert page.evaluate(BOTH, [WALK.decode(), mended(WALK).decode()]) == [True, 7]


@pytest.mark.parametrize("place", [SEARCH, AGAIN])
def test_the_gradio_that_is_installed_does_each_once_and_is_sent_without(place: re.Pattern[bytes]) -> None:
    found = [file.name for file in FOLDER.glob("*.js") if place.search(file.read_bytes())]
    assert len(found) == 1 and len(place.findall((FOLDER / found[0]).read_bytes())) == 1
    assert not place.search(GradioFiles()[f"/assets/{found[0]}"].body)


def test_a_page_is_built_anew_only_when_the_app_was_written_again() -> None:
    effect = b"run(()=>{count(),still(()=>{tree.reload(app.components,app.layout,app.dependencies,{})})});"
    assert mended(effect) == effect.replace(b"count(),", b"count()&&")


def test_a_script_that_is_written_otherwise_is_left_alone() -> None:
    script = b"function Z(e,t){return e.get(t)}"
    assert mended(script) == script
