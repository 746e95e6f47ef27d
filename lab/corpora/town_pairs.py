"""Inference in the small town: whether a statement follows from a stretch of a story, contradicts it, or neither.

The premise is two sentences of a story. A statement that follows says again what one of them says of somebody or
something; one that contradicts it says of the same what cannot hold as well; and the rest are about what the two do
not tell. Values come from the same lists, so that the statement alone does not give the answer away.
"""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_tasks.facts import Fact, anything, facts, life, otherwise, speaks_of, statement
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example

LABELS = ENTAILMENT, NEUTRAL, CONTRADICTION = ("entailment", "neutral", "contradiction")
EACH = 3  # pairs of a story, at most
# How readily a statement about nothing told is of each kind, lest its kind betray it: stories tell of all of them, but
# few premises are silent on the hero's work, and nearly all on the season.
OFTEN = {"age": 4, "job": 16, "near": 2, "where": 12, "season": 0.1, "part": 0.1, "quality": 20}
WORK = ("job", "where")  # of which each tells about the other
OPEN_TO = {"child": {*WORK}, "elder": {"where"}}  # of whom one cannot think that


def paired(told: Told) -> list[Example]:
    """Some premises of the story, each with a statement of a kind that the dice choose."""
    all_facts, numbers = facts(told), sorted({fact.number for fact in facts(told)})
    told.dice.shuffle(numbers)
    pairs = list[Example]()
    for number in numbers[:EACH]:
        first = max(0, number - 1)
        told_facts = [fact for fact in all_facts if first <= fact.number <= number]
        premise = told.narrator.between.join(sentence.text for sentence in told.sentences[first : number + 1]).strip()
        label = told.dice.choice(LABELS)
        claim = _neutral(told, told_facts, premise) if label == NEUTRAL else _claim(told, told_facts, number, label)
        if claim is not None:
            about = statement(told, claim)
            pairs.append(Example(premise, pair=about, label=LABELS.index(label), story=told.number))
    return pairs


def _claim(told: Told, told_facts: list[Fact], number: int, label: str) -> Fact:
    """A fact that the last sentence of the premise tells, or what it might have been."""
    fact = told.dice.choice([fact for fact in told_facts if fact.number == number])
    return fact if label == ENTAILMENT else otherwise(told, fact)


def _neutral(told: Told, told_facts: list[Fact], premise: str) -> Fact | None:
    """A fact of a kind about which the premise has not a word."""
    silent = {*OFTEN} - {"quality"} - OPEN_TO.get(life(told), set())
    silent -= {each for fact in told_facts for each in (WORK if fact.kind in WORK else (fact.kind,))}
    kinds = sorted(kind for kind in silent if not speaks_of(told, kind, premise))
    other = [fact for fact in facts(told) if fact.thing and fact.thing not in [each.thing for each in told_facts]]
    kinds += ["quality"] * bool(other)
    if not kinds:
        return None
    kind = told.dice.choices(kinds, [OFTEN[kind] for kind in kinds])[0]
    return told.dice.choice(other) if kind == "quality" else anything(told, kind)


@CORPORA.add(
    "town_pairs",
    title="Town: inference",
    zh=("小镇：文本蕴含", "小镇故事的片段与一个陈述：蕴含、无关或矛盾，用于句对分类。"),
    order=23,
    **hooks("pairs", paired, LABELS),
)
def town_pairs(s: TownTask) -> list[Document]:
    """Stretches of stories with a statement that follows, contradicts or does neither: for sentence pairs."""
    return texts(s)
