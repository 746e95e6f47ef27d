"""Tiny trained runs for the pages that ask a model: one of each family, made once for all tests."""

from functools import cache

from tiny import finished, shape

from lab.runs.folder import home


@cache
def run_of(model: str, **values: str) -> str:
    """The id of a finished run of this family."""
    name = "-".join([model, *values.values()])
    finished(home() / name, model=model, shape={**shape(model), "depth": 2}, **values)
    return name
