"""Tokenize: one text through every kind of tokenizer, trained on a corpus of the visitor's choice."""

import json
from typing import Any

import gradio as gr

from lab.catalog import CORPORA
from lab.exchange.hub_models import MODELS, TOKENIZERS
from lab.serve import tokenizers
from lab.serve.limits import limits
from lab.ui.components.compression import Compression
from lab.ui.components.cuts import Cuts
from lab.ui.components.memo import Memo, Saved
from lab.ui.components.merge_player import MergePlayer
from lab.ui.components.paragraphs import Paragraphs
from lab.ui.components.prose import Prose
from lab.ui.components.slider import Slider
from lab.ui.pages.tokenize.corpus import CORPUS, SMALLEST, VOCABULARY, WIDEST, built_in, still_kept
from lab.ui.pages.tokenize.handlers import bring, chosen, curves, draw, fetch, first, learn, save, show, sources, take
from lab.ui.pages.tokenize.readings import languages
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import any_of
from lab.ui.words import WORDS, both, say, word

NAME = "tokenize"
FIRST = ("byte_bpe", "wordpiece", "unigram", "words")  # the kinds that are shown before anybody chooses
EXAMPLES = {
    "english": "Oscar was a gardener in the park. He wanted to travel to the seaside to see his aunt.",
    "chinese": "奥斯卡今年五十三岁，是个园丁，住在教堂附近的一套公寓里。",
    "mixed": "小红用 Python 写了 a small program，然后发邮件给 Anna：“It works！”",
    "emoji": "👋🏽 👋🏿 👩‍🚀 on the 🌕: 3 × 🍎 = 🍎🍎🍎 🇨🇳 🇧🇷 🙂",
    "typos": "Teh quikc brwon fox jmups ovre hte lazzzzy dog, becuase it wnats too.",
    "code": "for i in range(1024):\n    print(3.14159 * i ** 2)  # 2026-11-21",
    "urls": "https://example.org/search?q=byte+pair&lang=zh#results and anna@example.org",
    "rare": "Antidisestablishmentarianism, naïve façades, Dvořák and 魑魅魍魉",
    "languages": "\n".join(f"{line['name'][0]}: {line['text'].split('. ')[0][:60]}" for line in languages()),
}


def build(frame: Frame) -> None:
    """The text and the corpus above, the tokenizers side by side below."""
    frame.heading("tokenize.title", "tokenize.lead")
    text = _text(frame)
    corpus, vocabulary = _corpus(frame)
    (box, file), pasted, go, fields = _fields(frame)
    status = Prose(elem_id="tokenize-status", elem_classes=["lab", "lab-prose", "status"])
    names, saved = Memo(""), Saved(visible="hidden")
    own = frame.share("own", Memo(pattern=r'\{"name": "[0-9a-f]{32}-brought", "title": "[^\n]{1,300}"\}'))
    cuts = Cuts(start=",".join(FIRST), elem_id="tokenize-cuts", label=word("tokenize.cuts"))
    theirs = gr.UploadButton(
        word("tokenize.bring"),
        file_count="multiple",
        file_types=[".json", ".txt", ".zip"],
        size="sm",
        elem_id="tokenize-bring",
    )
    published, fetched = _published()
    Prose([["h2", say("tokenize.merges")], ["lead", say("tokenize.merges.lead")]])
    player = MergePlayer(elem_id="tokenize-merges")
    Prose([["h2", say("tokenize.paragraphs")], ["lead", say("tokenize.paragraphs.lead")]])
    costs = Paragraphs(elem_id="tokenize-paragraphs")
    Prose([["h2", say("tokenize.curves")], ["lead", say("tokenize.curves.lead")]])
    sizes = Compression(elem_id="tokenize-sizes")
    line = frame.command()

    inputs = [text, corpus, vocabulary, file, pasted, own, frame.language]
    outputs = {"status": status, "names": names, "command": line, "cuts": cuts, "merges": player, "paragraphs": costs}
    training = {"queue": True, "concurrency_limit": 2, "concurrency_id": "tokenizers"}
    frame.listen(text.change, show, [text, names, own, frame.language], {"cuts": cuts, "merges": player})
    imported = {"status": status, "own": own, "cuts": cuts, "paragraphs": costs}
    frame.listen(theirs.upload, bring, [theirs, text, names], imported, **training)
    frame.listen(fetched.click, fetch, [published, text, names], imported, **training)
    frame.listen(cuts.save, save, [names, own], saved)
    frame.opens(sources, corpus, fields)
    _first_view(frame, outputs)
    frame.opens(first, inputs, outputs, **training)
    frame.listen(corpus.change, sources, corpus, fields)
    brought = {"file": file, "status": status}  # a file that comes while another is cleared away is not passed over
    frame.listen(any_of([box.upload, box.clear]), take, box, brought, trigger_mode="always_last", **training)

    source = [corpus, file, pasted]
    asks = [corpus.change, vocabulary.release, file.change, go.click]
    frame.opens(curves, [*source, vocabulary], sizes)
    frame.listen(any_of(asks), curves, [*source, vocabulary], sizes)  # first: Gradio asks for one after the other
    frame.listen(any_of(asks), learn, inputs, outputs, **training)
    frame.listen(sizes.draw, draw, source, sizes, **training)
    picked = frame.listen(sizes.use, chosen, None, vocabulary)
    frame.listen(picked.then, learn, inputs, outputs, **training)


def _published() -> tuple[Any, Any]:
    """A published tokenizer by its name, and the button that fetches it."""
    with gr.Accordion(word("tokenize.published"), open=False):
        Prose([["note", say("tokenize.published.note")]])
        names = [*(model.name for model in MODELS), *TOKENIZERS]
        choices = [(name.rpartition("/")[2], name) for name in names]
        name = gr.Dropdown(
            choices,
            value=None,
            allow_custom_value=True,
            label=word("tokenize.published.choose"),
            info=word("tokenize.published.hint"),
            elem_id="tokenize-published",
        )
        with gr.Row(elem_classes=["lab-examples"]):
            return name, gr.Button(word("tokenize.published.go"), size="sm")


def _first_view(frame: Frame, outputs: dict[str, Any]) -> None:
    """What the page opens with in each language, made once, when the lab starts, with its own tokenizers."""
    made = {
        language: [*learn(text, CORPUS, VOCABULARY, "", "")][-1] for language, text in WORDS["tokenize.default"].items()
    }
    for name, component in outputs.items():
        frame.begins(component, **{language: values[name] for language, values in made.items()})


def _text(frame: Frame) -> Any:
    text = gr.Textbox(
        label=word("tokenize.text"),
        placeholder=word("tokenize.placeholder"),
        lines=2,
        max_lines=8,
        elem_id="tokenize-text",
    )
    frame.share("text", text)
    frame.begins(text, **WORDS["tokenize.default"])
    with gr.Row(elem_classes=["lab-examples"]):
        for key, example in EXAMPLES.items():
            button = gr.Button(word(f"tokenize.example.{key}"), size="sm")
            button.click(None, None, text, js=f"() => {json.dumps(example)}", api_visibility="private")
    return text


def _corpus(frame: Frame) -> tuple[Any, Any]:
    ours = [(both(CORPORA[name].title, CORPORA[name].title_zh), name) for name in built_in()]
    choices = [*ours, (word("tokenize.upload"), "file"), (word("tokenize.paste"), "pasted")]
    with gr.Row():
        corpus = gr.Dropdown(choices, value=CORPUS, label=word("tokenize.corpus"), filterable=False, min_width=320)
        vocabulary = Slider(
            SMALLEST,
            WIDEST,
            VOCABULARY,
            step=100,
            label=word("tokenize.vocabulary"),
            info=word("tokenize.vocabulary.hint"),
            elem_id="tokenize-vocabulary",
            min_width=320,
        )
    return frame.share("corpus", corpus), frame.share("vocabulary", vocabulary)


def _fields(frame: Frame) -> tuple[tuple[Any, Any], Any, Any, dict[str, Any]]:
    """The fields for text of one's own, hidden until they are chosen: the box for a file and what is kept of it, pasted
    text, its button; and the two that are shown by turns."""
    most = min(limits().upload, tokenizers.LARGEST) >> 20
    label = both(*(WORDS["tokenize.file"][language].replace("{mb}", str(most)) for language in ("en", "zh")))
    with gr.Column(visible=False) as upload:
        box = gr.File(label=label, file_count="single", type="filepath", height=130, elem_id="tokenize-file")
        file = frame.share("file", Memo(pattern=r"[0-9a-f]{64} [^\n]{1,80}"))
        frame.opens(still_kept, file, box)
    with gr.Column(visible=False) as paste:
        hint = word("tokenize.pasted.hint")
        pasted = gr.Textbox(label=word("tokenize.pasted"), placeholder=hint, lines=4, max_lines=10)
        frame.share("pasted", pasted)
        go = gr.Button(word("tokenize.go"), variant="primary")
    return (box, file), pasted, go, {"file": upload, "pasted": paste}
