"""The command line: finds the command, runs it, and turns what happens into output and an exit code.

Exit codes: 0 done, 2 a mistake that the person can put right, 130 interrupted. The module of a command is imported
when the command is chosen, so that help and misspelt commands are answered without loading torch.
"""

import io
import json
import keyword
import math
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, TextIO

from lab.cli.answer import Answer
from lab.cli.flags import Parser
from lab.cli.interrupting import INTERRUPTED, begun
from lab.runs.files import is_full
from lab.settings import SettingsError, nearest
from lab.training.process_memory import ran_out

# Each command's sentence in the overview.
COMMANDS = {
    "list": "what there is to choose from",
    "glossary": "the field's terms, each in one sentence, in English and Chinese",
    "corpus": "what is in a corpus; write its documents to a file",
    "tokenizer": "train a tokenizer, try it on a text",
    "corrupt": "the exercise that an objective makes of a text",
    "params": "count the parameters of a published model or of one's own shape",
    "pretrain": "train a model on a corpus, or go on with a run",
    "finetune": "train a run further, on labelled texts",
    "evaluate": "measure a run on held-out text",
    "answer": "ask a fine-tuned run: a class, tags, an answer, another text",
    "fill": "let a run predict each [MASK]",
    "generate": "let a run continue a text",
    "neighbours": "nearest neighbours of token vectors, and analogies",
    "attention": "attention maps: who looks at whom, in every layer and head",
    "lens": "logit lens: what each layer would say if the model stopped there",
    "similarity": "how alike the hidden states of a text are from layer to layer",
    "steps": "one attention head step by step: every matrix with its numbers",
    "inputs": "the input as a sum: token, segment and position vectors",
    "export": "write a run as a folder that transformers loads",
    "import": "make a run of a folder that transformers saved, or of a model on the Hub",
    "models": "published models from the Hub: list, fetch for offline use, delete",
    "runs": "the runs on disk: list, show, stop, resume, delete",
    "bench": "ours beside a peer, in one run",
    "claim": "a claim of the literature, measured over several seeds",
    "app": "open the lab in a browser",
}


def module_of(name: str) -> ModuleType:
    """The module that holds a command's ``NAME_flags(parser, words)`` and ``NAME(asked) -> Answer``, with an underscore
    behind a name that is a word of Python; imported now."""
    match name:
        case "list" | "params":
            from lab.cli import show  # noqa: PLC0415

            return show
        case "glossary":
            from lab.cli import glossary  # noqa: PLC0415

            return glossary
        case "corpus":
            from lab.cli import corpus  # noqa: PLC0415

            return corpus
        case "tokenizer" | "corrupt":
            from lab.cli import text  # noqa: PLC0415

            return text
        case "pretrain":
            from lab.cli import learn  # noqa: PLC0415

            return learn
        case "finetune":
            from lab.cli import tune  # noqa: PLC0415

            return tune
        case "evaluate" | "fill" | "generate" | "neighbours":
            from lab.cli import ask  # noqa: PLC0415

            return ask
        case "attention" | "lens" | "similarity" | "steps" | "inputs":
            from lab.cli import inside  # noqa: PLC0415

            return inside
        case "answer":
            from lab.cli import answering  # noqa: PLC0415

            return answering
        case "export" | "import":
            from lab.cli import exchange  # noqa: PLC0415

            return exchange
        case "models":
            from lab.cli import models  # noqa: PLC0415

            return models
        case "runs":
            from lab.cli import runs  # noqa: PLC0415

            return runs
        case "bench":
            from lab.cli import bench  # noqa: PLC0415

            return bench
        case "claim":
            from lab.cli import claim  # noqa: PLC0415

            return claim
        case _:
            from lab.cli import app  # noqa: PLC0415

            return app


def main(words: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code."""
    _open_what_is_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # a text, or a help, may hold any letter
    try:
        return _run(list(sys.argv[1:] if words is None else words))
    except SystemExit as end:  # argparse has printed the help
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except SettingsError as error:
        # Of the processes that torchrun starts on a machine, all of which refuse the same, one says so.
        return _say(f"error: {error.en}", 2) if os.environ.get("LOCAL_RANK", "0") == "0" else 2
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        return _say("error: there is not enough memory for this: choose smaller sizes", 2)
    except OSError as error:
        if is_full(error):
            return _say("error: the disk is full: free some space and try again", 2)
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"error: {where}{error.strerror or error}", 2)


def _open_what_is_closed() -> None:
    """Open the null device for each standard stream that was closed by whoever started us, as ``2>&-`` does: what is
    said there would go to standard output, and the next file that is opened would take its number."""
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")


def _nowhere(mode: str) -> TextIO:
    number = os.open(os.devnull, os.O_RDWR)  # the lowest that is free, and so the one that was closed
    os.set_inheritable(number, True)  # or a process that we start would be without it again
    return io.TextIOWrapper(io.FileIO(number, mode), encoding="utf-8", errors="replace")


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_overview())
        return 0
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:  # what the terminal sent is kept as it is, and could be written nowhere
            raise SettingsError(f"{ascii(word)} is not UTF-8", f"{ascii(word)} 不是 UTF-8 编码") from None
    name = words[0]
    if name not in COMMANDS:
        raise SettingsError(f"there is no command {name!r}{nearest(name, list(COMMANDS))[0]}", "没有这个命令")
    module, summary = module_of(name), COMMANDS[name]
    parser = Parser(prog=f"python -m lab {name}", description=f"{summary[0].upper()}{summary[1:]}.")
    function = f"{name}_" if keyword.iskeyword(name) else name
    getattr(module, f"{name}_flags")(parser, words[1:])
    asked = parser.parse_args(words[1:])
    begun()
    answer: Answer = getattr(module, function)(asked)
    _print(answer, as_json="json" in asked)
    return answer.code


def _print(answer: Answer, *, as_json: bool) -> None:
    text = json.dumps(_finite(answer.document), ensure_ascii=False, allow_nan=False) if as_json else answer.text
    if text:
        print(text, flush=True)


def _finite(value: Any) -> Any:
    """The document with null in place of what JSON has no word for: a loss that became infinite or is not a number."""
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _say(sentence: str, code: int) -> int:
    print(" ".join(sentence.split()), file=sys.stderr)
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "Language-model pretraining with your own hands.",
            "",
            "usage: python -m lab COMMAND [flags]",
            "",
            *lines,
            "",
            "Every command explains its flags with --help and answers with one JSON document if given --json.",
        ]
    )
