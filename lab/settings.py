"""Settings that describe themselves: one field is one form control, one flag and one table row."""

import difflib
import math
import operator
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from functools import cache
from typing import Any, Self

Number = int | float
LONG = 50  # names, from which on nobody reads a list of them to its end
NEAR = 3


@dataclass(frozen=True, kw_only=True)
class Knob:
    """What a person needs to know to turn one setting: a short phrase in both languages and its range."""

    en: str
    zh: str
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    choices: tuple[Any, ...] | None = None

    @property
    def short(self) -> tuple[str, str]:
        """What it is called, without what is said of an empty field or of its choices; English, Chinese."""
        en, zh = self.en.partition(", ")[0], self.zh.partition("，")[0]
        return (en, zh) if self.choices is None else (en.partition(": ")[0], zh.partition("：")[0])


def knob(
    default: Any,
    en: str,
    zh: str,
    *,
    low: Number | None = None,
    high: Number | None = None,
    step: Number | None = None,
    choices: tuple[Any, ...] | None = None,
) -> Any:
    """A field of a Settings class: ``rate: float = knob(0.15, "Share asked", "提问比例", low=0.01, high=1)``."""
    described = Knob(en=en, zh=zh, low=low, high=high, step=step, choices=choices)
    return field(default=default, metadata={"knob": described})


# Earlier names of settings, which old runs and links still have, and what each is called now: the one that a class has.
EARLIER = {
    "rate": ("learning_rate", "share"),
    "decay": ("weight_decay",),
    "deviation": ("init_std",),
    "narrow": ("embedding_width",),
    "share": ("sharing",),
    "groups": ("kv_heads",),
    "stretch": ("rope_scale",),
    "stretched_from": ("original_context",),
    "slowing": ("rope_scaling",),
    "turned": ("rotary_share",),
    "generator": ("generator_depth",),
}


class SettingsError(ValueError):
    """Something a visitor can put right, said in one sentence they can act on, in English and in Chinese. ``titled`` is
    the English one of a page, where a setting has a title instead of a flag."""

    def __init__(self, en: str, zh: str, titled: str = "") -> None:
        super().__init__(en)
        self.en = en
        self.zh = zh
        self.titled = titled or en


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base of every settings class. Each value is checked against its knob as soon as it is set."""

    def __post_init__(self) -> None:
        kinds = _kinds(type(self))  # type: ignore[arg-type]  # a class is hashable, whatever its instances are
        for item in fields(self):
            value = _as_kind(item, getattr(self, item.name), kinds[item.name])
            object.__setattr__(self, item.name, value)
            _in_range(item, value)
        self.check()

    def check(self) -> None:
        """Rules that span several fields; raises SettingsError."""

    @classmethod
    def knobs(cls) -> dict[str, Field[Any]]:
        """The fields that have a knob, by name, in the order in which they are written."""
        return {item.name: item for item in fields(cls) if "knob" in item.metadata}

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> Self:
        """Settings from a mapping. An unknown key is an error that names the nearest valid key."""
        names = [item.name for item in fields(cls)]
        if not isinstance(values, Mapping):
            raise SettingsError(f"settings have names, and {values!r} has none", f"设置应有名称，{values!r} 没有")
        values = cls.renamed(values)
        for key in values:
            if key not in names:
                en, zh = nearest(str(key), names)
                raise SettingsError(f"there is no setting {key!r}{en}", f"没有名为 {key!r} 的设置{zh}")
        required = [item.name for item in fields(cls) if item.default is MISSING and item.default_factory is MISSING]
        for name in required:
            if name not in values:
                raise SettingsError(f"the setting {name!r} is missing", f"缺少设置 {name!r}")
        return cls(**values)

    @classmethod
    def renamed(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values under the names of today. Where a setting has both, the name of today counts."""
        names = {item.name for item in fields(cls)}
        today = {key: next((name for name in EARLIER.get(key, ()) if name in names), key) for key in values}
        first = sorted(values, key=lambda key: key in names)  # what is set last counts
        return {(key if key in names else today[key]): values[key] for key in first}

    def dump(self) -> dict[str, Any]:
        """The settings as plain values that ``load`` takes back."""
        return asdict(self)


@cache
def _kinds(cls: type["Settings"]) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def nearest(name: str, names: list[str]) -> tuple[str, str]:
    """``"; did you mean 'rate'?"`` for a name that is almost one of ``names``, else the list, or of a long one the
    ``NEAR`` names that are most like it; English, Chinese."""
    same = [each for each in names if each.casefold() == name.casefold()]
    close = same or difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?", f"；是否指 {close[0]!r}？"
    if len(names) > LONG:
        near = difflib.get_close_matches(name, names, n=NEAR, cutoff=0.0)
        en, zh = ", ".join(near), "、".join(near)
        return f"; of {len(names)} the nearest are: {en}", f"；{len(names)} 个名称中最接近的是：{zh}"
    return (f"; there are: {', '.join(names)}", f"；可选：{'、'.join(names)}") if names else ("", "")


def _fault(item: Field[Any], en: str, zh: str) -> SettingsError:
    """What is wrong with a setting: in English behind the words of its flag, on a page and in Chinese, where those
    would be foreign, behind its title."""
    described: Knob | None = item.metadata.get("knob")
    flag = item.name.replace("_", " ")
    if described is None:
        return SettingsError(f"{flag} {en}", f"{item.name}{zh}")
    title, title_zh = described.short
    return SettingsError(f"{flag} {en}", f"“{title_zh}”{zh}", titled=f"“{title}”: {en}")


def _finite(value: Number) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than three hundred digits
        return False


def _as_kind(item: Field[Any], value: Any, kind: Any) -> Any:
    """The value as its declared kind, where nothing is lost: 3.0 is the int 3, 1 is the float 1.0."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if value is None and type(None) in kinds:
        return None
    plain = next((candidate for candidate in kinds if candidate in (bool, int, float, str)), None)
    if plain is None:
        return value
    if plain is bool and not isinstance(value, bool):
        raise _fault(item, f"must be true or false, not {value!r}", f"只能是真或假，不能是 {value!r}")
    if plain is str and not isinstance(value, str):
        raise _fault(item, f"must be text, not {value!r}", f"必须是文字，不能是 {value!r}")
    if plain in (int, float):
        if value is None:
            raise _fault(item, "is empty: give it a number", "为空：请填写一个数")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _fault(item, f"must be a number, not {value!r}", f"必须是数字，不能是 {value!r}")
        if not _finite(value):
            raise _fault(
                item,
                f"must be a finite number, not {str(value)[:20]}",
                f"必须是有限的数，不能是 {str(value)[:20]}",
            )
        if plain is int and value != int(value):
            raise _fault(item, f"must be a whole number, not {value}", f"必须是整数，不能是 {value}")
        return plain(value)
    return value


def _in_range(item: Field[Any], value: Any) -> None:
    described: Knob | None = item.metadata.get("knob")
    if described is None or value is None:
        return
    if described.choices is not None and value not in described.choices:
        allowed = [str(choice) for choice in described.choices]
        en, zh = nearest(str(value), allowed)
        raise _fault(item, f"cannot be {value!r}{en}", f"不能是 {value!r}{zh}")
    for limit, beyond, en, zh in (
        (described.low, operator.lt, "is below", "小于"),
        (described.high, operator.gt, "is above", "大于"),
    ):
        if limit is not None and beyond(value, limit):
            shown, end = _figure(value), _figure(limit)
            raise _fault(item, f"{shown} {en} {end}", f"为 {shown}，{zh} {end}")


def _figure(n: float) -> str:
    """A number as people write it: 1,000 and 0.01, not 1000.0."""
    return f"{int(n):,}" if n == int(n) and abs(n) < 10**15 else f"{n:.6g}"


def listed(names: str) -> list[str]:
    """The names in a text that has commas between them."""
    return [name.strip() for name in names.split(",") if name.strip()]
