"""``claim``: the claims by name, and one of them measured."""

import statistics
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict

from lab.bench.arms.process import threads_of, versions
from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimEntry, Measure
from lab.cli.answer import Answer, table
from lab.cli.flags import A_CORPUS, Parser, add_settings, corpus_of, more_flags, settings
from lab.experiments.claims import MOST_SEEDS, Measured, Text, Verdict, measured, run_of, verdict
from lab.settings import SettingsError
from lab.training.run_request import command

SEEDS = 3


def claim_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = more_flags("the claim")
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of: {', '.join(CLAIMS.names())}")
    parser.add_argument("--corpus", metavar="C", help=f"{A_CORPUS}; the claim's own if left out")
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, metavar="N", help=f"seeds of both arms, 2 to {MOST_SEEDS} ({SEEDS})"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="processor threads, 0 for all (0)")
    for word in words:
        if word in CLAIMS:
            add_settings(parser, "claim", f"claim {word}", CLAIMS[word].settings, short=True)


def claim(asked: Namespace) -> Answer:
    """The list, or what one claim comes to."""
    if asked.name is None:
        if (asked.corpus, asked.seeds, asked.threads) != (None, SEEDS, 0):
            raise SettingsError(
                "name the claim that is to be measured; without one all are listed",
                "请写出要实测的论断；不写则列出全部",
            )
        rows = [{"name": entry.name, "title": entry.title, "summary": entry.summary} for entry in CLAIMS]
        return Answer({"claims": rows}, table([[row["name"], row["summary"]] for row in rows]))
    entry = CLAIMS[asked.name]
    if not 2 <= asked.seeds <= MOST_SEEDS:
        raise SettingsError(
            f"--seeds must lie between 2 and {MOST_SEEDS}, not at {asked.seeds}",
            f"--seeds 必须在 2 与 {MOST_SEEDS} 之间，不能是 {asked.seeds}",
        )
    text, threads = _text(entry, asked.corpus), threads_of(asked.threads)
    values = entry.settings.load(settings(entry, asked, "claim"))
    arms = entry.build(values)
    found = list[Measured]()
    for each in measured(entry, values, text, range(asked.seeds), threads):
        found.append(each)
        arm = arms[each.arm]
        print(f"{arm.title[0]}, seed {each.seed}: {_figure(each.value, arm.measure)}", file=sys.stderr)
    says = verdict(entry, found)
    document = {
        "claim": entry.name,
        "paper": entry.paper,
        "says": entry.says,
        "measure": arms[0].measure.title[0],
        "percent": arms[0].measure.percent,
        "arms": [{"title": arm.title[0], "command": command(run_of(arm, values, text, threads))} for arm in arms],
        "measured": [asdict(each) for each in found],
        "verdict": asdict(says),
        "corpus": text[0],
        "corpus_settings": text[1],
        "settings": {**values.dump(), "seeds": asked.seeds, "threads": threads},
        "versions": versions(("torch",)),
    }
    return Answer(document, "\n".join(_lines(entry, arms, found, says)))


def _text(entry: ClaimEntry, word: str | None) -> Text:
    """The corpus that is named, else the claim's own; what the claim asks of a text, as far as that one knows it."""
    if word is None:
        return entry.corpus, dict(entry.corpus_settings)
    corpus, also = corpus_of(word)
    known = {name: value for name, value in entry.corpus_settings.items() if name in corpus.settings.knobs()}
    return corpus.name, known | also


def _lines(entry: ClaimEntry, arms: Sequence[Arm], found: Sequence[Measured], says: Verdict) -> list[str]:
    """The claim, a row for each arm, and the verdict."""
    measure = arms[0].measure
    rows = [["", f"{measure.title[0]}: median (least to greatest)"]]
    for number, arm in enumerate(arms):
        values = [each.value for each in found if each.arm == number]
        low, middle, high = (_figure(of(values), measure) for of in (min, statistics.median, max))
        rows.append([arm.title[0], f"{middle} ({low} to {high})"])
    mean, low, high = (
        figure + " points" * measure.percent for figure in says.figures(percent=measure.percent).values()
    )
    return [
        f"{entry.summary} ({entry.paper})",
        table(rows),
        f"difference {mean} ({low} to {high}, 95 % interval over {len(says.differences)} seeds): {_SAYS[says.says]}",
    ]


_SAYS = {
    "holds": "the claim holds here",
    "contradicted": "the claim does not hold here, but its opposite",
    "unclear": "too small to say with so many seeds",
}


def _figure(value: float, measure: Measure) -> str:
    return f"{value:.1%}" if measure.percent else f"{value:.3f}"
