"""What the server keeps of a visitor's session: what State holds, and components that an answer has changed.

Gradio keeps the settings of every component besides, a copy for each session, from which links of its own could be
made. The lab makes its links otherwise, and to work out that copy for each page that anybody opens takes as long as
most pages' answers, in the one thread that serves everybody.
"""

from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
from gradio.state_holder import SessionState, StateHolder


class Session(SessionState):
    """A visitor's session, without settings, and so without anything of what a browser sends."""

    def __init__(self, blocks: gr.Blocks) -> None:
        # It begins with the settings of those components that these have: none.
        super().__init__(cast(gr.Blocks, SimpleNamespace(default_config=blocks.default_config, blocks={})))
        self.blocks_config.config_for_block = _none


class Sessions(StateHolder):
    """The sessions of all visitors."""

    def __init__(self, blocks: gr.Blocks) -> None:
        super().__init__()
        self.set_blocks(blocks)

    def __getitem__(self, session_id: str) -> SessionState:
        if session_id not in self.session_data:
            self.session_data[session_id] = Session(self.blocks)
        return super().__getitem__(session_id)


def _none(*given: Any) -> dict[str, Any]:
    return {}
