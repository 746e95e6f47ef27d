"""A handler's call in the sandbox: its place is free meanwhile, and the server that forks children has all loaded."""

from typing import Any

from lab import sandbox
from lab.serve.places import waiting
from lab.serve.workers import children


def call(function: str, *arguments: Any, **limits: Any) -> Any:
    """As ``sandbox.call``."""
    children()  # without it every child would load torch anew, which takes seconds
    with waiting():
        return sandbox.call(function, *arguments, **limits)
