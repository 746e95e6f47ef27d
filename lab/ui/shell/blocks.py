"""Gradio's Blocks as the lab needs them: closed to strangers' addresses, and quick where nothing changes."""

import copy
from typing import Any

import gradio as gr

from lab.settings import SettingsError
from lab.ui.shell.sessions import Sessions
from lab.ui.shell.uploads_only import refuse_foreign_files
from lab.ui.words import language_now

SKIP = gr.skip()
STRANGE = SettingsError(
    "A control was given a value that it cannot have: reload the page.", "某个控件收到了不可能的值：请刷新页面。"
)


class LabBlocks(gr.Blocks):
    """Looks at every input before Gradio does anything with it, leaves alone what a handler leaves alone, keeps no
    connection open, and nothing of what a browser sends."""

    def get_config_file(self) -> Any:
        """As Gradio's own, without the heartbeat: a request of each open tab that never ends. A browser has six
        connections for one server, so that a sixth tab would wait for ever, and all others with it. Nor does a page
        hear that it stands in a Space, of which it would ask Hugging Face, and Google for fonts."""
        return {**super().get_config_file(), "connect_heartbeat": False, "space_id": None}

    def run_startup_events(self) -> None:
        """As Gradio's own, once as it starts; from then on the sessions are ours."""
        super().run_startup_events()
        self.app.state_holder = Sessions(self)

    async def preprocess_data(self, block_fn: Any, inputs: list[Any], *rest: Any, **more: Any) -> Any:
        """As Gradio's own. Raises gr.Error, which becomes a note, for a file that was not uploaded here, and for a
        value that a control cannot have: no page of ours sends one."""
        try:
            refuse_foreign_files(inputs)
            values = await super().preprocess_data(block_fn, inputs, *rest, **more)
        except SettingsError as error:
            raise _note(error) from None
        except gr.Error as error:
            raise (_note(STRANGE) if str(error.message).startswith("Value: ") else error) from None
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
            raise _note(STRANGE) from None
        return [_text(component, value) for component, value in zip(block_fn.inputs, values, strict=False)]

    async def postprocess_data(self, block_fn: Any, predictions: Any, *rest: Any, **more: Any) -> Any:
        """As Gradio's own, which builds a component anew for each output that a handler skips: all of them, at every
        call, in the one thread that serves everybody."""
        many = isinstance(predictions, list | tuple) and len(predictions) == len(block_fn.outputs) > 1
        if not many or not any(map(_skipped, predictions)):
            return await super().postprocess_data(block_fn, predictions, *rest, **more)
        named = [place for place, value in enumerate(predictions) if not _skipped(value)]
        row: list[Any] = [dict(SKIP) for _ in predictions]
        if named:
            part = copy.copy(block_fn)
            part.outputs = [block_fn.outputs[place] for place in named]
            values = [predictions[place] for place in named]
            answers = await super().postprocess_data(part, values if len(named) > 1 else values[0], *rest, **more)
            for place, answer in zip(named, answers, strict=True):
                row[place] = answer
        return row


def _text(component: Any, value: Any) -> Any:
    """What a control holds; of a text box in which nothing stands, an empty text. One of ours knows what it means."""
    return "" if value is None and type(component) is gr.Textbox else value


def _note(error: SettingsError) -> gr.Error:
    return gr.Error(error.zh if language_now() == "zh" else error.titled, print_exception=False)


def _skipped(value: Any) -> bool:
    return isinstance(value, dict) and value == SKIP
