"""A story of the town tells how likely it was: a tiny town is told in every possible way, and all of them counted."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import pytest
from tiny import plan, shape

from lab.batch import Document
from lab.corpora.town import story, teller, world
from lab.corpora.town.chinese import CHINESE
from lab.corpora.town.draws import Account, Number, Symbol, Way
from lab.corpora.town.english import ENGLISH
from lab.corpora.town.teller import Teller
from lab.corpora.town_stories import documents
from lab.data.batches import Batches
from lab.data.corpus import documents_of, prepare, split
from lab.data.stream import facts_of
from lab.runs.folder import RunFolder
from lab.training.evaluate import floor_of

TWO_WAYS = ("child", "treasure", "happy_end")  # to say what happens: each doubles the stories that there are


class Roll:
    """A number from 0 to 1 of which only that is decided which somebody asks for."""

    def __init__(self, decide: Callable[[Sequence[float]], int], options: int = 0) -> None:
        self.decide, self.options = decide, options

    def __lt__(self, share: float) -> bool:
        return not self.decide((share, 1 - share))

    def __mul__(self, options: int) -> "Roll":
        return Roll(self.decide, options)

    def __int__(self) -> int:
        return self.decide([1 / self.options] * self.options)


class Everything:
    """Goes through all that dice may decide, one after the other, with the probability of each."""

    def __init__(self) -> None:
        self.path: list[int] = []
        self.widths: list[int] = []

    def each(self, tell: Callable[[Any], Any]) -> Any:
        """What ``tell`` gives with each possible outcome, and how likely that is."""
        while True:
            self.at, self.probability, self.widths = 0, 1.0, []
            outcome = tell(lambda: Roll(self.decide))
            yield outcome, self.probability
            while self.path and self.path[-1] == self.widths[len(self.path) - 1] - 1:
                self.path.pop()
            if not self.path:
                return
            self.path[-1] += 1

    def decide(self, shares: Sequence[float]) -> int:
        if self.at == len(self.path):
            self.path.append(0)
        self.widths.append(len(shares))
        decided = self.path[self.at]
        self.at += 1
        self.probability *= shares[decided]
        return decided


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A town with two children, an aunt who brings luck and an uncle who does not, rings of two qualities, and two ways
    to say some things. For how many years somebody has lived there is drawn, and never said of a child."""

    def dear(t: Teller) -> None:
        giver = t.kin(("aunt",) if t.good else ("uncle",))
        t.happens("treasure", what=t.thing("ring", owned=True), whom=giver)

    monkeypatch.setattr(story, "PLOTS", ((dear, ("child",)),))
    monkeypatch.setattr(story, "TWISTED", 1e-300)
    monkeypatch.setattr(story.asides, "portrait", lambda t: None)
    monkeypatch.setitem(world.THINGS, "ring", ("silver", "gold"))
    monkeypatch.setattr(teller, "AGES", {"child": (7, 7)})
    monkeypatch.setattr(world, "WOMEN", ("anna",))
    monkeypatch.setattr(world, "MEN", ("tom",))
    monkeypatch.setattr(world, "NEAR", ("bridge",))
    monkeypatch.setattr(teller, "Way", lambda roll: roll)
    monkeypatch.setattr(Teller, "number", lambda t, least, count: Number(t.draw(range(least, least + 2)), 2))
    for narrator in (ENGLISH, CHINESE):
        two = {kind: ways[: 1 + (kind in TWO_WAYS)] for kind, ways in narrator._sayings.items()}
        monkeypatch.setattr(narrator, "_sayings", two)


@pytest.mark.parametrize("narrator", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.usefixtures("tiny")
def test_the_surprisal_of_every_story_of_a_tiny_town_is_exact(narrator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dice: list[Any] = []
    monkeypatch.setattr(story, "Random", lambda _: type("Dice", (), {"random": staticmethod(lambda: dice[0]())}))

    def told(random: Any) -> tuple[str, float]:
        dice[:] = [random]
        happened, account = story.tell(0, 0), Account()
        account.nats = happened.nats
        return narrator.tell(happened, random, account), account.nats

    probabilities, surprisals = defaultdict[str, float](float), defaultdict[str, set[float]](set)
    for (text, nats), probability in Everything().each(told):
        probabilities[text] += probability
        surprisals[text].add(round(nats, 9))
    assert len(probabilities) > 100 and isclose(sum(probabilities.values()), 1)
    for text, probability in probabilities.items():
        (nats,) = surprisals[text]
        assert isclose(exp(-nats), probability, rel_tol=1e-6), text
    entropy = -sum(p * log(p) for p in probabilities.values())
    assert isclose(entropy, sum(p * next(iter(surprisals[text])) for text, p in probabilities.items()), rel_tol=1e-6)


def test_what_is_not_said_does_not_surprise() -> None:
    account, age = Account(), Number(9, 8)
    assert not account.nats
    account.hear(age)
    account.hear(age)
    account.hear("a word that nobody drew")
    assert account.nats == log(8)


def test_one_that_stands_twice_among_the_options_is_twice_as_likely() -> None:
    told = Teller(lambda: 0.0, "child", good=True, brief=False)
    assert told.one(("hope", "hope", "worry")).nats == log(3 / 2)
    assert isclose(sum(exp(-_ranked(at).nats) for at in (0.1, 0.6, 0.9)), 1)


def _ranked(at: float) -> Symbol:
    told = Teller(lambda: at, "child", good=True, brief=False)
    return told.ranked(("a", "b", "c"))


def test_a_second_language_surprises_only_by_what_is_new() -> None:
    way, account = Way(0.4), Account()
    assert account.pick(way, 2) == 0 and isclose(account.nats, log(2))
    assert account.pick(way, 4) == 1 and isclose(account.nats, log(4))  # one of two quarters in the lower half
    assert account.pick(way, 2) == 0 and isclose(account.nats, log(4))
    english, chinese = documents(0, 3, ("en", "zh"))
    alone = documents(0, 3, ("zh",))[0]
    assert chinese.text == alone.text and chinese.nats is not None and alone.nats is not None
    assert english.nats == documents(0, 3, ("en",))[0].nats and 0 < chinese.nats < alone.nats / 2


@pytest.mark.parametrize(("objective", "known"), [("clm", True), ("mlm", False), ("prefix_lm", False)])
def test_the_floor_is_the_entropy_of_the_text_that_is_checked_on(tmp_path: Path, objective: str, known: bool) -> None:
    model = "gpt" if objective == "clm" else "bert"
    run = plan(model=model, shape=shape(model), objective=objective, corpus_settings={"stories": 40, "seed": 3})
    ready = prepare(RunFolder.create(run, tmp_path / "run"))
    feed = Batches(run, ready.valid, ready.tokenizer.vocabulary, validating=True)
    held = split(documents_of(run))[1]
    tokens = sum(len(ready.tokenizer.encode(document.text)) + 1 for document in held)
    nats = sum(document.nats or 0.0 for document in held)
    assert floor_of(feed) == ({"floor": round(nats / tokens, 6)} if known else {})
    again = prepare(RunFolder.create(run, tmp_path / "again"))  # from the cache
    assert again.valid.nats == ready.valid.nats == nats


def test_a_text_that_nobody_drew_has_no_floor() -> None:
    assert facts_of([Document("one", nats=2.0), Document("two")])["nats"] is None and facts_of([])["nats"] is None
    assert facts_of([Document("one", nats=2.0), Document("two", nats=0.5)]) == {"nats": 2.5, "bytes": 6}
