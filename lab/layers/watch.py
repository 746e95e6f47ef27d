"""A point where somebody can look at a value on its way through a model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from torch import Tensor, nn

Look = Callable[[Tensor], None]


class Watch(nn.Module):
    """Passes a value on unchanged. Whoever looks sees each value, in the order of computation: a shared block is seen
    every time it runs.

    A hook on the module would see what other threads send through the same model, too: one model answers many visitors.
    """

    @property
    def watched(self) -> bool:
        """Whether anybody looks at present, in this thread."""
        return self in _looks.get()

    def forward(self, value: Tensor) -> Tensor:
        if look := _looks.get().get(self):
            look(value)
        return value


_looks: ContextVar[Mapping[Watch, Look]] = ContextVar("looks", default=MappingProxyType({}))


@contextmanager
def looking(looks: Mapping[Watch, Look]) -> Iterator[None]:
    """Inside the ``with``, and in this thread alone, each watch shows its look every value that passes."""
    token = _looks.set({**_looks.get(), **looks})
    try:
        yield
    finally:
        _looks.reset(token)
