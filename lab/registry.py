"""Registries of what a visitor can pick: each lives in one file and describes itself."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

from lab.settings import Settings, SettingsError, nearest


@dataclass(frozen=True, kw_only=True)
class Entry:
    """All that a face (page, command line, test, README) needs to know about one thing of any kind; what only one kind
    has stands in lab.entries. ``traits`` are what a model offers or an objective needs."""

    name: str
    title: str
    title_zh: str
    summary: str
    summary_zh: str
    paper: str
    settings: type[Settings]
    traits: frozenset[str]
    build: Callable[..., Any]
    order: float = 99  # among its like, where they are shown


E = TypeVar("E", bound=Entry)


class Registry(Generic[E]):
    """The entries of one package, all of one class. The package's modules are imported when the first entry is asked
    for."""

    def __init__(self, kind: str, package: str, entry: type[E]) -> None:
        self.kind = kind
        self._package = package
        self._entry = entry
        self._entries: dict[str, E] = {}
        self._loaded = False

    def add(
        self,
        name: str,
        *,
        title: str,
        zh: tuple[str, str],
        paper: str = "",
        settings: type[Settings] = Settings,
        traits: frozenset[str] | set[str] = frozenset(),
        **fields: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register the decorated builder. ``zh`` is its title and its summary in Chinese; the English summary is
        the first line of the builder's docstring. ``fields`` are those of the register's class of entry; another one,
        or one too few, is a TypeError."""

        def register(build: Callable[..., Any]) -> Callable[..., Any]:
            summary = (inspect.getdoc(build) or "").partition("\n")[0]
            if not summary.endswith("."):
                raise TypeError(f"{self.kind} {name!r}: the docstring must open with one sentence and a full stop")
            if name in self._entries:
                raise TypeError(f"{self.kind} {name!r} is registered twice")
            self._entries[name] = self._entry(
                name=name,
                title=title,
                title_zh=zh[0],
                summary=summary,
                summary_zh=zh[1],
                paper=paper,
                settings=settings,
                traits=frozenset(traits),
                build=build,
                **fields,
            )
            return build

        return register

    def __getitem__(self, name: str) -> E:
        self._load()
        if name not in self._entries:
            en, zh = nearest(name, list(self._entries))
            raise SettingsError(f"there is no {self.kind} {name!r}{en}", f"没有名为 {name!r} 的 {self.kind}{zh}")
        return self._entries[name]

    def __iter__(self) -> Iterator[E]:
        self._load()
        return iter(sorted(self._entries.values(), key=lambda entry: (entry.order, entry.name)))

    def __contains__(self, name: str) -> bool:
        self._load()
        return name in self._entries

    def names(self) -> list[str]:
        """The names of all entries, in the order in which they are shown."""
        return [entry.name for entry in self]

    def _load(self) -> None:
        if self._loaded:
            return
        modules_in(self._package)
        self._loaded = True


def modules_in(package: str) -> list[ModuleType]:
    """The modules of a package, by its full name: imported because they are there."""
    there = importlib.import_module(package).__path__
    return [importlib.import_module(f"{package}.{module.name}") for module in pkgutil.iter_modules(there)]
