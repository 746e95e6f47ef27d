"""One vector or many? The town's words, the visitor's own, and what breaks nothing."""

import json
from typing import Any

import pytest
from bench import ANN, BOB, MARKUP, NO_RUN, parent, still, taught
from tiny import plan

from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.pages.finetune import senses

__all__ = ["parent", "still", "taught"]  # fixtures


def drawn(word: str, names: list[str], lines: str = "", visitor: str = ANN) -> dict[str, Any]:
    value: dict[str, Any] = senses.drawn(visitor, word, names, lines)["senses"]
    return value


@pytest.mark.parametrize(("word", "meant"), [("spring", {"season", "water", "coil"}), ("花", {"植物", "花费"})])
def test_a_word_of_the_town_is_drawn_once_for_the_table_and_once_for_the_layers(
    word: str, meant: set[str], parent: str
) -> None:
    value = drawn(word, [parent])
    assert set(value["senses"]) == meant and len(value["panels"]) == 2
    static, contextual = value["panels"]
    assert [len(panel["layers"]) for panel in value["panels"]] == [1, 1]
    for panel in (static, contextual):
        assert len(panel["layers"][0]["points"]) == len(value["texts"])
    assert static["layers"][0]["probe"] >= 0 and contextual["layers"][0]["shares"][0] > 0
    counts = [sum(text["sense"] == n for text in value["texts"]) for n in range(len(meant))]
    assert value["common"] == pytest.approx(max(counts) / sum(counts), abs=1e-4) and max(counts) <= senses.EACH
    for text in value["texts"]:
        assert text["text"][text["from"] : text["to"]].lower().startswith(word)
    json.loads(to_json(value))


def test_a_word_of_ones_own_wants_its_senses(parent: str) -> None:
    assert drawn("crane", [parent], "A crane flew by.")["panels"] == []
    lines = (
        "bird | A crane flew by.\nbird | Two cranes sang.\nmachine | The crane is steel.\nmachine | A crane lifts it."
    )
    value = drawn("crane", [parent], f"{lines}\nA crane of iron.\nno such word here")
    assert value["senses"] == ["bird", "machine"] and value["common"] == 0.5
    assert [text["sense"] for text in value["texts"]] == [0, 0, 1, 1, None]
    layer = value["panels"][1]["layers"][0]
    assert set(layer["said"]) == {"4"} and layer["said"]["4"] in (0, 1)
    missed = senses.drawn(ANN, "crane", [parent], f"{lines}\nno such word here")["senses note"]
    assert missed == [["note", {"word": "finetune.senses.missed", "n": 1}]]


@pytest.mark.parametrize("markup", MARKUP)
def test_whatever_is_typed_is_drawn_or_refused_in_a_sentence(markup: str, parent: str) -> None:
    few = markup[:1000]
    assert drawn("spring", [parent], f"{few} | spring {few}\n{few}")["panels"]
    try:
        value = drawn(markup, [parent], markup)
    except SettingsError:
        assert len(markup) > 60
    else:
        assert value["panels"] == []
    with pytest.raises(SettingsError, match="characters"):
        drawn("spring", [parent], "x" * (limits().prompt + 1))


def test_nobody_sees_the_runs_of_others(parent: str) -> None:
    for name in (parent, *NO_RUN):
        with pytest.raises(SettingsError):
            drawn("spring", [name], visitor=BOB)
    assert [name for _, name in senses.offered(BOB, [parent])["senses runs"]["choices"]] == []
    assert senses.offered(ANN, [parent])["senses runs"]["value"] == [parent]


def test_who_has_no_vectors_for_words_is_not_offered() -> None:
    assert [senses.suits(plan(model=name)) for name in ("bert", "gpt", "elmo", "word2vec")] == [True] * 4
    assert [senses.suits(plan(model=name)) for name in ("t5", "ngram")] == [False] * 2
