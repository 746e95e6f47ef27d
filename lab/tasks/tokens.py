"""Token classification: a tag for each word, such as where names of people and places begin and go on (BIO).

Words may be of several tokens: the first one of each is asked, and the others are not (Devlin et al. 2018, section
5.3). In Chinese each character is a word; where one token covers several, it is asked about the first, and the others
go on as that one began. A long text is read in pieces.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lab.catalog import TASKS
from lab.entries import Scores
from lab.examples import Example, Prediction, Unit
from lab.settings import Settings
from lab.tasks.metrics.classes import accuracy, confusion_matrix, macro_f1
from lab.tasks.metrics.entities import entity_scores, name_entities
from lab.tasks.parts.batching import UNASKED
from lab.tasks.parts.losses import of_tags
from lab.tasks.parts.reader import Reader, framed, shown, windows


def predict(
    example: Example, units: Sequence[Unit], scores: Sequence[Scores], labels: Sequence[str], s: Settings
) -> Prediction:
    """The likeliest tag at the first token of each word; a word without one goes on as the word before it."""
    best = {
        int(word): int(row.argmax())
        for unit, table in zip(units, scores, strict=True)
        for word, row in zip(unit.words if unit.words is not None else (), table, strict=False)
        if word >= 0
    }
    tags = list[int]()
    for word in range(len(example.words)):
        tags.append(best.get(word, _onward(tags[-1], labels) if tags else 0))
    return Prediction(tags=tuple(tags))


def measure(predictions: Sequence[Prediction], examples: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy and macro F1 over words and, where tags begin entities, precision, recall and F1 of whole ones."""
    truths, named = ([tag for row in rows for tag in row.tags] for rows in (examples, predictions))
    table = confusion_matrix(truths, named, len(labels))
    measured = {"accuracy": accuracy(table), "macro_f1": macro_f1(table)}
    if name_entities(labels):
        rows = ([[labels[tag] for tag in row.tags] for row in rows] for rows in (examples, predictions))
        measured |= entity_scores(*rows)
    return {name: round(value, 6) for name, value in measured.items()}


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy of the commonest tag, and of the commonest tag of each word in training; of the latter the F1, too."""
    times: dict[str, Any] = {}
    for example in learnt:
        for (start, end), tag in zip(example.words, example.tags, strict=True):
            times.setdefault(example.text[start:end], np.zeros(len(labels)))[tag] += 1
    common = int(sum(times.values()).argmax())
    usual = {word: int(counts.argmax()) for word, counts in times.items()}
    usual_tags = [
        Prediction(tags=tuple(usual.get(example.text[start:end], common) for start, end in example.words))
        for example in checked
    ]
    always = [Prediction(tags=(common,) * len(example.tags)) for example in checked]
    by_word = measure(usual_tags, checked, labels)
    return {
        "majority": measure(always, checked, labels)["accuracy"],
        "by_word": by_word["accuracy"],
        **({"by_word_f1": by_word["entity_f1"]} if "entity_f1" in by_word else {}),
    }


@TASKS.add(
    "tokens",
    title="Token classification",
    zh=("词元分类", "为每个词标一个类别，例如命名实体（BIO）；中文按字标注。"),
    paper="Devlin et al. 2018, section 5.3; Tjong Kim Sang and De Meulder 2003",
    settings=Settings,
    traits={"states"},
    order=3,
    holds=("text", "tags"),
    columns={
        "text": ("tokens", "words", "text", "文本", "句子", "词", "字"),
        "tags": ("tags", "ner_tags", "labels", "label", "标签", "标注"),
    },
    names=True,
    head="each",
    outputs=lambda classes: classes,
    loss=of_tags,
    predict=predict,
    measure=measure,
    yardsticks=yardsticks,
    score="entity_f1",
    several=True,
)
def tokens(example: Example, s: Settings, reader: Reader) -> list[Unit]:
    """Finds a tag for each word of a text, such as those of named entities."""
    ids, spans = reader.spans(example.text)
    owner = first_words(spans, example.words)  # (T,)
    room, units = reader.context - 2, []
    for part in windows(len(ids), room, room):
        framing = framed(ids[part.start : part.stop], reader)
        inside = slice(framing.text, framing.text + len(part))
        words = np.full(len(framing.ids), -1, dtype=np.int64)  # (T,)
        words[inside] = owner[part.start : part.stop]
        tags = np.array([*example.tags, UNASKED] if example.tags else [UNASKED], dtype=np.int64)
        asked = tags[words] if example.tags else np.full(len(words), UNASKED, dtype=np.int64)  # -1 is the last
        covered = np.full((len(words), 2), -1, dtype=np.int64)
        covered[inside] = spans[part.start : part.stop]
        units.append(shown(framing, reader, tags=asked, words=words, spans=covered))
    return units


def first_words(spans: np.ndarray, words: Sequence[tuple[int, int]]) -> np.ndarray:
    """The number of the word of which each token is the first piece, -1 where it is of none: (T,). Both lists of
    characters run from left to right; a token that begins with the blank before a word is of that word."""
    owner, token = np.full(len(spans), -1, dtype=np.int64), 0
    for number, (start, _) in enumerate(words):
        while token < len(spans) and (spans[token, 1] <= start or spans[token, 0] == spans[token, 1]):
            token += 1
        if token < len(spans) and owner[token] < 0 and spans[token, 0] < words[number][1]:
            owner[token] = number
    return owner


def _onward(tag: int, labels: Sequence[str]) -> int:
    """The tag of what goes on as this one began."""
    onward = (inside + labels[tag][2:] for inside in ("I-", "M-"))  # as BIO, BIOES and BILOU call it, and as BMES does
    return next((labels.index(name) for name in onward if labels[tag].startswith("B-") and name in labels), tag)
