"""What is worked out of a whole form: it is asked for once, when what one choice means for the others is there."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradio as gr

from lab.ui.components.memo import Still


def at_rest(changes: Sequence[Any], answered: Any) -> Callable[..., Any]:
    """The event that behind one of the ``changes`` no request is on its way any more, but such as answer to the
    component ``answered``.

    A choice of a model is followed by answers that change other controls, one after the other. Asked at each, the
    server would work out forms that are half of the old model and half of the new, the dearest of all.
    """
    name = f"still-{answered._id}"
    still = Still(answered._id, elem_id=name)
    stir = f"() => {{ window.lab.stir({json.dumps(name)}); }}"
    gr.on(list(changes), None, None, None, js=stir, api_visibility="private")
    return partial(still.still, trigger_mode="always_last")
