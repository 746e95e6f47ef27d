"""Which half of the Generate page suits a run, decoding or gap filling, and the ready examples of either."""

import gradio as gr

from lab.catalog import OBJECTIVES
from lab.runs.run import Run
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.vocabulary import MASK

SPECIMENS = {
    "write": {
        "english": "Maya worked at the bakery as a baker. One morning, she",
        "chinese": "玛雅在面包店当面包师。一天早上，她",
        "other": "",
    },
    "fill": {
        "english": f"Tom carried a light bag to the {MASK}. He had to wait five hours for the train.",
        "chinese": f"小红带着一个很轻的背包来到{MASK}站。可是，她不得不等了五个小时的火车。",
        "other": f"Maya was a baker. She {MASK} at the bakery and had many {MASK}.",
    },
}

NATURAL = {  # two sentences of the same words, of which one is in order
    "one": {"en": "He had to wait two hours for the train.", "zh": "我今天早上七点起床。"},
    "other": {"en": "He had to train two hours for the wait.", "zh": "我今天起床早上七点。"},
}


def turn(run: str, text: str) -> Values:
    """Show the half of the page that suits the run, with one of its specimens where one of the other half's stood."""
    kind = kind_of(run)
    other = SPECIMENS["fill" if kind == "write" else "write"]
    at = next((name for name, specimen in other.items() if specimen == text and text), None)
    halves: Values = {half: gr.update(visible=half == kind) for half in SPECIMENS}
    return halves | ({"text": SPECIMENS[kind].get(at, SPECIMENS[kind]["english"])} if at else {})


def kind_of(run: str) -> str:
    """Whether the run writes or fills."""
    return "write" if not run or visitor.trained(run).left_to_right else "fill"


def specimen(name: str, run: str) -> str:
    """A ready example that suits the run."""
    kind = SPECIMENS[kind_of(run)]
    return kind.get(name, kind["other"])


def can_be_asked(run: Run) -> bool:
    """Runs that were fine-tuned to classify can neither write nor fill; an encoder-decoder that learnt to translate
    answers."""
    return run.task is None or (run.task == "seq2seq" and answers(run))


def answers(run: Run) -> bool:
    """Whether the run's model writes answers to what its encoder reads."""
    return OBJECTIVES[run.objective].seq2seq(run.settings_of("objective")) is not None
