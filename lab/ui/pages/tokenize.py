"""Tokenize: one text through every kind of tokenizer, trained on a corpus of the visitor's choice."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from lab.catalog import CORPORA, TOKENIZERS
from lab.serve import tokenizers
from lab.serve.limits import limits
from lab.serve.uploads import keep_file, keep_pasted, kept
from lab.settings import SettingsError
from lab.ui.components.marked import Marked
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.slider import Slider
from lab.ui.components.tiles import Tiles
from lab.ui.components.token_strip import TokenStrip, token
from lab.ui.frame import Frame
from lab.ui.words import WORDS, both, pair, say, upper, word
from lab.vocab import Tokenizer, clean

NAME = "tokenize"
KINDS = ("byte_bpe", "char_bpe")
CORPUS, VOCABULARY = "town", 2000  # what the page opens with; these tokenizers come with the lab
SMALLEST, WIDEST = 300, 8000
CHIPS, CHARACTERS, FIRST = 400, 600, 40  # as many tokens, characters and merges as are shown
EXAMPLES = {
    "emoji": "👩‍🚀 on the 🌕: 3 × 🍎 = 🍎🍎🍎 🙂",
    "chinese": "奥斯卡今年五十三岁，是个园丁，住在教堂附近的一套公寓里。",
    "english": "Oscar was a gardener in the park. He wanted to travel to the seaside to see his aunt.",
    "rare": "Antidisestablishmentarianism, naïve façades, Dvořák and 魑魅魍魉",
    "numbers": "for i in range(1024):\n    print(3.14159 * i ** 2)  # 2026-11-21",
}


@dataclass(frozen=True)
class Cut:
    """A text as one tokenizer cuts it."""

    text: str
    ids: NDArray[np.int64]  # (T,)
    spans: NDArray[np.int64]  # (T, 2) the characters that each token covers
    tokenizer: Tokenizer

    @property
    def lost(self) -> NDArray[np.bool_]:
        """The tokens that are unknown: (T,)."""
        return self.ids == self.tokenizer.vocabulary.unknown


# ---- what a visitor asks for


def show(text: str, names: str) -> list[Any]:
    """One text through the tokenizers called ``names``: numbers, tokens and what a round trip loses, for each."""
    text = clean(str(text or ""))
    head = text[: limits().prompt]
    cuts = [Cut(head, *tokenizer.encode_with_spans(head), tokenizer) for tokenizer in _loaded(names)]
    note = [["note", say("tokenize.head", n=f"{len(head):,}")]] if len(head) < len(text) else []
    return [value for cut in cuts for value in (strip(cut), numbers(cut), there_and_back(cut))] + [note]


def learn(text: str, corpus: str, vocabulary: float, file: str | None, pasted: str) -> Iterator[list[Any]]:
    """Train the tokenizers on the chosen corpus, saying so meanwhile; then the text through them.

    What a visitor can put right is said where the state of the training stands, and what is shown stays as it was.
    """
    kinds = KINDS
    nothing = [gr.skip()] * (2 + len(kinds) + 3 * len(kinds) + 1)
    try:
        title, size = _title(str(corpus), file, str(pasted or "")), _size(vocabulary)
        if not all(tokenizers.at_hand(corpus, {}, size, kind) for kind in KINDS):
            yield [[["busy", say("tokenize.busy", corpus=title)]], *nothing]
        found = tokenizers.trained(*_source(corpus, file, pasted), size, KINDS)
    except SettingsError as error:
        yield [[["problem", pair(upper(error.en), upper(error.zh))]], *nothing]
        return
    names = json.dumps(found)
    known = _loaded(names)
    merges = [first_merges(tokenizer) for tokenizer in known]
    yield [_ready(known, title, size), names, command(corpus, size), *merges, *show(text, names)]


def sources(corpus: str) -> list[Any]:
    """Which of the fields for text of one's own are shown."""
    return [gr.update(visible=corpus == "file"), gr.update(visible=corpus == "pasted")]


# ---- what is shown


def numbers(cut: Cut) -> dict[str, Any]:
    """How long the tokens are and how much of the vocabulary they use, each beside its yardstick."""
    n, size, all_there_are = len(cut.ids), len(cut.text.encode()), cut.tokenizer.vocabulary.size
    used = len(np.unique(cut.ids))
    values: list[tuple[str, float, dict[str, Any]]] = [
        ("rate", n / max(len(cut.text), 1), {"note": say("tokenize.rate.note")}),
        ("bytes", size / max(n, 1), {"note": say("tokenize.bytes.note")}),
        ("used", used, {"share": used / all_there_are, "note": say("tokenize.used.note", size=f"{all_there_are:,}")}),
    ]
    return {
        "tiles": [
            {"name": say(f"tokenize.{name}"), "value": value if n else "–", **more} for name, value, more in values
        ]
    }


def strip(cut: Cut) -> dict[str, Any]:
    """The tokens as chips; an unknown one says which character it stands for."""
    pieces = cut.tokenizer.pieces(cut.ids[:CHIPS])
    originals = [cut.text[first:last] for first, last in cut.spans[:CHIPS].tolist()]
    chips = [
        token(piece, note=say("tokenize.stands", text=original) if lost else None)
        for piece, original, lost in zip(pieces, originals, cut.lost[:CHIPS].tolist(), strict=True)
    ]
    said = say("tokenize.count", n=f"{len(cut.ids):,}", unknown=f"{int(cut.lost.sum()):,}", all=f"{len(cut.text):,}")
    return {"rows": [{"label": said, "tokens": chips, "more": len(cut.ids) - len(chips)}]}


def there_and_back(cut: Cut) -> dict[str, Any]:
    """The text beside what decoding gives back, with the losses marked in both."""
    if not cut.text:
        return {"rows": []}
    shown = cut.text[:CHARACTERS]
    gone = np.zeros(len(cut.text) + 1, dtype=bool)
    for first, last in cut.spans[cut.lost].tolist():
        gone[first:last] = True
    n = int(gone.sum())
    note = say("tokenize.lost", n=f"{n:,}", all=f"{len(cut.text):,}") if n else say("tokenize.lossless")
    rows: list[dict[str, Any]] = [
        {"label": say("tokenize.original"), "parts": _stretches(shown, gone.tolist())},
        {"label": say("tokenize.decoded"), "parts": _decoded(cut, len(shown)), "note": note},
    ]
    return {"rows": rows + ([{"note": say("tokenize.cut", n=CHARACTERS)}] if len(shown) < len(cut.text) else [])}


def first_merges(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokens that were learned first: those of more than one part, in the order of their ids."""
    parts = "bytes" if tokenizer.kind == "byte_bpe" else "text"
    pieces = tokenizer.pieces(range(tokenizer.vocabulary.size))
    merged = [piece for piece in pieces if not piece.special and len(getattr(piece, parts)) > 1][:FIRST]
    row = {"label": say("tokenize.first.label"), "tokens": [token(piece) for piece in merged]}
    return {"rows": [row] if merged else [], "empty": say("tokenize.first.none")}


def command(corpus: str, vocabulary: int) -> dict[str, str]:
    """The terminal's way to the same tokenizers."""
    source = corpus if corpus in _built_in() else "your-text.txt"
    lines = [
        f"python -m lab tokenizer train --kind {name} --corpus {shlex.quote(source)} --vocab {vocabulary} --out {name}"
        for name in KINDS
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


def _size(vocabulary: float) -> int:
    if not isinstance(vocabulary, int | float) or not SMALLEST <= vocabulary <= WIDEST:
        raise SettingsError(
            f"the vocabulary size must be from {SMALLEST} to {WIDEST}", f"词表大小须在 {SMALLEST} 到 {WIDEST} 之间"
        )
    return int(vocabulary)


def _built_in() -> list[str]:
    return [entry.name for entry in CORPORA if not set(entry.settings.knobs()) & {"path", "text"}]


def _loaded(names: str) -> list[Tokenizer]:
    """The tokenizers, in the order of their register; those of the first view where none were trained yet."""
    try:
        found = json.loads(names or "null") or tokenizers.trained(CORPUS, {}, VOCABULARY, KINDS)
        return [tokenizers.load(str(found[kind])) for kind in KINDS]
    except (ValueError, TypeError, KeyError):
        raise SettingsError("there is no such tokenizer", "没有这个分词器") from None


def _ready(known: list[Tokenizer], title: Any, size: int) -> list[Any]:
    if all(tokenizer.vocabulary.size == size for tokenizer in known):
        return [["note", say("tokenize.ready", corpus=title, size=f"{size:,}")]]
    entries = [(TOKENIZERS[tokenizer.kind], tokenizer.vocabulary.size) for tokenizer in known]
    sizes = pair(
        ", ".join(f"{entry.title} {n:,}" for entry, n in entries),
        "，".join(f"{entry.title_zh} {n:,}" for entry, n in entries),
    )
    return [["note", say("tokenize.short", corpus=title, sizes=sizes)]]


def _stretches(text: str, marked: list[bool]) -> list[list[str]]:
    groups = groupby(zip(text, marked, strict=False), key=lambda each: each[1])
    return [["".join(character for character, _ in group), "wrong" if lost else ""] for lost, group in groups]


def _decoded(cut: Cut, characters: int) -> list[list[str]]:
    """What decoding gives back of the first ``characters``, each unknown token apart."""
    end = int(np.searchsorted(cut.spans[:, 0], characters))
    pieces = cut.tokenizer.pieces(cut.ids[:end])
    parts: list[list[str]] = []
    for special, group in groupby(pieces, key=lambda piece: piece.special):
        if special:
            parts += [[piece.text, "wrong"] for piece in group]
        else:
            parts.append([b"".join(piece.bytes for piece in group).decode("utf-8", "replace"), ""])
    return parts


# ---- the page


def build(frame: Frame) -> None:
    """The text and the corpus above, the tokenizers side by side below."""
    frame.heading("tokenize.title", "tokenize.lead")
    text = _text(frame)
    corpus, vocabulary = _corpus(frame)
    file, pasted, go, fields = _own()
    status = Prose(elem_id="tokenize-status", elem_classes=["lab", "lab-prose", "status"])
    names = Memo("")
    shown: list[Any] = []
    with gr.Row():
        for kind in map(TOKENIZERS.__getitem__, KINDS):
            with gr.Column(min_width=340):
                Prose([["h2", pair(kind.title, kind.title_zh)], ["note", pair(kind.summary, kind.summary_zh)]])
                shown += [
                    TokenStrip(label=word("tokenize.strip"), elem_id=f"tokenize-{kind.name}"),
                    Tiles(elem_classes=["lab", "lab-tiles", "three"]),
                    Marked(label=word("tokenize.round"), elem_id=f"tokenize-{kind.name}-round"),
                ]
    shown.append(Prose())
    with gr.Accordion(word("tokenize.first"), open=False), gr.Row():
        merges = [TokenStrip(label=both(kind.title, kind.title_zh)) for kind in map(TOKENIZERS.__getitem__, KINDS)]
    line = frame.command()

    inputs, outputs = [text, corpus, vocabulary, file, pasted], [status, names, line, *merges, *shown]
    training = {"queue": True, "concurrency_limit": 2, "concurrency_id": "tokenizers"}
    frame.listen(text.change, show, [text, names], shown)
    frame.opens(sources, corpus, fields)
    frame.opens(learn, inputs, outputs, **training)
    frame.listen(corpus.change, sources, corpus, fields)
    for event in (corpus.change, vocabulary.release, file.upload, go.click):
        frame.listen(event, learn, inputs, outputs, **training)


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


def _own() -> tuple[Any, Any, Any, list[Any]]:
    """The fields for text of one's own, hidden until they are chosen."""
    most = min(limits().upload, tokenizers.LARGEST) >> 20
    label = both(*(WORDS["tokenize.file"][language].replace("{mb}", str(most)) for language in ("en", "zh")))
    with gr.Column(visible=False) as upload:
        file = gr.File(label=label, file_count="single", type="filepath", height=130, elem_id="tokenize-file")
    with gr.Column(visible=False) as paste:
        pasted = gr.Textbox(
            label=word("tokenize.pasted"), placeholder=word("tokenize.pasted.hint"), lines=4, max_lines=10
        )
        go = gr.Button(word("tokenize.go"), variant="primary")
    return file, pasted, go, [upload, paste]
