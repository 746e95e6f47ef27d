"""The app: one page with tabs in a frame, and how it is launched."""

from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Event, Thread
from types import ModuleType
from typing import Any

import gradio as gr
import torch
from starlette.middleware import Middleware

import lab.ui.shell.quiet  # noqa: F401
from lab.serve.limits import limits, profile
from lab.ui.pages.attention import page as attention
from lab.ui.pages.claims import page as claims
from lab.ui.pages.finetune import page as finetune
from lab.ui.pages.generate import page as generate
from lab.ui.pages.glossary import page as glossary
from lab.ui.pages.models import page as models
from lab.ui.pages.objectives import page as objectives
from lab.ui.pages.parameters import page as parameters
from lab.ui.pages.pretrain import page as pretrain
from lab.ui.pages.start import page as start
from lab.ui.pages.tokenize import page as tokenize
from lab.ui.shell.blocks import LabBlocks
from lab.ui.shell.frame import Frame
from lab.ui.shell.shield import Shield
from lab.ui.shell.theme import theme
from lab.ui.shell.visitor import workers
from lab.ui.words import I18N, word

MODULES = (
    start,
    tokenize,
    objectives,
    models,
    pretrain,
    finetune,
    parameters,
    attention,
    generate,
    claims,
    glossary,
)  # as the tabs stand
LOOK = 0.05  # seconds between two looks into Gradio's queue
PAGES = tuple(module.NAME for module in MODULES)


def create_app(modules: Sequence[ModuleType] = MODULES) -> gr.Blocks:
    """The whole app, not yet launched. Only the open tab is mounted in the browser."""
    with LabBlocks(
        title="Cloze Lab", analytics_enabled=False, delete_cache=(3600, 7200), elem_id="lab", fill_width=True
    ) as app:
        frame = Frame([module.NAME for module in modules])
        with gr.Tabs(elem_id="pages", overflow_behavior="wrap") as tabs:
            for module in modules:
                title = word(f"frame.tab.{module.NAME}")
                with gr.Tab(title, id=module.NAME, elem_classes=["lab-page"]), frame.on(module.NAME):
                    module.build(frame)
        frame.finish(tabs)
    app.queue(max_size=64, default_concurrency_limit=4)
    # Gradio looks a thousand times a second whether anybody waits in its queue, which costs an idle server a tenth of a
    # slow core. Here only a download is in it.
    app._queue.sleep_when_free = app._queue.progress_update_sleep_when_free = LOOK
    return app


def options() -> dict[str, Any]:
    """What the app is launched with: closed where Gradio is open by default, and silent towards the outside."""
    upload = limits().upload
    largest = upload + upload // 4  # a file travels in a request with more
    shield = Middleware(Shield, profile=profile(), limit=largest, pages=PAGES)
    return {
        "app_kwargs": {
            "middleware": [shield],
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
        },
        "i18n": I18N,
        "theme": theme(),
        "max_file_size": upload,
        "allowed_paths": [],
        "footer_links": [],
        "run_history": False,
        "enable_monitoring": False,
        "show_error": False,
        "share": False,
        "ssr_mode": False,
        "mcp_server": False,
        "pwa": False,
        "state_session_capacity": 500,
    }


def launch(announce: Callable[[str], None]) -> None:
    """Build the app, ``announce`` its address and serve it until it is interrupted. GRADIO_SERVER_NAME and
    GRADIO_SERVER_PORT are honoured."""
    torch.set_num_threads(1)  # a handler's small sums wait longer for a second thread than it helps them
    app = create_app()
    app.launch(**options(), quiet=True, prevent_thread_lock=True)
    workers()  # they warm up while the first visitor reads; the page comes first
    # Meanwhile this process loads what the first forecast's stand-ins for tensors need, which takes a second or two.
    Thread(target=import_module, args=("torch._dynamo",), daemon=True).start()
    announce(app.local_url)
    try:
        Event().wait()  # gradio's own way of waiting prints a line among what others read
    finally:
        app.close(verbose=False)
