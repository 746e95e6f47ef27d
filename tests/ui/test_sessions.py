"""What the server keeps of a visitor's session, and that the running app keeps no more."""

import json
from typing import Any
from urllib.request import Request, urlopen

import gradio as gr

from lab.ui.shell.blocks import LabBlocks
from lab.ui.shell.sessions import Session, Sessions

LONG = "x" * 10**6


def board() -> tuple[LabBlocks, Any, Any]:
    """An app that counts its answers and names a button by what it is sent."""
    with LabBlocks(analytics_enabled=False) as app:
        text, button, count = gr.Textbox(), gr.Button("before"), gr.State(0)
        button.click(lambda text, n: (gr.update(value=text[:3]), n + 1), [text, count], [button, count], queue=False)
    return app, button, count


def test_a_session_keeps_what_an_answer_has_changed_and_no_settings() -> None:
    app, button, count = board()
    session = Session(app)
    assert session.config_values == {}
    changed = gr.Button("after", render=False)
    session[button._id], session[count._id] = changed, 3
    session._update_config(button._id)
    session._update_value_in_config(button._id, LONG)
    assert session[button._id] is changed and session[count._id] == 3
    assert not any(session.config_values.values())
    assert app.blocks[button._id] is button and Session(app)[count._id] == 0, "another visitor has what the app has"


def test_the_running_app_keeps_such_sessions() -> None:
    app, _, count = board()
    app.launch(quiet=True, prevent_thread_lock=True, server_name="127.0.0.1", footer_links=[], ssr_mode=False)
    try:
        for visitor in ("one", "one", "other"):
            sent = {"data": [LONG, None], "fn_index": 0, "session_hash": visitor, "trigger_id": None}
            request = Request(
                f"{app.local_url}gradio_api/run/predict",
                json.dumps(sent).encode(),
                {"Content-Type": "application/json"},
            )
            with urlopen(request, timeout=20) as answer:
                assert json.load(answer)["data"][0]["value"] == "xxx"
        sessions = app.app.state_holder
        assert isinstance(sessions, Sessions) and isinstance(sessions["one"], Session)
        assert (sessions["one"][count._id], sessions["other"][count._id]) == (2, 1)
        assert not any(sessions["one"].config_values.values())
    finally:
        app.close(verbose=False)
