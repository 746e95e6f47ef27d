"""A point where somebody can look at a value on its way through a model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar

from torch import nn

V = TypeVar("V")
Look = Callable[[Any], Any]  # is shown a value, and returns what goes on in its stead, or None


class Watch(nn.Module):
    """Passes a value on. Whoever looks sees each value, in the order of computation: a shared block is seen every time
    it runs. A look that returns something puts it in the value's place (activation patching); who looks after it sees
    that.

    A hook on the module would see what other threads send through the same model, too: one model answers many visitors.
    """

    @property
    def watched(self) -> bool:
        """Whether anybody looks at present, in this thread."""
        return self in _looks.get()

    def forward(self, value: V) -> V:
        # Where nobody looks there is an empty tuple, and the value passes as it is.
        for look in _looks.get().get(self, ()):
            other = look(value)
            value = value if other is None else other
        return value


def anybody_looks() -> bool:
    """Whether anybody looks at any watch at present, in this thread."""
    return bool(_looks.get())


_looks: ContextVar[Mapping[Watch, tuple[Look, ...]]] = ContextVar("looks", default=MappingProxyType({}))


@contextmanager
def looking(looks: Mapping[Watch, Look]) -> Iterator[None]:
    """Inside the ``with``, and in this thread alone, each watch shows its look every value that passes; those of a
    ``with`` around this one see it first."""
    before = _looks.get()
    token = _looks.set({**before, **{watch: (*before.get(watch, ()), look) for watch, look in looks.items()}})
    try:
        yield
    finally:
        _looks.reset(token)
