"""What the page tells of each claim, the two runs of one that a visitor starts, and the command that measures it."""

from collections.abc import Mapping
from statistics import median
from typing import Any

from lab.catalog import CLAIMS, CORPORA
from lab.claim import ClaimEntry
from lab.entries import CorpusEntry
from lab.experiments.claims import Measured, run_of, verdict
from lab.experiments.recorded import recorded
from lab.runs.run import Run
from lab.serve.limits import limits
from lab.serve.ownership import must_be_named, owner_of
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.shell.papers import cited
from lab.ui.shell.visitor import lab_title, workers
from lab.ui.words import language_now, pair, say, titled

TEXTS = {"en": "town_en", "zh": "town_zh"}  # what a visitor's two runs learn from


def told(entry: ClaimEntry) -> dict[str, Any]:
    """One of the claims of Claims, with what was measured on each text of which the lab brings a record."""
    corpora = dict.fromkeys((entry.corpus, *TEXTS.values()))
    documents = (recorded(f"claims/{corpus}/{entry.name}") for corpus in corpora)
    return {
        "name": entry.name,
        "title": titled(entry),
        "sentence": pair(entry.summary, entry.summary_zh),
        "paper": cited(entry.paper),
        "found": say("claims.found", found=pair(*entry.found)),
        "trains": _are_two(entry),
        "measured": [found(entry, document) for document in documents if document],
    }


def found(entry: ClaimEntry, document: Mapping[str, Any]) -> dict[str, Any]:
    """What the document of a claim says, of one text."""
    measured = [Measured(**each) for each in document["measured"]]
    says, settings, corpus = verdict(entry, measured), document["settings"], CORPORA[document["corpus"]]
    arms = entry.build(entry.settings.load({name: settings[name] for name in entry.settings.knobs()}))
    measure, titles = arms[0].measure, [pair(*arm.title) for arm in arms]
    values = [[each.value for each in measured if each.arm == number] for number in range(len(arms))]
    unit = "points" if measure.percent else "nats"
    figures = says.figures(percent=measure.percent)
    apart = {name: figure.replace("-", "\N{MINUS SIGN}") for name, figure in figures.items()}
    difference = say(f"claims.difference.{unit}", first=titles[0], second=titles[1], **apart)
    return {
        "language": corpus.language,
        "arms": [
            {"title": title, "values": those, "median": _figure(median(those), in_percent=measure.percent)}
            for title, those in zip(titles, values, strict=True)
        ],
        "says": says.says,
        "seeds": len(says.differences),
        "difference": difference,
        "elsewhere": say(
            "claims.elsewhere", corpus=titled(corpus), says=say(f"claims.{says.says}"), difference=difference
        ),
        "facts": say(
            "claims.facts",
            measure=pair(*_sentences(measure.title)),
            corpus=_text(corpus, document["corpus_settings"]),
            steps=grouped(settings["steps"]),
        ),
    }


def _text(corpus: CorpusEntry, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What both arms learnt from; where the claim is about few texts, how few."""
    cut = settings.get("stories")
    return say("claims.cut", corpus=titled(corpus), n=grouped(cut)) if cut else titled(corpus)


def _are_two(entry: ClaimEntry) -> bool:
    """Whether the arms are two runs, and not one that is asked in two ways."""
    settings = entry.settings.load({})
    first, second = (run_of(arm, settings, (entry.corpus, entry.corpus_settings), 1) for arm in entry.build(settings))
    return not first.alike(second)


def _sentences(title: tuple[str, str]) -> tuple[str, str]:
    return title[0][:1].upper() + title[0][1:], title[1]


def _figure(value: float, *, in_percent: bool) -> str:
    return percent(value) if in_percent else f"{value:.3f}"


def begin(visitor: str, name: str) -> Values:
    """Put both arms of a claim into the queue, with one seed and a text in the page's language, to be followed and
    compared on Pretrain."""
    must_be_named(visitor)
    entry, language = CLAIMS[name], language_now()
    settings, text = entry.settings.load({}), (TEXTS[language], dict(entry.corpus_settings))
    named = []
    for arm in entry.build(settings):
        run = run_of(arm, settings, text, limits().threads)
        title = lab_title(run, arm.title[language == "zh"])
        named.append(Run.load(run.dump() | {"title": title, "owner": owner_of(visitor)}))
    folders = workers().start_all(named)
    return {"run": folders[0].name, "compare": ",".join(folder.name for folder in folders)}


def command(name: str) -> dict[str, str]:
    """The command that measures the claim that was answered last, or lists them all."""
    return {"command": "python -m lab claim" + (f" {name}" if name in CLAIMS else "")}
