"""Questions about the small town's stories, whose answers stand in the text, or do not.

An event of the story is told in another way than there, with a question word in the place of one role; the answer is
what the story says in that role. A quarter of the questions are about an event that another story tells.
"""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.story import tell
from lab.corpora.town.teller import AGES
from lab.corpora.town_tasks.asking import answer, questions
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts, with_hero
from lab.examples import Example

EACH = 3  # questions about a story
SILENT = 0.25  # the share of questions without an answer


def asked(told: Told) -> list[Example]:
    """Some questions about the story."""
    numbers, examples = list(range(len(told.sentences))), list[Example]()
    told.dice.shuffle(numbers)
    answered = (made for number in numbers if (made := _answered(told, number)))
    for _ in range(EACH):
        made = _silent(told) if told.dice.random() < SILENT else next(answered, None)
        examples += [made] if made else []
    return examples


def _answered(told: Told, number: int) -> Example | None:
    """A question about one sentence of the story, in other words than its own where there are any."""
    event = told.sentences[number].event
    made = [(role, text, way) for role, text, way in questions(told, event) if answer(told, number, role)]
    others = [each for each in made if each[2] != told.sentences[number].way] or made
    if not others:
        return None
    role, text, _ = told.dice.choice(others)
    span = answer(told, number, role)
    assert span is not None
    return Example(told.text, pair=text, answers=(span,), story=told.number)


def _silent(told: Told) -> Example | None:
    """A question about an event of another story, as if it had happened to this one's hero."""
    other, hero = tell(told.dice.randrange(2**31), told.number), told.story.hero
    here = {event.kind for event in told.story.events} | {*AGES}  # every story says how old its hero is
    strange = [event for event in other.events if event.kind not in here]
    told.dice.shuffle(strange)
    for event in strange:
        made = [*questions(told, with_hero(event, other.hero, hero))]
        if made:
            return Example(told.text, pair=told.dice.choice(made)[1], story=told.number)
    return None


@CORPORA.add(
    "town_questions",
    title="Town: questions",
    zh=("小镇：问答", "关于小镇故事的问题，答案是文中的片段；四分之一没有答案，用于抽取式问答。"),
    order=24,
    **hooks("questions", asked),
)
def town_questions(s: TownTask) -> list[Document]:
    """Questions about stories of the town, a quarter of them without an answer: for extractive question answering."""
    return texts(s)
