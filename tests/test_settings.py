"""Settings say what is wrong with a value, in a sentence that a visitor can act on, in two languages."""

from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from lab.settings import Settings, SettingsError, knob, nearest


@dataclass(frozen=True, kw_only=True)
class Shape(Settings):
    """A settings class with one knob of every kind."""

    width: int = knob(8, "Width", "宽度", low=2, high=64)
    rate: float = knob(0.5, "Rate", "比例", low=0, high=1, step=0.1)
    norm: str = knob("first", "Place of the norm", "归一化的位置", choices=("first", "last"))
    tied: bool = knob(True, "Tied", "共享")
    feed: int | None = knob(None, "Feed-forward width, 4 times", "前馈层宽度，缺省为 4 倍", low=1)
    note: str = ""

    def check(self) -> None:
        if self.width % 2:
            raise SettingsError(f"width {self.width} is odd", f"宽度 {self.width} 是奇数")


@dataclass(frozen=True, kw_only=True)
class Required(Settings):
    """A settings class with a field that has no default."""

    corpus: str


def test_a_page_calls_a_setting_by_its_title_and_a_command_by_its_flag() -> None:
    with pytest.raises(SettingsError) as refused:
        Shape(feed=0)
    assert refused.value.en == "feed 0 is below 1"
    assert refused.value.titled == "“Feed-forward width”: 0 is below 1"
    plain = SettingsError("no knob", "没有")
    assert plain.titled == plain.en


def test_defaults_are_valid() -> None:
    assert Shape().dump() == {"width": 8, "rate": 0.5, "norm": "first", "tied": True, "feed": None, "note": ""}


def test_what_is_dumped_can_be_loaded() -> None:
    shape = Shape(width=4, rate=0.25, norm="last", tied=False, feed=3, note="x")
    assert Shape.load(shape.dump()) == shape


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(Shape(), "width", 4)  # noqa: B010 - written so that a type checker lets it run


def test_a_value_takes_its_declared_kind_where_nothing_is_lost() -> None:
    shape = Shape.load({"width": 4.0, "rate": 1, "feed": 3.0})
    assert (shape.width, shape.rate, shape.feed) == (4, 1.0, 3)
    assert (type(shape.width), type(shape.rate), type(shape.feed)) == (int, float, int)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"width": 1}, "width 1 is below 2"),
        ({"width": 65}, "width 65 is above 64"),
        ({"width": 3}, "width 3 is odd"),
        ({"width": 2.5}, "width must be a whole number, not 2.5"),
        ({"width": "4"}, "width must be a number, not '4'"),
        ({"width": True}, "width must be a number, not True"),
        ({"width": None}, "width is empty: give it a number"),
        ({"rate": float("nan")}, "rate must be a finite number, not nan"),
        ({"rate": float("inf")}, "rate must be a finite number, not inf"),
        ({"rate": -0.1}, "rate -0.1 is below 0"),
        ({"norm": "frist"}, "norm cannot be 'frist'; did you mean 'first'?"),
        ({"norm": "zzz"}, "norm cannot be 'zzz'; there are: first, last"),
        ({"norm": 1}, "norm must be text, not 1"),
        ({"tied": 1}, "tied must be true or false, not 1"),
        ({"feed": 0}, "feed 0 is below 1"),
        ({"widht": 4}, "there is no setting 'widht'; did you mean 'width'?"),
        ({"qqq": 4}, "there is no setting 'qqq'; there are: width, rate, norm, tied, feed, note"),
    ],
)
def test_a_bad_value_is_refused_in_one_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as error:
        Shape.load(values)
    assert error.value.en == str(error.value) == sentence
    assert error.value.zh and error.value.zh != sentence


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"width": 1}, "“宽度”为 1，小于 2"),
        ({"width": 65}, "“宽度”为 65，大于 64"),
        ({"width": 2.5}, "“宽度”必须是整数，不能是 2.5"),
        ({"width": None}, "“宽度”为空：请填写一个数"),
        ({"rate": float("nan")}, "“比例”必须是有限的数，不能是 nan"),
        ({"norm": "frist"}, "“归一化的位置”不能是 'frist'；是否指 'first'？"),
        ({"tied": 1}, "“共享”只能是真或假，不能是 1"),
        ({"feed": 0}, "“前馈层宽度”为 0，小于 1"),
    ],
)
def test_a_sentence_of_chinese_calls_a_setting_as_the_page_does(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as error:
        Shape.load(values)
    assert error.value.zh == sentence


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(SettingsError, match="the setting 'corpus' is missing"):
        Required.load({})
    assert Required.load({"corpus": "town"}).corpus == "town"


def test_the_settings_themselves_check_what_load_checks() -> None:
    with pytest.raises(SettingsError, match="width 1 is below 2"):
        Shape(width=1)


def test_knobs_are_the_fields_that_have_one_in_order() -> None:
    assert list(Shape.knobs()) == ["width", "rate", "norm", "tied", "feed"]
    described = Shape.knobs()["width"].metadata["knob"]
    assert (described.en, described.zh, described.low, described.high) == ("Width", "宽度", 2, 64)


def test_the_nearest_name_is_suggested_in_both_languages() -> None:
    assert nearest("rat", ["rate", "width"]) == ("; did you mean 'rate'?", "；是否指 'rate'？")
    assert nearest("x", []) == ("", "")
    many = [f"model-{number}" for number in range(99)]
    assert nearest("x-7", many)[0] == "; of 99 the nearest are: model-7, model-97, model-87"


def test_earlier_names_of_settings_are_read_and_the_name_of_today_counts() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Today(Settings):
        learning_rate: float = knob(0.1, "Learning rate", "学习率", low=0.0, high=1.0)

    assert Today.load({"rate": 0.5}).learning_rate == 0.5
    assert Today.load({"learning_rate": 0.2, "rate": 0.5}).learning_rate == 0.2
    assert Today.load({"rate": 0.5, "learning_rate": 0.2}).learning_rate == 0.2
    with pytest.raises(SettingsError, match="no setting 'narrow'"):
        Today.load({"narrow": 3})
