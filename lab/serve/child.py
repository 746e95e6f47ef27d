"""One call in a child process, for what may take long, take too much, or abort the process that does it."""

import importlib
import json
import os
from typing import Any

from lab.engine.run import home
from lab.serve.places import waiting
from lab.serve.workers import children
from lab.settings import SettingsError


def call(function: str, *arguments: Any, seconds: float = 60.0, late: tuple[str, str] | None = None) -> Any:
    """Call ``"lab.module:name"`` with plain arguments in a child process and give back its plain result.

    Arguments and result travel as JSON, and the child finds runs and caches where they are found here. Raises
    SettingsError with the child's own sentence, or with one that says that it took too long (``late``) or broke down.
    """
    document, over = _asked(function, arguments, seconds)
    if not document and over:
        en, zh = late or (
            f"this took longer than {seconds:.0f} seconds and was stopped: give it less text",
            f"耗时超过 {seconds:.0f} 秒，已停止：请减少文本",
        )
        raise SettingsError(en, zh)
    if not document:
        raise SettingsError("this input broke the process that read it", "处理该输入的进程崩溃了")
    answer = json.loads(document)
    if "en" in answer:
        raise SettingsError(answer["en"], answer["zh"])
    return answer["result"]


@waiting()
def _asked(function: str, arguments: tuple[Any, ...], seconds: float) -> tuple[bytes, bool]:
    """The child's answer, and whether it had none in time."""
    context = children()
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, function, json.dumps(arguments), str(home())), daemon=True)
    process.start()
    there.close()
    try:
        answer = here.recv_bytes() if here.poll(seconds) else b""
        return answer, not answer
    except (EOFError, OSError):
        return b"", False
    finally:
        here.close()
        process.kill()
        process.join()


def _answer(pipe: Any, function: str, arguments: str, home: str) -> None:
    os.environ["CLOZE_LAB_HOME"] = home  # the server that forks children may be older than this setting
    module, _, name = function.partition(":")
    try:
        result = getattr(importlib.import_module(module), name)(*json.loads(arguments))
        answer = {"result": result}
    except SettingsError as error:
        answer = {"en": error.en, "zh": error.zh}
    except MemoryError:
        answer = {"en": "there is not enough memory for this input", "zh": "内存不足，无法处理该输入"}
    pipe.send_bytes(json.dumps(answer).encode())
    pipe.close()
