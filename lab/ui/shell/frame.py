"""What every page stands in: its address, its visitor, its language, its heading and its command."""

import functools
import inspect
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gradio as gr

from lab.serve.places import at_work
from lab.ui.components.bar import Bar
from lab.ui.components.memo import Memo, Toast
from lab.ui.components.prose import Command, Prose
from lab.ui.shell.answers import in_order
from lab.ui.shell.openings import Opening, Openings
from lab.ui.words import note_of, say


class Frame:
    """Handed to each page's ``build``.

    ``visitor`` (32 hexadecimal digits that the browser keeps, "" if it sent none), ``language`` ("en" or "zh") and
    ``query`` (the address's query string at load, as a JSON object) are components: list them among the inputs of a
    handler that needs them.
    """

    def __init__(self, pages: Sequence[str]) -> None:
        self.pages = list(pages)
        self.page = self.pages[0]
        self.bar = Bar(elem_id="bar")
        self.visitor = Memo(pattern=r"[0-9a-f]{32}", elem_id="visitor")
        self.language = Memo("en", pattern=r"en|zh", elem_id="language")
        self.query = Memo("{}", elem_id="query")
        self.toast = Toast(visible="hidden")
        self._shares: list[tuple[str, str, Any]] = []
        self._openings = Openings()
        self._begins: list[tuple[Any, dict[str, Any]]] = []

    @contextmanager
    def on(self, page: str) -> Iterator["Frame"]:
        """The frame as the page ``page`` sees it while it is built."""
        self.page = page
        self._openings.begin(page)
        yield self

    def heading(self, title: str, lead: str | None = None) -> Prose:
        """The page's one first-level heading and the sentence under it, both keys of assets/words."""
        return Prose([["h1", say(title)]] + ([["lead", say(lead)]] if lead else []))

    def command(self, line: str = "") -> Command:
        """The folded block with the command that does the same. A handler returns {"command": line} to change it."""
        return Command({"command": line})

    def share(self, key: str, component: Any) -> Any:
        """Make a component part of the page's address: restored from it at load, written to it on every change."""
        self._shares.append((self.page, key, component))
        names = json.dumps([self.page, key])
        component.change(
            None, [component], None, js=f"(v) => {{ window.lab.keep(...{names}, v); }}", api_visibility="private"
        )
        return component

    def fold(self, name: str, accordion: Any) -> Any:
        """Make a fold's being open part of the page's address, by a name of lower-case letters."""
        accordion.elem_id = f"fold-{self.page}-{name}"
        for event, opened in ((accordion.expand, "true"), (accordion.collapse, "false")):
            script = f"() => {{ window.lab.fold({json.dumps(name)}, {opened}); }}"
            event(None, None, None, js=script, api_visibility="private")
        return accordion

    def begins(self, component: Any, **values: Any) -> Any:
        """Give a component another first value in each language: ``begins(text, en="Hello.", zh="你好。")``. An address
        that names a value for it wins."""
        self._begins.append((component, {language: component.postprocess(value) for language, value in values.items()}))
        component.value = self._begins[-1][1]["en"]
        return component

    def opens(self, handler: Callable[..., Any], inputs: Any = None, outputs: Any = None, **options: Any) -> Opening:
        """Run the handler when a visitor opens this page for the first time; behind those named before that change what
        it reads or changes."""
        changed = outputs.values() if isinstance(outputs, Mapping) else as_list(outputs)

        def listen(event: Callable[..., Any]) -> Any:
            return self.listen(event, handler, inputs, outputs, **options)

        return self._openings.ask(self.page, as_list(inputs), changed, listen)

    @property
    def reopened(self) -> Callable[..., Any]:
        """The event that a visitor comes back to this page, from another one or from another window."""
        return self._openings.reopened(self.page)

    def behind(self, opening: Opening) -> str:
        """The ``js=`` of an event whose answer must not be overtaken by that to ``opening``, with which this page
        opens: it waits until that one is there."""
        return self._openings.behind(opening)

    def listen(
        self,
        event: Callable[..., Any],
        handler: Callable[..., Any],
        inputs: Any = None,
        outputs: Any = None,
        **options: Any,
    ) -> Any:
        """Run the handler on an event such as ``button.click``. To ``outputs`` by name it answers by name, as Values;
        to one component alone with its value. Its errors become a note for the visitor in their language and leave
        the outputs as they were; no error is an error of the connection."""
        silent = {"show_progress": "hidden", "show_progress_on": []}  # else Gradio tells each output twice a call
        options = {
            "queue": False,
            "api_visibility": "private",
            **({} if "show_progress" in options else silent),
            **options,
        }
        names = list(outputs) if isinstance(outputs, Mapping) else None
        targets = list(outputs.values()) if isinstance(outputs, Mapping) else [] if outputs is None else [outputs]
        return event(guarded(handler, len(targets), names), as_list(inputs), [*targets, self.toast], **options)

    def goto(self, page: str, *keys: str) -> str:
        """The ``js=`` of an event that leads to another page; its inputs become that page's shared ``keys``."""
        return f"(...values) => {{ window.lab.goto({json.dumps(page)}, {json.dumps(keys)}, values); return []; }}"

    def finish(self, tabs: Any) -> None:
        """Tell the browser what was built."""
        shared = [component for _, _, component in self._shares]
        self.bar.value = self.bar.postprocess(
            {
                "pages": self.pages,
                "tabs": tabs._id,
                "shares": [[page, key, component._id] for page, key, component in self._shares],
                "begins": [[component._id, values] for component, values in self._begins],
                "memos": {name: getattr(self, name)._id for name in ("visitor", "language", "query")},
            }
        )
        moved = self.bar.move(None, None, shared, js="() => window.lab.arriving()", api_visibility="private")
        moved.then(None, None, None, js="() => { window.lab.arrived(); }", api_visibility="private")


def as_list(components: Any) -> list[Any]:
    """One component, several or none as a list."""
    if components is None:
        return []
    return list(components) if isinstance(components, list | tuple) else [components]


def guarded(handler: Callable[..., Any], outputs: int, names: Sequence[str] | None = None) -> Callable[..., Any]:
    """The handler with one more output: the note about what went wrong, or about what could not be had."""

    def row(value: Any) -> list[Any]:
        if names is not None:
            values, remark = in_order(value, names)
            return [*values, note(remark) if remark else gr.skip()]
        assert outputs <= 1, f"{handler.__name__} must answer by name"
        return [value] * outputs + [gr.skip()]

    def note(error: Exception) -> dict[str, Any]:
        return {**note_of(error), "at": time.time()}

    def failed(error: Exception) -> list[Any]:
        return [gr.skip()] * outputs + [note(error)]

    if inspect.isgeneratorfunction(handler):

        @functools.wraps(handler)
        def stream(*args: Any, **kwargs: Any) -> Iterator[Any]:
            try:
                values = handler(*args, **kwargs)
                while (value := next_of(values)) is not OVER:
                    yield row(value)
            except Exception as error:
                yield failed(error)

        return stream

    @functools.wraps(handler)
    def once(*args: Any, **kwargs: Any) -> Any:
        try:
            with at_work():
                return row(handler(*args, **kwargs))
        except Exception as error:
            return failed(error)

    return once


OVER = object()


def next_of(values: Iterator[Any]) -> Any:
    """The next value, or OVER."""
    with at_work():
        return next(values, OVER)
