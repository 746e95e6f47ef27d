"""What changed between runs: the settings in which they differ, as a table with a column for each run."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TOKENIZERS
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Run
from lab.settings import Settings
from lab.training.unread import unread
from lab.ui.components.knob_words import choice_title, short_name
from lab.ui.shell.visitor import label
from lab.ui.words import pair, say, titled

Facts = dict[tuple[str, str], tuple[Any, Any]]  # by part and setting: what it is called, and its value
ABSENT = "\N{EN DASH}"
MACHINE = ("threads", "device")  # how a run is computed, and not what


def changes(folders: Sequence[RunFolder]) -> dict[str, Any]:
    """The settings that differ between the runs, as the value of a Table. What only some of them have, because another
    model or objective is chosen, is not told again."""
    facts_of = [dict(_facts(folder)) for folder in folders]
    common = [key for key in facts_of[0] if all(key in facts for facts in facts_of)] if facts_of else []
    table = [(facts_of[0][key][0], [facts[key][1] for facts in facts_of]) for key in common]
    rows = [[name, *values] for name, values in table if any(value != values[0] for value in values)]
    columns = [say("run.setting"), *[label(folder.run, folder) for folder in folders]]
    return {"columns": columns, "rows": rows, "empty": say("run.same")}


def _facts(folder: RunFolder) -> Iterator[tuple[tuple[str, str], tuple[Any, Any]]]:
    """All that decides a run's numbers, part by part."""
    run = folder.run
    yield ("model", ""), (say("pretrain.model"), titled(MODELS[run.model]))
    yield from _settings("model", run.settings_of("model"))
    yield ("objective", ""), (say("pretrain.objective"), titled(OBJECTIVES[run.objective]))
    yield from _settings("objective", run.settings_of("objective"))
    second = titled(OBJECTIVES[run.pair]) if run.pair else say("pretrain.pair.none")
    yield ("pair", ""), (say("pretrain.pair"), second)
    if run.pair:
        yield from _settings("pair", run.settings_of("pair"))
    yield ("corpus", ""), (say("pretrain.corpus"), _text(folder))
    if run.corpus != "file":
        yield from _settings("corpus", run.settings_of("corpus"))
    if run.tokenizer != IMPORTED:
        yield ("tokenizer", ""), (say("pretrain.more.tokenizer"), titled(TOKENIZERS[run.tokenizer]))
        yield from _settings("tokenizer", run.settings_of("tokenizer"))
    apart = {*MACHINE, *unread(run)}
    for (part, name), fact in _settings("training", run.plan):
        if name not in apart:
            yield (part, name), (fact[0], _said(run.learning_rate)) if name == "learning_rate" else fact
    yield ("run", "seed"), (short_name(Run.knobs()["seed"]), run.seed)


def _text(folder: RunFolder) -> Any:
    """The text of a run; of one's own, the beginning of its mark, which tells it from another."""
    title, run = corpus_of(folder), folder.run
    mark = Path(run.corpus_settings.get("path", "")).stem[:6]
    return pair(f"{title['en']} {mark}", f"{title['zh']} {mark}") if run.corpus == "file" else title


def corpus_of(folder: RunFolder) -> Any:
    """What the text of a run is called. Those of the lab were mixed into one file, whose kind says nothing of them."""
    run = folder.run
    return say("run.corpus.mixed") if folder.is_shipped and run.corpus == "rows" else titled(CORPORA[run.corpus])


def _settings(part: str, settings: Settings) -> Iterator[tuple[tuple[str, str], tuple[Any, Any]]]:
    for name, item in settings.knobs().items():
        value = getattr(settings, name)
        chosen = item.metadata["knob"].choices is not None
        yield (part, name), (short_name(item), choice_title(name, value) if chosen else _said(value))


def _said(value: Any) -> Any:
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return say("run.yes" if value else "run.no")
    return f"{value:.4g}" if isinstance(value, float) else value
