"""Many visitors share one process: what a handler answers must not depend on what others ask at the same time."""

import json
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from inspect import Parameter, signature, unwrap
from typing import Any

import gradio as gr
import numpy as np
import pytest
import torch

from lab.analysis import forecast
from lab.ui.app import create_app

VISITORS = ("a" * 32, "b" * 32)
LONG = {"timed", "begin", "start"}  # measures for minutes, and trains: all in processes of their own
BY_CHANCE = {"at", "created", "when", "seconds"}


def handlers() -> dict[str, tuple[Callable[..., Any], list[Any]]]:
    """Each handler of each page that needs no event, with what its controls hold on a first visit."""
    app = create_app()
    found = {}
    for each in app.fns.values():
        if each.fn is None or each.fn.__name__ in LONG:
            continue
        wanted = signature(unwrap(each.fn)).parameters.values()
        if any(one.annotation in (gr.SelectData, gr.EventData) for one in wanted if one.kind != Parameter.VAR_KEYWORD):
            continue
        inner = unwrap(each.fn)
        found.setdefault(f"{inner.__module__}.{inner.__qualname__}", (each.fn, each.inputs))
    return found


def given(component: Any, visitor: str) -> Any:
    if component.elem_id == "visitor":
        return visitor
    kind = getattr(component, "data_model", None)
    return component.preprocess(kind(component.value) if kind and component.value is not None else component.value)


def answer(handler: Callable[..., Any], inputs: list[Any], visitor: str) -> str:
    found = handler(*(given(each, visitor) for each in inputs))
    return plain([*found][-1:] if isinstance(found, Iterator) else found)  # in how many pieces is a matter of time


def plain(value: Any) -> str:
    """An answer as text; without what is the time's or the process's own."""

    def simple(each: Any) -> Any:
        if isinstance(each, gr.blocks.Block):
            return [
                type(each).__name__,
                {name: each.constructor_args.get(name) for name in sorted(each.constructor_args)},
            ]
        return re.sub(r" at 0x[0-9a-f]+", "", repr(each))

    def timeless(each: Any) -> Any:
        if isinstance(each, dict):
            return {str(name): timeless(part) for name, part in each.items() if name not in BY_CHANCE}
        return [timeless(part) for part in each] if isinstance(each, list | tuple) else each

    return json.dumps(timeless(json.loads(json.dumps(timeless(value), default=simple))), sort_keys=True)


def test_every_handler_answers_two_visitors_at_once_as_it_answers_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "finished", lambda threads: [])  # the machine's pace, which is learnt at any time
    monkeypatch.setattr(forecast, "_slower_at_first", lambda: 1.0)
    known = handlers()
    assert len(known) > 40
    before = torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()

    def all_of(number: int) -> dict[str, str]:
        order = random.Random(number).sample(sorted(known), len(known))
        return {name: answer(*known[name], VISITORS[number % 2]) for name in order}

    with ThreadPoolExecutor(4) as crowd:
        together = list(crowd.map(all_of, range(4)))
    assert before == (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled())
    for number, visitor in enumerate(VISITORS):
        alone = {name: answer(*known[name], visitor) for name in known}
        for found in together[number::2]:
            assert [name for name in known if found[name] != alone[name]] == []


def test_no_handler_sets_what_belongs_to_the_whole_process(monkeypatch: pytest.MonkeyPatch) -> None:
    known = handlers()
    calls: list[str] = []
    for module, name in (
        (torch, "manual_seed"),
        (torch, "set_num_threads"),
        (torch, "set_default_dtype"),
        (torch, "use_deterministic_algorithms"),
        (torch.nn.modules.module, "register_module_forward_hook"),
        (torch.nn.modules.module, "register_module_forward_pre_hook"),
        (np.random, "seed"),
        (random, "seed"),
        (__import__("os"), "chdir"),
    ):
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: calls.append(name))
    for handler, inputs in known.values():
        answer(handler, inputs, VISITORS[0])
    assert not calls and not torch.nn.modules.module._global_forward_pre_hooks
