"""An LRU cache: what was worked out a moment ago and may be asked for again at once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Kept:
    """The last few results by key. Two visitors may work the same one out at the same time; nobody waits."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, work_out: Callable[[], Any]) -> Any:
        """The result for ``key``, worked out where it is not at hand."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        result = work_out()
        self.put(key, result)
        return result

    def drop(self, key: Hashable) -> None:
        """Keep the result for ``key`` no longer."""
        with self._lock:
            self._found.pop(key, None)

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result; the one that nobody has asked for longest makes room."""
        with self._lock:
            self._found[key] = result
            self._found.move_to_end(key)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
