"""One vector or many? The vectors of a word of several senses in two dimensions, static beside contextual."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import gradio as gr
import numpy as np

from lab.analysis.sense_map import commonest, leave_one_out, nearest_sense, principal_plane
from lab.catalog import CORPORA, MODELS, TASKS
from lab.data.reading import examples_in
from lab.inference.model import Trained
from lab.inference.word_senses import place_of, word_vectors
from lab.runs.run import Run
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import choices, label, readable, trained, usable
from lab.ui.words import complaint, say

CORPUS = "town_senses"
STORIES, EACH = 700, 10  # told to find sentences in; sentences of each sense
OWN, LONGEST = 40, 400  # lines of the visitor's own, and characters of one
PANELS = 3
MARK = "|"  # between a sense and its sentence
FIRST = {"en": "spring", "zh": "意思"}
BESIDE = ("bert-town", "elmo-town")  # runs of the lab, shown at first beside the token table of the former
NOTHING: dict[str, Any] = {"panels": [], "empty": say("finetune.senses.empty")}
DIGITS = 4

_found = Kept(32)
Row = dict[str, Any]


@lru_cache(maxsize=2)
def sentences(language: str) -> dict[str, dict[str, list[str]]]:
    """Sentences of the town: word to sense to a few of them."""
    corpus = CORPORA[CORPUS]
    values = corpus.settings.load({"stories": STORIES, "language": language})
    found = examples_in(corpus, values, TASKS["pairs"])
    words: dict[str, dict[str, list[str]]] = {}
    for example in found.examples:
        sense = found.labels[example.label or 0].rpartition("(")[2].rstrip(")")
        told = words.setdefault(example.pair, {}).setdefault(sense, [])
        if len(told) < EACH and example.text not in told:
            told.append(example.text)
    return words


def suits(run: Run) -> bool:
    """Whether a run's model has a vector for a word in its sentence: one that reads with a single stack."""
    traits = MODELS[run.model].traits
    return run.task is None and "states" in traits and "writes" not in traits


def offered(visitor: str, chosen: Sequence[str]) -> Values:
    """The words and runs to choose from."""
    runs = choices(visitor, suits)
    names = [name for _, name in runs]
    kept = [name for name in chosen or () if name in names][:PANELS]
    first = [name for name in BESIDE if name in names] or names[:1]
    return {
        "senses word": gr.update(choices=[word for tongue in FIRST for word in sorted(sentences(tongue))]),
        "senses runs": gr.update(choices=runs, value=kept or first),
    }


def drawn(visitor: str, word: Any, names: Any, lines: str) -> Values:
    """The picture: a panel for the token table of the first run, and one for each run."""
    word = str(word or "").strip()
    within(word, 60)
    within(lines or "", limits().prompt)
    known = next((told[word] for told in map(sentences, FIRST) if word in told), {})
    texts, missed = _rows(word, known, lines or "")
    if not word or not any(row["sense"] is not None for row in texts):
        return {"senses": NOTHING | ({"empty": say("finetune.senses.unknown")} if word else {}), "senses note": []}
    senses = [*dict.fromkeys(str(row.pop("name")) for row in texts if row["sense"] is not None)]
    panels: list[Row] = []
    notes = [["note", say("finetune.senses.missed", n=missed)]] if missed else []
    for name in [name for name in names or () if isinstance(name, str)][:PANELS]:
        folder = readable(name, visitor)
        if not usable(folder) or not suits(folder.run):
            continue
        try:
            layers = _layers(trained(name), name, texts)
        except SettingsError as error:
            notes.append(["note", complaint(error)])
            continue
        title = label(folder.run, folder)
        if not panels:
            panels.append({"title": say("finetune.senses.static", title=title), "layers": layers[:1], "at": 0})
        if len(layers) > 1:
            panels.append({"title": title, "layers": layers[1:], "at": len(layers) - 2})
        elif name != (names or [""])[0]:
            panels.append({"title": say("finetune.senses.static", title=title), "layers": layers, "at": 0})
    common = round(commonest([row["sense"] for row in texts if row["sense"] is not None]), DIGITS)
    shown = [{key: row[key] for key in ("text", "from", "to", "sense")} for row in texts]
    value = NOTHING | {"senses": senses, "texts": shown, "panels": panels, "common": common}
    return {"senses": value, "senses note": notes}


def _rows(word: str, known: dict[str, list[str]], lines: str) -> tuple[list[Row], int]:
    """All sentences in which the word stands, those with a known sense first; and how many lines have it not. A line
    may name its sense before a stroke."""
    told = [(sense, text) for sense, texts in known.items() for text in texts]
    own = [line.strip()[:LONGEST] for line in lines.splitlines() if line.strip()][:OWN]
    for line in own:
        sense, mark, text = line.partition(MARK)
        told.append((sense.strip()[:40], text.strip()) if mark and sense.strip() else ("", line.lstrip(MARK).strip()))
    numbers: dict[str, int] = {}
    rows, missed = list[Row](), 0
    for sense, text in sorted(told, key=lambda each: not each[0]):
        place = place_of(word, text)
        if place is None:
            missed += 1
            continue
        number = numbers.setdefault(sense, len(numbers)) if sense else None
        rows.append({"text": text, "from": place[0], "to": place[1], "sense": number, "name": sense})
    return rows, missed


def _layers(model: Trained, name: str, rows: Sequence[Row]) -> list[Row]:
    """What each layer makes of the word."""
    asked = tuple((row["text"], row["from"], row["to"]) for row in rows)
    found = _found.get(
        (name, model.step, asked), lambda: [word_vectors(model, text, (start, end)) for text, start, end in asked]
    )
    senses = [row["sense"] for row in rows]
    known = [place for place, sense in enumerate(senses) if sense is not None]
    meant = [senses[place] for place in known]
    layers: list[Row] = []
    for depth, states in enumerate(zip(*found, strict=True)):
        vectors = np.stack([state.double().numpy() for state in states])  # (N, W)
        plane, own = principal_plane(vectors), vectors[known]
        probe = leave_one_out(own, meant)
        said = {str(n): nearest_sense(own, meant, vectors[n]) for n, sense in enumerate(senses) if sense is None}
        layers.append(
            {
                "name": say("finetune.senses.table") if not depth else say("finetune.senses.block", n=depth),
                "points": plane.points.round(DIGITS).tolist(),
                "shares": [round(share, DIGITS) for share in plane.shares],
                "probe": None if probe is None else round(probe, DIGITS),
                "said": said,
            }
        )
    return layers
