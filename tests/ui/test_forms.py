"""A form is its settings class: the same names, ranges and starting values, and the same errors."""

from dataclasses import dataclass
from typing import Any

import gradio as gr
import pytest

from lab.catalog import REGISTRIES, TOKENIZERS
from lab.registry import Entry
from lab.runs.run import PACKINGS, Run, Training
from lab.runs.tuning import Tuning
from lab.settings import Settings, SettingsError, knob
from lab.ui.components.knob_words import choice_title, short_name
from lab.ui.components.knobs import schema
from lab.ui.shell.forms import form
from lab.ui.words import I18N, WORDS

ENTRIES = [entry for registry in REGISTRIES.values() for entry in registry]


@dataclass(frozen=True, kw_only=True)
class Every(Settings):
    """One knob of each kind."""

    width: int = knob(64, "Width", "宽度", low=16, high=512, step=16)
    share: float = knob(0.15, "Share", "比例", low=0.0, high=1.0)
    pace: float = knob(1e-3, "Pace", "步幅", low=1e-6, high=1.0)
    steps: int = knob(100, "Steps", "步数", low=1)
    limit: int | None = knob(None, "Limit", "上限", low=1, high=10)
    seed: int = knob(0, "Seed", "种子", low=0, high=2**31 - 1)
    fresh: bool = knob(True, "Fresh", "每次不同")
    norm: str = knob("post", "Norm", "归一化", choices=("pre", "post"))
    name: str = knob("run", "Name", "名称")

    def check(self) -> None:
        if self.width == 48:
            raise SettingsError("width 48 is taken", "宽度 48 已被占用")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("width", gr.Slider),
        ("share", gr.Slider),
        ("pace", gr.Number),  # six orders of magnitude do not fit on a slider
        ("steps", gr.Number),
        ("limit", gr.Textbox),  # empty where it is left out
        ("seed", gr.Number),
        ("fresh", gr.Checkbox),
        ("norm", gr.Dropdown),
        ("name", gr.Textbox),
    ],
)
def test_each_knob_becomes_the_control_that_suits_it(name: str, kind: type) -> None:
    assert isinstance(form(Every).controls[name], kind)


def test_a_slider_has_the_knobs_range_and_step() -> None:
    slider = form(Every).controls["width"]
    assert (slider.minimum, slider.maximum, slider.step, slider.value) == (16, 512, 16, 64)


def test_labels_are_in_both_languages() -> None:
    key = form(Every).controls["width"].label.key
    assert [I18N.translations[language][key] for language in ("en", "zh")] == ["Width", "宽度"]


SETTINGS = sorted({entry.settings for entry in ENTRIES} | {Run, Training, Tuning}, key=lambda cls: cls.__name__)


@pytest.mark.parametrize("cls", SETTINGS, ids=lambda cls: cls.__name__)
def test_every_choice_has_a_title_in_both_languages(cls: type[Settings]) -> None:
    offered = {name: item.metadata["knob"].choices or () for name, item in cls.knobs().items()}
    keys = [f"choice.{name}.{value}" for name, choices in offered.items() for value in choices]
    assert [key for key in keys if key not in WORDS] == []


def test_a_choice_is_shown_by_its_title_and_travels_as_its_value() -> None:
    control = form(Training, only=["packing"]).controls["packing"]
    assert [value for _, value in control.choices] == list(PACKINGS)
    titles = [[I18N.translations[language][title.key] for language in ("en", "zh")] for title, _ in control.choices]
    assert titles[1] == ["whole sentences", "整句"] and titles[2][1] == "整句且不跨文档"
    knobs = {knob["name"]: knob for knob in schema(TOKENIZERS["byte_bpe"])["knobs"]}
    assert knobs["chinese"]["titles"][0] == {"en": "merged like letters", "zh": "合并"}
    assert choice_title("norm", "pre") == {"en": "pre", "zh": "pre"}  # one without a title is shown as it is


def test_a_setting_with_choices_is_called_by_its_name_alone() -> None:
    assert short_name(Training.knobs()["packing"]) == {"en": "Packing", "zh": "打包方式"}
    assert short_name(TOKENIZERS["byte_bpe"].settings.knobs()["chinese"]) == {"en": "Chinese", "zh": "中文切分"}
    assert short_name(Training.knobs()["learning_rate"]) == {"en": "Learning rate", "zh": "学习率"}


def test_untouched_controls_give_the_default_settings() -> None:
    made = form(Every)
    assert made.settings(*(each.value for each in made.components)) == Every()


def test_values_reach_the_settings_by_position() -> None:
    assert form(Every, only=["share", "width"]).settings(32, 0.5) == Every(width=32, share=0.5)


def test_defaults_move_the_start_and_fix_what_is_not_shown() -> None:
    made = form(Every, only=["width"], defaults={"width": 128, "name": "mine"})
    assert made.controls["width"].value == 128
    assert made.settings(128) == Every(width=128, name="mine")


@pytest.mark.parametrize("name", ["width", "pace", "steps"])
@pytest.mark.parametrize("typed", [None, 0, -7, 10**9, "wide"])
def test_what_is_typed_reaches_the_settings_and_never_fails_before(name: str, typed: Any) -> None:
    assert form(Every).controls[name].preprocess(typed) == typed


@pytest.mark.parametrize(
    ("typed", "means"), [("", None), (" ", None), (None, None), ("4", 4), ("4.5", 4.5), ("x", "x")]
)
def test_a_number_that_is_left_out_is_none(typed: Any, means: Any) -> None:
    control = form(Every).controls["limit"]
    assert control.preprocess(typed) == means
    assert control.postprocess(7) == "7" and control.postprocess(None) is None


@pytest.mark.parametrize("value", [48, 8, "wide", None, float("nan")])
def test_what_a_visitor_may_not_ask_is_a_sentence(value: Any) -> None:
    with pytest.raises(SettingsError):
        form(Every, only=["width"]).settings(value)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.name}")
def test_every_entry_has_a_form_whose_start_is_its_default(entry: Entry) -> None:
    made = form(entry.settings)
    assert made.settings(*(each.preprocess(each.value) for each in made.components)) == entry.settings()
