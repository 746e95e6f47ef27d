"""Runs to start fine-tuning from, made once for all tests."""

from collections.abc import Callable
from functools import cache

import pytest
from labelled import parent_of

from lab.runs.folder import RunFolder


@pytest.fixture(scope="session")
def parents(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunFolder]:
    """A run of each family, made when it is asked for."""
    root = tmp_path_factory.mktemp("parents")
    return cache(lambda model: parent_of(model, root / model))
