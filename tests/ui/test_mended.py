"""Gradio's front end as it is mended: a table finds what the walk finds, the page is built once, each listener is asked
as often as there is something new, and a page that waits for nothing does nothing."""

import re

import pytest
from browser import calm, visit
from playwright.sync_api import Page
from staying import go

from lab.ui.shell.gradio_files import FOLDER, GradioFiles
from lab.ui.shell.mended import AGAIN, CLOCK, SEARCH, WHOLE, mended

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


@pytest.mark.parametrize(("place", "times"), [(SEARCH, 1), (AGAIN, 1), (WHOLE, 2), (CLOCK, 1)])
def test_the_gradio_that_is_installed_does_each_and_is_sent_without(place: re.Pattern[bytes], times: int) -> None:
    found = [file.name for file in FOLDER.glob("*.js") if place.search(file.read_bytes())]
    assert len(found) == 1 and len(place.findall((FOLDER / found[0]).read_bytes())) == times
    assert not place.search(GradioFiles()[f"/assets/{found[0]}"].body)


def test_a_page_is_built_anew_only_when_the_app_was_written_again() -> None:
    effect = b"run(()=>{count(),still(()=>{tree.reload(app.components,app.layout,app.dependencies,{})})});"
    assert mended(effect) == effect.replace(b"count(),", b"count()&&")


def test_a_script_that_is_written_otherwise_is_left_alone() -> None:
    script = b"function Z(e,t){return e.get(t)}"
    assert mended(script) == script


PICTURES = """{
  const asked = window.requestAnimationFrame;
  window.last = 0;
  window.requestAnimationFrame = (draw) => ((window.last = performance.now()), asked.call(window, draw));
}"""


def test_a_page_that_waits_for_nothing_draws_nothing(page: Page, server: str) -> None:
    page.add_init_script(PICTURES)
    visit(page, server, "parameters")
    for name in ("parameters", "models"):
        go(page, name)
        calm(page)
        page.wait_for_function("performance.now() - window.last > 1000", polling=200, timeout=10_000)


LATE = """
  const fetched = window.fetch;
  let seed = 1;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  window.fetch = async (...args) => {
    const answer = await fetched(...args);
    if (String(args[0]?.url ?? args[0]).includes("/run/")) await new Promise((go) => setTimeout(go, 300 * random()));
    return answer;
  };
"""


def test_over_a_slow_network_a_page_asks_no_more_than_over_a_quick_one(page: Page, asking: str) -> None:
    page.add_init_script(LATE)
    visit(page, asking, "generate", run="gpt", text="the cat sat")
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/run/" in request.url else None)
    for run, text in (("bert", "a [MASK]"), ("gpt", "the dog"), ("bert", "the [MASK] sat")):
        asked.clear()
        go(page, "generate", run=run, text=text)
        assert len(asked) < 30  # as many as there are listeners, twice at most
