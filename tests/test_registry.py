"""Things that describe themselves, and which of them fit together."""

from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from lab.catalog import OBJECTIVES, REGISTRIES, TRAITS, fits, missing
from lab.entries import TokenizerEntry
from lab.registry import Entry, Registry
from lab.settings import Settings, SettingsError


@dataclass(frozen=True, kw_only=True)
class Thing(Entry):
    """An entry of a kind of its own."""

    colour: str = "none"


@pytest.fixture
def registry() -> Registry[Thing]:
    """A register of a package without modules, in which two things are registered."""
    found = Registry("thing", "lab.claims", Thing)
    found._loaded = True

    @found.add("beta", title="Beta", zh=("乙", "第二个。"), traits={"visible"}, order=2, colour="red")
    def beta() -> str:
        """The second one.

        More about it.
        """
        return "b"

    @found.add("alpha", title="Alpha", zh=("甲", "第一个。"), paper="Nobody 1999", order=1)
    def alpha() -> str:
        """The first one."""
        return "a"

    return found


def entry(*traits: str) -> Any:
    """An entry with these traits."""
    registry = Registry("thing", "lab.claims", Thing)

    def build() -> None:
        """A thing."""

    registry.add("thing", title="Thing", zh=("物", "一物。"), traits=set(traits))(build)
    return registry._entries["thing"]


def test_an_entry_says_all_about_itself(registry: Registry[Thing]) -> None:
    beta = registry["beta"]
    assert (beta.name, beta.title, beta.title_zh) == ("beta", "Beta", "乙")
    assert (beta.summary, beta.summary_zh) == ("The second one.", "第二个。")
    assert (beta.paper, beta.settings, beta.traits) == ("", Settings, frozenset({"visible"}))
    assert beta.colour == "red"
    assert beta.build() == "b"


def test_entries_come_in_the_order_in_which_they_are_shown(registry: Registry[Thing]) -> None:
    assert registry.names() == ["alpha", "beta"]
    assert [each.name for each in registry] == ["alpha", "beta"]


def test_a_name_can_be_looked_for(registry: Registry[Thing]) -> None:
    assert "alpha" in registry
    assert "gamma" not in registry


def test_an_unknown_name_is_answered_with_the_nearest(registry: Registry[Thing]) -> None:
    with pytest.raises(SettingsError, match="there is no thing 'alpa'; did you mean 'alpha'?") as error:
        registry["alpa"]
    assert "是否指 'alpha'" in error.value.zh


def test_a_name_is_registered_once(registry: Registry[Thing]) -> None:
    with pytest.raises(TypeError, match="registered twice"):

        @registry.add("alpha", title="Alpha", zh=("甲", "又一个。"))
        def again() -> None:
            """Another one."""


@pytest.mark.parametrize("words", ["No full stop", "", None])
def test_a_builder_without_a_sentence_is_refused(registry: Registry[Thing], words: str | None) -> None:
    def build() -> None: ...

    build.__doc__ = words
    with pytest.raises(TypeError, match="one sentence"):
        registry.add("gamma", title="Gamma", zh=("丙", "第三个。"))(build)


def test_an_entry_cannot_be_changed(registry: Registry[Thing]) -> None:
    with pytest.raises(FrozenInstanceError):
        registry["beta"].colour = "blue"  # type: ignore[misc]


def test_a_field_that_the_register_does_not_know_or_that_is_missing_is_found_at_once(registry: Registry[Thing]) -> None:
    def build() -> None:
        """A thing."""

    with pytest.raises(TypeError, match="color"):
        registry.add("gamma", title="Gamma", zh=("丙", "第三个。"), color="red")(build)
    assert "gamma" not in registry
    with pytest.raises(TypeError, match="keeps"):
        Registry("tokenizer", "lab.claims", TokenizerEntry).add("gamma", title="Gamma", zh=("丙", "第三个。"))(build)


def test_modules_are_imported_when_the_first_entry_is_asked_for() -> None:
    assert {"mlm", "clm", "nsp", "sop"} <= set(OBJECTIVES.names())
    assert OBJECTIVES["mlm"].build.__module__ == "lab.objectives.mlm"


@pytest.mark.parametrize(
    ("offers", "needs", "lacks"),
    [
        ({"visible", "segments", "pools"}, {"visible"}, set()),
        ({"visible", "pools"}, {"segments", "pools"}, {"segments"}),
        (set(), {"visible"}, {"visible"}),
        ({"visible"}, set(), set()),
        (set(), set(), set()),
    ],
)
def test_a_model_fits_what_needs_no_more_than_it_offers(offers: set[str], needs: set[str], lacks: set[str]) -> None:
    model, objective = entry(*offers), entry(*needs)
    assert missing(model, objective) == lacks
    assert fits(model, objective) == (not lacks)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_entry_speaks_both_languages_and_uses_known_traits(kind: str) -> None:
    for each in REGISTRIES[kind]:
        assert each.title and each.title_zh
        assert each.summary.endswith(".") and each.summary_zh.endswith("。")
        assert each.traits <= set(TRAITS)
        assert issubclass(each.settings, Settings)
        for field in each.settings.knobs().values():
            described = field.metadata["knob"]
            assert described.en and described.zh
            assert not described.en.endswith(".") and not described.zh.endswith("。")
