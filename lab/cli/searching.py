"""The ways of ``generate`` to write without drawing: beam search, alone or in groups, and contrastive search."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from lab.cli.answer import Answer
from lab.cli.flags import Parser
from lab.inference.beam_search import Search, diverse_beam_search
from lab.inference.contrastive_search import contrastive_search
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.spelling import spellings, text_of

MOST_BEAMS, MOST_CANDIDATES, MOST_GROUPS, MOST_DIVERSITY, MOST_PENALTY = 64, 64, 16, 100, 10

USUAL = {"length_penalty": 1.0, "groups": 1, "diversity": 1.0, "candidates": 4}
OF = {  # what is of which search, and the flags that ask for that
    "length_penalty": ("beam search", "束搜索", ("beams",)),
    "groups": ("diverse beam search", "多样束搜索", ("beams",)),
    "diversity": ("diverse beam search", "多样束搜索", ("beams", "groups")),
    "candidates": ("contrastive search", "对比搜索", ("contrastive",)),
}


def search_flags(parser: Parser) -> None:
    """The flags of all of them."""
    parser.add_argument("--beams", type=int, metavar="N", help="beam search with so many beams instead of sampling")
    parser.add_argument(
        "--length-penalty",
        type=float,
        metavar="A",
        help="of beam search: a text's log-probability is divided by its length to this power (1)",
    )
    parser.add_argument(
        "--groups", type=int, metavar="G", help="diverse beam search: so many groups of --beams each (1)"
    )
    parser.add_argument(
        "--diversity",
        type=float,
        metavar="D",
        help="of diverse beam search: nats that a token costs for each beam of an earlier group that has it (1)",
    )
    parser.add_argument(
        "--contrastive",
        type=float,
        metavar="A",
        help="contrastive search instead of sampling: how much likeness to what was read before counts, 0 to 1",
    )
    parser.add_argument(
        "--candidates", type=int, metavar="K", help="of contrastive search: candidates for each token (4)"
    )


def searches(asked: Namespace) -> bool:
    """Whether one of them is asked for. Raises SettingsError for a flag of one that is not."""
    for name, (en, zh, needed) in OF.items():
        lacking = [f"--{other}" for other in needed if getattr(asked, other) is None]
        if getattr(asked, name) is not None and lacking:
            flag = f"--{name.replace('_', '-')}"
            raise SettingsError(
                f"{flag} is of {en}: give {' and '.join(lacking)}, too",
                f"{flag} 用于{zh}：请同时给出 {' 和 '.join(lacking)}",
            )
    return asked.beams is not None or asked.contrastive is not None


def searched(asked: Namespace, trained: Trained) -> Answer:
    """The texts that a beam search ends with, or that of a contrastive search."""
    if asked.sampler or asked.samples > 1 or asked.seed:
        name = ("beam search", "束搜索") if asked.beams is not None else ("contrastive search", "对比搜索")
        raise SettingsError(
            f"{name[0]} draws nothing: leave --sampler, --samples and --seed out",
            f"{name[1]}不抽样：请去掉 --sampler、--samples 和 --seed",
        )
    if asked.beams is not None and asked.contrastive is not None:
        raise SettingsError("give --beams or --contrastive, not both", "--beams 与 --contrastive 只能给一个")
    given = {name: value for name, value in vars(asked).items() if value is not None}
    asked = Namespace(**{**vars(asked), **USUAL, **given})
    return _beams(asked, trained) if asked.beams is not None else _contrasted(asked, trained)


def _beams(asked: Namespace, trained: Trained) -> Answer:
    if not 1 <= asked.beams <= MOST_BEAMS:
        raise SettingsError(f"--beams: 1 to {MOST_BEAMS}", f"--beams：1 到 {MOST_BEAMS}")
    if not 1 <= asked.groups <= MOST_GROUPS or not 0 <= asked.diversity <= MOST_DIVERSITY:
        raise SettingsError(
            f"--groups: 1 to {MOST_GROUPS}; --diversity: 0 to {MOST_DIVERSITY}",
            f"--groups：1 到 {MOST_GROUPS}；--diversity：0 到 {MOST_DIVERSITY}",
        )
    if not -MOST_PENALTY <= asked.length_penalty <= MOST_PENALTY:
        raise SettingsError(
            f"--length-penalty: {-MOST_PENALTY} to {MOST_PENALTY}",
            f"--length-penalty：{-MOST_PENALTY} 到 {MOST_PENALTY}",
        )
    shape = (asked.beams, asked.groups, asked.diversity, asked.tokens, asked.length_penalty)
    groups = [_ends(trained, search) for search in diverse_beam_search(trained, asked.prompt, *shape)]
    lines = [f"{end['score']:8.3f}  {asked.prompt}{end['text']}" for ends in groups for end in ends]
    return Answer({"beams": groups[0]} if asked.groups == 1 else {"groups": groups}, "\n".join(lines))


def _ends(trained: Trained, search: Search) -> list[dict[str, Any]]:
    """The texts that a search ends with."""
    return [
        _text(trained, best.ids) | {"logprob": best.logprob, "length": len(best.ids), "score": best.score}
        for best in search.best
    ]


def _contrasted(asked: Namespace, trained: Trained) -> Answer:
    if not 0 <= asked.contrastive <= 1:
        raise SettingsError("--contrastive: 0 to 1", "--contrastive：0 到 1")
    if not 1 <= asked.candidates <= MOST_CANDIDATES:
        raise SettingsError(f"--candidates: 1 to {MOST_CANDIDATES}", f"--candidates：1 到 {MOST_CANDIDATES}")
    choices = [*contrastive_search(trained, asked.prompt, asked.candidates, asked.contrastive, asked.tokens)]
    document = _text(trained, [choice.token for choice in choices])
    taken = [choice.candidates[choice.taken] for choice in choices]
    terms = {name: [getattr(each, name) for each in taken] for name in ("probability", "penalty", "score")}
    return Answer(document | terms, asked.prompt + document["text"])


def _text(trained: Trained, ids: Sequence[int]) -> dict[str, Any]:
    """A text and its tokens, without its end."""
    pieces = trained.tokenizer.pieces([token for token in ids if token not in trained.tokenizer.vocabulary.ends])
    return {"text": text_of(pieces), "tokens": spellings(pieces)}
