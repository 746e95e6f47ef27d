"""Gradio's search for a component, answered from a table: it finds what the walk finds."""

from playwright.sync_api import Page

from lab.ui.shell.gradio_files import FOLDER, GradioFiles
from lab.ui.shell.quick_search import SEARCH, quick

WALK = b"function Z(e,t){if(e.id===t)return e;if(e.children)for(let n of e.children){let e=Z(n,t);if(e)return e}return null}"  # noqa: E501
BOTH = """([walk, table]) => {
  const [slow, quick] = [walk, table].map((script) => new Function(`${script}; return Z;`)());
  const leaf = (id) => ({ id, children: [] }), other = { id: 1, children: [leaf(2)] };
  const tree = { id: 0, children: [leaf(1), { id: 3, children: [leaf(4), { id: 5 }] }, leaf(6)] };
  const pairs = [0, 1, 3, 4, 5, 6, 7].map((id) => [slow(tree, id), quick(tree, id)]).concat([[slow(other, 2), quick(other, 2)]]);
  return [pairs.every(([one, two]) => one === two), pairs.filter(([one]) => one).length];
}"""  # noqa: E501


def test_the_table_finds_what_the_walk_finds(page: Page) -> None:
    assert page.evaluate(BOTH, [WALK.decode(), quick(WALK).decode()]) == [True, 7]


def test_the_gradio_that_is_installed_searches_so_once_and_is_sent_without() -> None:
    searching = [file.name for file in FOLDER.glob("*.js") if SEARCH.search(file.read_bytes())]
    assert len(searching) == 1
    sent = GradioFiles()[f"/assets/{searching[0]}"].body
    assert not SEARCH.search(sent) and sent.count(b"new WeakMap,labEnter=") == 1


def test_a_script_that_searches_otherwise_is_left_alone() -> None:
    assert quick(b"function Z(e,t){return e.get(t)}") == b"function Z(e,t){return e.get(t)}"
