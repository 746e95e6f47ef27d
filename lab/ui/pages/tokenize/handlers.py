"""What the Tokenize page answers: tokenizers trained on a corpus, a text through all of them, and what each costs."""

import base64
import json
import re
import shlex
import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from lab.catalog import TOKENIZERS
from lab.exchange.hub import is_hub_id, not_on_the_hub
from lab.exchange.hub_models import hub_model
from lab.exchange.hub_store import tokenizer_files
from lab.serve import brought, tokenizers
from lab.serve.limits import within
from lab.serve.places import waiting
from lab.settings import SettingsError
from lab.text import clean
from lab.ui.pages.tokenize import compression
from lab.ui.pages.tokenize.corpus import (
    CORPUS,
    VOCABULARY,
    awaited,
    built_in,
    keep,
    named,
    size_of,
    source_of,
    title_of,
)
from lab.ui.pages.tokenize.readings import (
    READ,
    Shown,
    cut_up,
    lesson,
    of_kind,
    of_stranger,
    packed,
    paragraphs,
)
from lab.ui.shell.answers import Values
from lab.ui.shell.inputs import told
from lab.ui.words import WORDS, complaint, pair, say


def show(text: str, names: str, own: str = "", language: str = "en") -> Values:
    """One text through the tokenizers called ``names``, side by side with the visitor's ``own``; and how BPE learns
    from it."""
    head, note = _head(text)
    return {
        "cuts": _beside(lambda shown: cut_up(head, shown, note), _loaded(names), own),
        "merges": lesson(head, language),
    }


def take(path: str | None) -> Values:
    """Keep an upload, or say what is the matter with it; what was said of one that is taken away goes with it."""
    if not path:
        return {"file": "", "status": _asked(say("tokenize.file.choose"))}
    try:
        return {"file": keep(path)}
    except SettingsError as error:
        return {"status": _problem(error)}


def learn(
    text: str, corpus: str, vocabulary: float, file: str, pasted: str, own: str = "", language: str = "en"
) -> Iterator[Values]:
    """Train the tokenizers on the chosen corpus, saying so meanwhile; then the text through them.

    What a visitor can put right is said where the state of the training stands, and what is shown stays as it was.
    """
    kinds, lacks = TOKENIZERS.names(), awaited(corpus, file, str(pasted or ""))
    if lacks:
        yield {"status": _asked(lacks)}
        return
    try:
        title, size = title_of(str(corpus), file), size_of(vocabulary)
        if not all(tokenizers.at_hand(corpus, {}, size, kind) for kind in kinds):
            yield {"status": [["busy", say("tokenize.busy", corpus=title)]]}
        names = json.dumps(tokenizers.trained(*source_of(corpus, file, pasted), size, kinds))
    except SettingsError as error:
        yield {"status": _problem(error)}
        return
    shown = _loaded(names)
    yield {
        "status": _ready(shown, title, size),
        "names": names,
        "command": command(corpus, size),
        **show(text, names, own, language),
        "paragraphs": _beside(paragraphs, shown, own),
    }


def _asked(lacks: Any) -> list[Any]:
    return [["note", lacks], ["note", say("tokenize.still")]]


def _problem(error: SettingsError) -> list[Any]:
    return [["problem", complaint(error)], ["note", say("tokenize.still")]]


def first(
    text: str, corpus: str, vocabulary: float, file: str, pasted: str, own: str, language: str
) -> Iterator[Values]:
    """What an address asks for; the first view itself was there before the page was."""
    if (text, corpus, vocabulary, own) == (WORDS["tokenize.default"].get(language), CORPUS, VOCABULARY, ""):
        yield {}
    else:
        for values in learn(text, corpus, vocabulary, file, pasted, own, language):
            # Until the tokenizers have learnt, and where they cannot, the text is read by those of the first view.
            yield values if "names" in values else values | show(text, "", own, language)


def bring(files: list[str] | None, text: str, names: str) -> Values:
    """Put a tokenizer of the visitor's beside the others: what it is called, the text through it, and its costs."""
    if not files:
        return {}
    return _put_beside(brought.keep([str(file) for file in files]), text, names)


def fetch(name: str | None, text: str, names: str) -> Iterator[Values]:
    """Put a published tokenizer beside the others, fetched from the Hub unless it is here."""
    listed, name = hub_model((name or "").strip()), (name or "").strip()
    name = listed.name if listed else within(name, 200)
    if not name:
        return
    try:
        if not is_hub_id(name):
            raise not_on_the_hub(name)
        yield {"status": [["busy", say("tokenize.fetching", name=name)]]}
        with waiting():
            files = tokenizer_files(name)
        yield _put_beside({**brought.keep([*map(str, files)]), "title": name}, text, names)
    except SettingsError as error:
        yield {"status": [["problem", complaint(error)]]}


def _put_beside(imported: dict[str, Any], text: str, names: str) -> Values:
    """The tokenizer that was imported beside the lab's."""
    own = json.dumps({"name": imported["name"], "title": imported["title"]})
    size = f"{brought.load(imported['name']).vocabulary.size:,}"
    status = [["note", say("tokenize.brought", name=imported["title"], size=size)]]
    head, note = _head(text)
    shown = [*_loaded(names), *_own(own)]  # all of them: one that cannot read the text is not taken
    return {"status": status, "own": own, "cuts": cut_up(head, shown, note), "paragraphs": paragraphs(shown)}


def save(names: str, own: str, asked: gr.EventData) -> dict[str, Any]:
    """A zip of what transformers needs to load one of the tokenizers that are shown."""
    by_name = {shown.name: shown for shown in [*_loaded(names), *_own(own)]}
    shown = by_name.get(str(told(asked, "name", "")))
    if shown is None:
        raise SettingsError("there is no such tokenizer", "没有这个分词器")
    called = shown.title if isinstance(shown.title, str) else shown.name  # a visitor's, by the name that they gave it
    stem = re.sub(r"[^\w.-]+", "-", called.rpartition("/")[2].partition(".")[0]).strip("-") or shown.name
    name = f"{stem}-{shown.tokenizer.vocabulary.size}"
    return {"name": f"{name}.zip", "data": base64.b64encode(packed(shown.tokenizer, name)).decode(), "at": time.time()}


def curves(corpus: str, file: str, pasted: str, vocabulary: float) -> dict[str, Any]:
    """What is known of how the corpus shrinks as the vocabulary grows, or why that cannot be said."""
    lacks = awaited(corpus, file, str(pasted or ""))
    if lacks:
        return {"note": lacks}
    try:
        return compression.known(*named(corpus, file, pasted), size_of(vocabulary))
    except SettingsError as error:
        return {"note": complaint(error)}


def draw(corpus: str, file: str, pasted: str) -> Iterator[dict[str, Any]]:
    """The curves that are not known yet, saying how long they will take."""
    yield from compression.drawn(*named(corpus, file, pasted))


def chosen(asked: gr.EventData) -> Any:
    """The size that was found below, as the one to learn above."""
    return gr.update(value=size_of(told(asked, "size")))


def sources(corpus: str) -> Values:
    """Which of the fields for text of one's own are shown."""
    return {source: gr.update(visible=corpus == source) for source in ("file", "pasted")}


def command(corpus: str, vocabulary: int) -> dict[str, str]:
    """The terminal's way to the same tokenizers."""
    source = corpus if corpus in built_in() else "your-text.txt"
    lines = [
        f"python -m lab tokenizer train --kind {kind.name} --corpus {shlex.quote(source)}"
        + (f" --vocab {vocabulary}" if "vocabulary" in kind.settings.knobs() else "")
        + f" --out {kind.name}"
        for kind in TOKENIZERS
    ]
    return {"command": "\n".join([*lines, "python -m lab tokenizer encode --tokenizer byte_bpe --text '…'"])}


def _head(text: str) -> tuple[str, Any]:
    """As much of a text as is read, and a note where that is not all of it, or nothing."""
    text = clean(str(text or ""))
    if not text:
        return "", say("tokenize.empty")
    head = text[:READ]
    return head, say("tokenize.head", n=f"{len(head):,}") if len(head) < len(text) else ""


def _beside(drawn: Callable[[list[Shown]], dict[str, Any]], ours: list[Shown], own: str) -> dict[str, Any]:
    """What is drawn of the lab's tokenizers and the visitor's; where that one cannot, of the lab's, and why."""
    try:
        return drawn([*ours, *_own(own)])
    except SettingsError as error:
        if not own:
            raise
        return drawn(ours) | {"note": complaint(error)}


def _own(own: str) -> list[Shown]:
    """The tokenizer that the visitor has brought, if there is one."""
    try:
        imported = json.loads(own or "null")
        if not imported:
            return []
        tokenizer = brought.load(str(imported["name"]))
        return [of_stranger(tokenizer, str(imported["title"]), brought.notes(str(imported["name"])))]
    except (ValueError, TypeError, KeyError):
        raise SettingsError("there is no such tokenizer", "没有这个分词器") from None


def _loaded(names: str) -> list[Shown]:
    """The tokenizers, in the order of their register; those of the first view where none were trained yet."""
    try:
        by_kind = json.loads(names or "null") or tokenizers.trained(CORPUS, {}, VOCABULARY, TOKENIZERS.names())
        return [of_kind(tokenizers.load(str(by_kind[kind]))) for kind in TOKENIZERS.names()]
    except (ValueError, TypeError, KeyError):
        raise SettingsError("there is no such tokenizer", "没有这个分词器") from None


def _ready(ours: list[Shown], title: Any, size: int) -> list[Any]:
    if all(shown.tokenizer.vocabulary.size == size for shown in ours):
        return [["note", say("tokenize.ready", corpus=title, size=f"{size:,}")]]
    entries = [(TOKENIZERS[shown.name], shown.tokenizer.vocabulary.size) for shown in ours]
    sizes = pair(
        ", ".join(f"{entry.title} {n:,}" for entry, n in entries),
        "，".join(f"{entry.title_zh} {n:,}" for entry, n in entries),
    )
    return [["note", say("tokenize.short", corpus=title, sizes=sizes)]]
