"""The desks of word2vec and GloVe on the Objectives page: held against the objectives, by hand, and in a browser."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from staying import Stay, go

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES
from lab.ui.exercise.shipped import tokenizer
from lab.ui.pages.objectives.desks import cooccurrences, windows

WINDOW, GLOVE = OBJECTIVES["window"], OBJECTIVES["cooccurrence"]
TEXTS = [
    "The king spoke to the queen, and the queen spoke to the king 👑.",
    "国王对王后说话，王后也对国王说话。",
    "<img src=x>the<b>",
]
WORDS = "the the the the dog"


# ---- word2vec


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("values", [{}, {"reach": 2}, {"reach": 50}])
def test_the_windows_are_those_of_the_objective(text: str, values: dict[str, Any]) -> None:
    for seed in (0, 3):
        value = windows.view(text, WINDOW, values, seed)
        found = corrupt(text, WINDOW, tokenizer(WINDOW), values, seed=seed, longest=windows.LONGEST + 2)
        assert isinstance(found.exercise.visible, np.ndarray)
        assert value["around"] == [np.flatnonzero(row).tolist() for row in found.exercise.visible[0]]
        assert [len(each) for each in value["negatives"]["skip-gram"]] == [len(each) for each in value["around"]]
        assert len(value["tokens"]) == len(value["around"]) == len(value["negatives"]["cbow"])


def test_negative_samples_are_tokens_of_the_text_and_the_target_is_left_out() -> None:
    for text in TEXTS:
        value = windows.view(text, WINDOW, {}, 1)
        for place, (pairs, alone) in enumerate(zip(*value["negatives"].values(), strict=True)):
            for samples in (*pairs, alone):
                assert len(samples) == 5 and value["tokens"][place] not in samples
                assert {sample for sample in samples if sample is not None} <= set(value["tokens"])


def test_noise_follows_the_counts_to_the_power_three_quarters() -> None:
    """By hand: " the" three times (the first has no blank before it), " dog" and "the" once each."""
    ids = tokenizer(WINDOW).encode(WORDS)
    shares = windows.noise(ids, tokenizer(WINDOW))
    whole = 3**0.75 + 1 + 1
    assert sorted(Counter(ids.tolist()).values()) == [1, 1, 3]
    assert shares[np.unique(ids)].tolist() == pytest.approx(
        [count**0.75 / whole for _, count in sorted(Counter(ids.tolist()).items())], rel=1e-6
    )
    assert shares.sum() == pytest.approx(1) and np.count_nonzero(shares) == 3
    rows = windows.view(WORDS, WINDOW, {}, 0)["noise"]["rows"]
    assert rows[0][:3] == [" the", 3, 0.6] and rows[0][3] == pytest.approx(3**0.75 / whole)
    drawn = windows.sampled(shares, np.zeros(20_000, dtype=np.int64), 5, 7, 0)
    found = np.bincount(drawn.ravel(), minlength=len(shares)) / drawn.size
    assert np.all(abs(found - shares) <= 4 * np.sqrt(shares * (1 - shares) / drawn.size))


def test_as_many_pairs_are_drawn_at_each_distance_as_are_expected() -> None:
    text, seeds = "one two three four five six seven eight nine ten", 300
    tables = np.array([windows.view(text, WINDOW, {"reach": 4}, seed)["distances"] for seed in range(seeds)])
    n = len(tokenizer(WINDOW).encode(text))
    assert tables[0, :, 1].tolist() == [1, 0.75, 0.5, 0.25]
    assert tables[0, :, 2].tolist() == [2 * (n - d) * (5 - d) / 4 for d in (1, 2, 3, 4)]
    spread = np.sqrt(2 * tables[0, :, 2] * (1 - tables[0, :, 1]) / seeds)  # a window's two sides come together
    assert np.all(abs(tables[:, :, 3].mean(0) - tables[0, :, 2]) <= 4 * spread)
    value = windows.view(text, WINDOW, {"reach": 4}, 0)
    assert sum(pairs for *_, pairs in value["distances"]) == sum(map(len, value["around"]))


def test_a_token_alone_has_no_window() -> None:
    value = windows.view("a", WINDOW, {}, 0)
    assert value["around"] == [[]] and value["negatives"]["skip-gram"] == [[]]
    assert value["noise"] == {"rows": [["a", 1, 1.0, 1.0]], "more": 0}


# ---- GloVe


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("reach", [1, 3, 10])
def test_the_matrix_is_what_counting_by_hand_finds(text: str, reach: int) -> None:
    value = cooccurrences.view(text, GLOVE, {"reach": reach}, 0)
    ids = tokenizer(GLOVE).encode(text).tolist()
    times: Counter[tuple[int, int]] = Counter()
    for i, one in enumerate(ids):
        for j, two in enumerate(ids):
            if 0 < abs(i - j) <= reach:
                times[one, two] += 1 / abs(i - j)  # type: ignore[assignment]
    rows = [*dict.fromkeys(ids)]
    assert len(rows) <= cooccurrences.MOST and len(value["tokens"]) == len(rows)
    assert np.allclose(value["times"], [[times[one, two] for two in rows] for one in rows], atol=1e-6)
    assert np.allclose(value["sums"], [sum(times[one, two] for two in rows) for one in rows], atol=1e-5)
    for i in range(len(rows)):
        for j in range(i, len(rows)):
            met = value["met"].get(f"{i},{j}", [0] * reach)
            assert value["times"][i][j] == pytest.approx(sum(n / (d + 1) for d, n in enumerate(met)), abs=1e-5)


def test_of_many_tokens_the_commonest_have_a_row_in_the_order_of_the_text() -> None:
    text = "a b c d e f g h i j k l m n o p q r s t. The last, the last, the last."
    value = cooccurrences.view(text, GLOVE, {}, 0)
    ids = tokenizer(GLOVE).encode(text).tolist()
    rows, counts = cooccurrences.shown(np.array(ids)), Counter(ids)
    assert len(rows) == cooccurrences.MOST < len(counts)
    assert rows == sorted(rows, key=ids.index)
    assert min(counts[each] for each in rows) >= max(counts[each] for each in set(ids) - set(rows))
    assert value["note"][1] == {"word": "desks.cooccurrences.few", "n": len(rows), "all": len(counts)}


# ---- in the browser


def test_a_centre_is_walked_to_and_asked_for_by_either_method(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text=TEXTS[0], objective="window", seed=0)
    desk, value = page.locator("#windows"), windows.view(TEXTS[0], WINDOW, {}, 0)
    n = len(value["tokens"])
    expect(desk.locator(".token")).to_have_count(n)
    desk.locator(".token").nth(2).click()
    page.keyboard.press("ArrowLeft")
    expect(desk.locator(".token").nth(1)).to_be_focused()
    expect(desk.locator(".token.near")).to_have_count(len(value["around"][1]))
    expect(desk.locator(".pairs li")).to_have_count(len(value["around"][1]))
    asked = desk.locator(".pairs li").first.locator(".chip.false, .chip.hit")
    expect(asked).to_have_count(5)
    desk.get_by_role("radio", name="CBOW").click()
    expect(desk.locator(".pairs li")).to_have_count(1)
    expect(desk.locator(".pairs .chip.near")).to_have_count(len(value["around"][1]))
    page.keyboard.press("Tab")
    assert "window=2.cbow" in page.evaluate("window.lab.link()")


def test_a_cell_tells_what_it_is_made_of(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text="a b a", objective="cooccurrence", seed=0)
    desk = page.locator("#cooccurrences")
    names = desk.locator("tbody th")
    expect(names).to_have_text(["a", "·b", "·a"])
    desk.locator("[data-cell='0,0']").hover()
    expect(desk.locator(".said")).to_contain_text("They never meet")
    desk.locator("[data-cell='0,1']").click()
    expect(desk.locator(".said")).to_contain_text("X = 1 · 1 = 1")
    expect(desk.locator(".said")).to_contain_text("log X = 0")
    expect(desk.locator(".said")).to_contain_text("f(X) = min(1, X / 100)^0.75 = 0.0316")
    page.keyboard.press("ArrowRight")
    expect(desk.locator("[data-cell='0,2']")).to_be_focused()
    expect(desk.locator(".said")).to_contain_text("X = 1 · 1/2 = 0.5")


def test_a_token_that_is_markup_is_shown_as_it_is(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    for objective, names in (("window", "#windows .token"), ("cooccurrence", "#cooccurrences tbody th")):
        go(page, "objectives", text=TEXTS[2], objective=objective, seed=0)
        expect(page.locator(names).first).to_contain_text("<")
