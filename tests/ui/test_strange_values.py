"""Values that no page of ours sends: each is one sentence or nothing, and what Gradio would keep is forgotten."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr
import pytest
from gradio.state_holder import SessionState

from lab.serve import uploads
from lab.settings import SettingsError
from lab.ui.pages.finetune.arms import arms
from lab.ui.pages.parameters.page import brought
from lab.ui.pages.tokenize.handlers import chosen
from lab.ui.runs.plan import title
from lab.ui.shell.blocks import LabBlocks
from lab.ui.shell.forms import Blank
from lab.ui.shell.inputs import told
from lab.ui.shell.panel import named_in, spoken
from lab.ui.shell.sessions import Session


def board() -> tuple[LabBlocks, Any]:
    """An app of one dropdown, one slider and one text, and the function that listens to them."""
    return listening(gr.Dropdown(["own", "mean"], value="own"), gr.Slider(0, 10), gr.Textbox())


def listening(*fields: Any) -> tuple[LabBlocks, Any]:
    with LabBlocks() as app:
        for field in fields:
            field.render()
        gr.Button().click(lambda *values: None, [*fields], None)
    return app, next(iter(app.fns.values()))


def read(app: LabBlocks, function: Any, values: list[Any], state: SessionState) -> list[Any]:
    with ThreadPoolExecutor(1) as pool:  # a browser of other tests may keep a loop running in this thread
        return pool.submit(asyncio.run, app.preprocess_data(function, values, state, False)).result()


@pytest.mark.parametrize("values", [["x", 1, ""], [5, 1, ""], ["own", [1, 2], ""], ["own", 1]])
def test_a_value_that_a_control_cannot_have_is_one_sentence_that_does_not_repeat_it(values: list[Any]) -> None:
    app, function = board()
    with pytest.raises(gr.Error) as caught:
        read(app, function, values, SessionState(app))
    assert "reload the page" in str(caught.value.message) and not caught.value.print_exception


def test_what_a_control_can_have_is_read_and_nothing_of_it_is_kept() -> None:
    app, function = board()
    state, long = Session(app), "x" * 10**6
    assert read(app, function, ["mean", 3, long], state) == ["mean", 3, long]
    assert long not in json.dumps([*state.config_values.values()], default=str)


def test_a_text_box_in_which_nothing_stands_holds_an_empty_text() -> None:
    app, function = board()
    assert read(app, function, ["own", 1, None], SessionState(app)) == ["own", 1, ""]
    app, function = listening(Blank("0.1"))
    assert read(app, function, [""], SessionState(app)) == [None], "a number that is left out is none"


@pytest.mark.parametrize("sent", [None, 5, {"side": "x"}, {"size": "x"}])
def test_the_pages_take_an_event_for_what_it_may_be(sent: Any) -> None:
    event = gr.EventData(None, sent)
    with pytest.raises(SettingsError, match=r"config\.json"):
        brought("bert-base-uncased*gpt2", event)
    with pytest.raises(SettingsError):
        chosen(event)


@pytest.mark.parametrize("query", ["", None, "[", "5"])
def test_the_visitors_language_chooses_the_text_whatever_the_address_holds(query: Any) -> None:
    assert spoken("corpus")("zh", query) == {"corpus": "town_zh"} and spoken("corpus")("en", query) == {}
    assert spoken("corpus")("zh", '{"corpus": "books"}') == {}


@pytest.mark.parametrize("sent", [None, 5, "id", ["id"], {}, {"other": 1}])
def test_an_event_that_says_nothing_of_the_kind_is_told_nothing(sent: Any) -> None:
    event = gr.EventData(None, sent)
    assert told(event, "id") is None and told(event, "id", "") == ""
    assert told(gr.EventData(None, {"id": "run"}), "id") == "run"


@pytest.mark.parametrize("query", ["", None, "{", "5", "[]", 7])
def test_an_address_that_is_no_object_names_nothing(query: Any) -> None:
    assert named_in(query) == {}


def test_an_emoji_of_several_signs_stays_whole_in_a_title_and_no_text_is_none() -> None:
    assert title("our\u202e  run 👩‍👩‍👧\n") == "our run 👩‍👩‍👧"
    assert title(["x"]) == title(None) == ""  # type: ignore[arg-type]


def test_a_text_with_half_a_character_is_kept(tmp_path: Any) -> None:
    facts = uploads._keep("\ud800 abc\nabc", tmp_path, column="a\udfff")
    assert facts["start"] == "\ufffd abc\nabc" and facts["column"] == "a\ufffd"


def test_a_pretrained_run_is_no_arm_of_a_comparison() -> None:
    with pytest.raises(SettingsError, match="not fine-tuned"):
        arms("", "bert-town")
