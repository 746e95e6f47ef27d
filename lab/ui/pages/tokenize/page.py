"""Tokenize: one text through every kind of tokenizer, trained on a corpus of the visitor's choice."""

import base64
import json
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, TOKENIZERS
from lab.serve import brought, tokenizers
from lab.serve.limits import limits
from lab.serve.uploads import keep_file, keep_pasted, kept
from lab.settings import SettingsError
from lab.text import clean
from lab.ui.components.compression import Compression
from lab.ui.components.cuts import Cuts
from lab.ui.components.memo import Memo, Saved
from lab.ui.components.merge_player import MergePlayer
from lab.ui.components.paragraphs import Paragraphs
from lab.ui.components.prose import Prose
from lab.ui.components.slider import Slider
from lab.ui.pages.tokenize import compression
from lab.ui.pages.tokenize.readings import (
    READ,
    Shown,
    cut_up,
    languages,
    lesson,
    of_kind,
    of_stranger,
    packed,
    paragraphs,
)
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import any_of
from lab.ui.words import WORDS, both, pair, say, upper, word

NAME = "tokenize"
FIRST = ("byte_bpe", "wordpiece", "unigram", "words")  # the kinds that are shown before anybody chooses
CORPUS, VOCABULARY = "town", 2000  # what the page opens with; these tokenizers come with the lab
SMALLEST, WIDEST = 300, 50_000
EXAMPLES = {
    "english": "Oscar was a gardener in the park. He wanted to travel to the seaside to see his aunt.",
    "chinese": "奥斯卡今年五十三岁，是个园丁，住在教堂附近的一套公寓里。",
    "mixed": "小红用 Python 写了 a small program，然后发邮件给 Anna：“It works！”",
    "emoji": "👋🏽 👋🏿 👩‍🚀 on the 🌕: 3 × 🍎 = 🍎🍎🍎 🇨🇳 🇧🇷 🙂",
    "typos": "Teh quikc brwon fox jmups ovre hte lazzzzy dog, becuase it wnats too.",
    "code": "for i in range(1024):\n    print(3.14159 * i ** 2)  # 2026-11-21",
    "urls": "https://example.org/search?q=byte+pair&lang=zh#results and anna@example.org",
    "rare": "Antidisestablishmentarianism, naïve façades, Dvořák and 魑魅魍魉",
    "languages": "\n".join(f"{each['name'][0]}: {each['text'].split('. ')[0][:60]}" for each in languages()),
}


# ---- what a visitor asks for


def show(text: str, names: str, own: str = "") -> list[Any]:
    """One text through the tokenizers called ``names``, side by side with the visitor's ``own``; and how BPE learns
    from it."""
    head, note = _head(text)
    return [_beside(lambda known: cut_up(head, known, note), _loaded(names), own), lesson(head)]


def learn(
    text: str, corpus: str, vocabulary: float, file: str | None, pasted: str, own: str = ""
) -> Iterator[list[Any]]:
    """Train the tokenizers on the chosen corpus, saying so meanwhile; then the text through them.

    What a visitor can put right is said where the state of the training stands, and what is shown stays as it was.
    """
    kinds = TOKENIZERS.names()
    nothing = [gr.skip()] * 5
    try:
        title, size = _title(str(corpus), file, str(pasted or "")), _size(vocabulary)
        if not all(tokenizers.at_hand(corpus, {}, size, kind) for kind in kinds):
            yield [[["busy", say("tokenize.busy", corpus=title)]], *nothing]
        found = tokenizers.trained(*_source(corpus, file, pasted), size, kinds)
    except SettingsError as error:
        yield [[["problem", pair(upper(error.en), upper(error.zh))]], *nothing]
        return
    names = json.dumps(found)
    known = _loaded(names)
    costs = _beside(paragraphs, known, own)
    yield [_ready(known, title, size), names, command(corpus, size), *show(text, names, own), costs]


def first(
    text: str, corpus: str, vocabulary: float, file: str | None, pasted: str, own: str, language: str
) -> Iterator[list[Any]]:
    """What an address asks for; the first view itself was there before the page was."""
    if (text, corpus, vocabulary) == (WORDS["tokenize.default"].get(language), CORPUS, VOCABULARY):
        yield [gr.skip()] * 6
        return
    yield from learn(text, corpus, vocabulary, file, pasted, own)


def bring(files: list[str] | None, text: str, names: str) -> list[Any]:
    """Put a tokenizer of the visitor's beside the others: what it is called, the text through it, and its costs."""
    if not files:
        return [gr.skip()] * 4
    found = brought.keep([str(each) for each in files])
    own = json.dumps(found)
    size = f"{brought.load(found['name']).vocabulary.size:,}"
    said = [["note", say("tokenize.brought", name=found["title"], size=size)]]
    head, note = _head(text)
    known = [*_loaded(names), *_own(own)]  # all of them: one that cannot read the text is not taken
    return [said, own, cut_up(head, known, note), paragraphs(known)]


def save(names: str, own: str, asked: gr.EventData) -> dict[str, Any]:
    """A zip of what transformers needs to load one of the tokenizers that are shown."""
    shown = {each.name: each for each in [*_loaded(names), *_own(own)]}.get(str(getattr(asked, "name", "")))
    if shown is None:
        raise SettingsError("there is no such tokenizer", "没有这个分词器")
    name = f"{shown.name}-{shown.tokenizer.vocabulary.size}"
    return {"name": f"{name}.zip", "data": base64.b64encode(packed(shown.tokenizer, name)).decode(), "at": time.time()}


def curves(corpus: str, file: str | None, pasted: str, vocabulary: float) -> dict[str, Any]:
    """What is known of how the corpus shrinks as the vocabulary grows, or why that cannot be said."""
    try:
        return compression.known(*_named(corpus, file, pasted), _size(vocabulary))
    except SettingsError as error:
        return {"note": pair(upper(error.en), upper(error.zh))}


def draw(corpus: str, file: str | None, pasted: str) -> Iterator[dict[str, Any]]:
    """The curves that are not known yet, saying how long they will take."""
    yield from compression.drawn(*_named(corpus, file, pasted))


def chosen(asked: gr.EventData) -> Any:
    """The size that was found below, as the one to learn above."""
    return gr.update(value=_size(getattr(asked, "size", None)))


def sources(corpus: str) -> list[Any]:
    """Which of the fields for text of one's own are shown."""
    return [gr.update(visible=corpus == "file"), gr.update(visible=corpus == "pasted")]


def command(corpus: str, vocabulary: int) -> dict[str, str]:
    """The terminal's way to the same tokenizers."""
    source = corpus if corpus in _built_in() else "your-text.txt"
    lines = [
        f"python -m lab tokenizer train --kind {kind.name} --corpus {shlex.quote(source)}"
        + (f" --vocab {vocabulary}" if "vocabulary" in kind.settings.knobs() else "")
        + f" --out {kind.name}"
        for kind in TOKENIZERS
    ]
    return {"command": "\n".join([*lines, "python -m lab tokenizer encode --tokenizer byte_bpe --text '…'"])}


# ---- checks and helpers


def _title(corpus: str, file: str | None, pasted: str) -> Any:
    """What the corpus is called, if there is one."""
    if corpus == "file":
        if not file:
            raise SettingsError("choose a text file to learn from", "请选择一个用来学习的文本文件")
        return Path(file).name
    if corpus == "pasted":
        if not pasted.strip():
            raise SettingsError("paste some text to learn from", "请粘贴一些用来学习的文字")
        return say("tokenize.paste")
    if corpus not in _built_in():
        raise SettingsError("there is no such corpus", "没有这个语料")
    return pair(CORPORA[corpus].title, CORPORA[corpus].title_zh)


def _source(corpus: str, file: str | None, pasted: str) -> tuple[str, dict[str, Any]]:
    """The corpus and its settings; a text of the visitor's own is kept first."""
    if corpus == "pasted":
        return "file", {"path": str(kept(keep_pasted(pasted)["mark"]))}
    if corpus != "file":
        return corpus, {}
    assert file
    size = Path(file).stat().st_size
    if size > tokenizers.LARGEST:
        raise SettingsError(
            f"the file has {size >> 20} MB; at most {tokenizers.LARGEST >> 20} MB are read here: give a part of it",
            f"文件有 {size >> 20} MB，这里最多读取 {tokenizers.LARGEST >> 20} MB：请只提供其中一部分",
        )
    return "file", {"path": str(kept(keep_file(file, Path(file).name)["mark"]))}


def _named(corpus: str, file: str | None, pasted: str) -> tuple[str, dict[str, Any], Any]:
    title = _title(str(corpus), file, str(pasted or ""))
    return *_source(str(corpus), file, str(pasted or "")), title


def _size(vocabulary: Any) -> int:
    if not isinstance(vocabulary, int | float) or not SMALLEST <= vocabulary <= WIDEST:
        raise SettingsError(
            f"the vocabulary size must be from {SMALLEST} to {WIDEST}", f"词表大小须在 {SMALLEST} 到 {WIDEST} 之间"
        )
    return int(vocabulary)


def _built_in() -> list[str]:
    return [entry.name for entry in CORPORA if not set(entry.settings.knobs()) & {"path", "text"}]


def _head(text: str) -> tuple[str, Any]:
    """As much of a text as is read, and a note where that is not all of it."""
    text = clean(str(text or ""))
    head = text[:READ]
    return head, say("tokenize.head", n=f"{len(head):,}") if len(head) < len(text) else ""


def _beside(drawn: Callable[[list[Shown]], dict[str, Any]], known: list[Shown], own: str) -> dict[str, Any]:
    """What is drawn of the lab's tokenizers and the visitor's; where that one cannot, of the lab's, and why."""
    try:
        return drawn([*known, *_own(own)])
    except SettingsError as error:
        if not own:
            raise
        return drawn(known) | {"note": pair(upper(error.en), upper(error.zh))}


def _own(own: str) -> list[Shown]:
    """The tokenizer that the visitor has brought, if there is one."""
    try:
        found = json.loads(own or "null")
        return [of_stranger(brought.load(str(found["name"])), str(found["title"]), found["notes"])] if found else []
    except (ValueError, TypeError, KeyError):
        raise SettingsError("there is no such tokenizer", "没有这个分词器") from None


def _loaded(names: str) -> list[Shown]:
    """The tokenizers, in the order of their register; those of the first view where none were trained yet."""
    try:
        found = json.loads(names or "null") or tokenizers.trained(CORPUS, {}, VOCABULARY, TOKENIZERS.names())
        return [of_kind(tokenizers.load(str(found[kind]))) for kind in TOKENIZERS.names()]
    except (ValueError, TypeError, KeyError):
        raise SettingsError("there is no such tokenizer", "没有这个分词器") from None


def _ready(known: list[Shown], title: Any, size: int) -> list[Any]:
    if all(each.tokenizer.vocabulary.size == size for each in known):
        return [["note", say("tokenize.ready", corpus=title, size=f"{size:,}")]]
    entries = [(TOKENIZERS[each.name], each.tokenizer.vocabulary.size) for each in known]
    sizes = pair(
        ", ".join(f"{entry.title} {n:,}" for entry, n in entries),
        "，".join(f"{entry.title_zh} {n:,}" for entry, n in entries),
    )
    return [["note", say("tokenize.short", corpus=title, sizes=sizes)]]


# ---- the page


def build(frame: Frame) -> None:
    """The text and the corpus above, the tokenizers side by side below."""
    frame.heading("tokenize.title", "tokenize.lead")
    text = _text(frame)
    corpus, vocabulary = _corpus(frame)
    file, pasted, go, fields = _fields(frame)
    status = Prose(elem_id="tokenize-status", elem_classes=["lab", "lab-prose", "status"])
    names, own, saved = Memo(""), Memo(""), Saved(visible="hidden")
    cuts = Cuts(start=",".join(FIRST), elem_id="tokenize-cuts", label=word("tokenize.cuts"))
    theirs = gr.UploadButton(
        word("tokenize.bring"),
        file_count="multiple",
        file_types=[".json", ".txt", ".zip"],
        size="sm",
        elem_id="tokenize-bring",
    )
    Prose([["h2", say("tokenize.merges")], ["lead", say("tokenize.merges.lead")]])
    player = MergePlayer(elem_id="tokenize-merges")
    Prose([["h2", say("tokenize.paragraphs")], ["lead", say("tokenize.paragraphs.lead")]])
    costs = Paragraphs(elem_id="tokenize-paragraphs")
    Prose([["h2", say("tokenize.curves")], ["lead", say("tokenize.curves.lead")]])
    sizes = Compression(elem_id="tokenize-sizes")
    line = frame.command()

    inputs, outputs = [text, corpus, vocabulary, file, pasted, own], [status, names, line, cuts, player, costs]
    training = {"queue": True, "concurrency_limit": 2, "concurrency_id": "tokenizers"}
    frame.listen(text.change, show, [text, names, own], [cuts, player])
    frame.listen(theirs.upload, bring, [theirs, text, names], [status, own, cuts, costs], **training)
    frame.listen(cuts.save, save, [names, own], saved)
    frame.opens(sources, corpus, fields)
    _first_view(frame, outputs)
    frame.opens(first, [*inputs, frame.language], outputs, **training)
    frame.listen(corpus.change, sources, corpus, fields)
    frame.listen(any_of([corpus.change, vocabulary.release, file.upload, go.click]), learn, inputs, outputs, **training)

    source = [corpus, file, pasted]
    frame.opens(curves, [*source, vocabulary], sizes)
    frame.listen(any_of([corpus.change, file.upload, go.click]), curves, [*source, vocabulary], sizes)
    frame.listen(sizes.draw, draw, source, sizes, **training)
    picked = frame.listen(sizes.use, chosen, None, vocabulary)
    frame.listen(picked.then, learn, inputs, outputs, **training)


def _first_view(frame: Frame, outputs: list[Any]) -> None:
    """What the page opens with in each language, made once, when the lab starts, with its own tokenizers."""
    made = {
        language: [*learn(text, CORPUS, VOCABULARY, None, "")][-1]
        for language, text in WORDS["tokenize.default"].items()
    }
    for number, each in enumerate(outputs):
        frame.begins(each, **{language: values[number] for language, values in made.items()})


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
    built_in = [(both(CORPORA[name].title, CORPORA[name].title_zh), name) for name in _built_in()]
    choices = [*built_in, (word("tokenize.upload"), "file"), (word("tokenize.paste"), "pasted")]
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


def _fields(frame: Frame) -> tuple[Any, Any, Any, list[Any]]:
    """The fields for text of one's own, hidden until they are chosen."""
    most = min(limits().upload, tokenizers.LARGEST) >> 20
    label = both(*(WORDS["tokenize.file"][language].replace("{mb}", str(most)) for language in ("en", "zh")))
    with gr.Column(visible=False) as upload:
        file = gr.File(label=label, file_count="single", type="filepath", height=130, elem_id="tokenize-file")
    with gr.Column(visible=False) as paste:
        hint = word("tokenize.pasted.hint")
        pasted = gr.Textbox(label=word("tokenize.pasted"), placeholder=hint, lines=4, max_lines=10)
        frame.share("pasted", pasted)
        go = gr.Button(word("tokenize.go"), variant="primary")
    return file, pasted, go, [upload, paste]
