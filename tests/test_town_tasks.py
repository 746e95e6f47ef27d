"""Labels for free: what is asked of the town's stories is true by the frames, and only the stories tell it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from lab.catalog import CORPORA, TASKS
from lab.corpora.town.chinese import CHINESE
from lab.corpora.town.english import ENGLISH
from lab.corpora.town.frames import Event, Person, Thing
from lab.corpora.town.story import PLOTS, tell
from lab.corpora.town.words import read
from lab.corpora.town_pairs import LABELS
from lab.corpora.town_sentiment5 import STEPS, sentiment
from lab.corpora.town_stories import document
from lab.corpora.town_tasks.elsewhere import elsewhere, turns
from lab.corpora.town_tasks.facts import facts, otherwise, statement
from lab.corpora.town_tasks.naming import TAGS, entities, tags_of, words_of
from lab.corpora.town_tasks.told import PARTS, Told, TownTask, phrases, told, told_stories, with_hero
from lab.data.reading import parts_of
from lab.examples import Example
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.tasks.metrics.entities import entities as found_in

FOR = {
    "town_topic": "classify",
    "town_sentiment5": "classify",
    "town_acceptability": "classify",
    "town_entities": "tokens",
    "town_pairs": "pairs",
    "town_senses": "pairs",
    "town_questions": "questions",
    "town_translation": "seq2seq",
    "town_summary": "seq2seq",
    "town_similarity": "similarity",
    "town_choice": "choice",
}
LANGUAGES = ("en", "zh")
EVERY = [(name, language) for name in FOR for language in LANGUAGES]


def examples(name: str, language: str = "en", **settings: Any) -> Sequence[Example]:
    entry = CORPORA[name]
    assert entry.examples is not None
    s = entry.settings.load({"stories": 200, "language": language, **settings})
    return entry.examples(s, TASKS[FOR[name]]).examples


def stories(language: str, count: int = 100) -> list[Told]:
    return [*told_stories(TownTask(stories=count, language=language), "train")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_is_narrated_in_the_words_in_which_it_is_told(language: str) -> None:
    narrator = CHINESE if language == "zh" else ENGLISH
    for number in range(150):
        story = tell(0, number)
        sentences = narrator.narrate(story, Random(f"0:{number}:{language}").random)
        text = narrator.between.join(sentence.text for sentence in sentences)
        assert text == document(0, number, "zh" if language == "zh" else "en").text
        for sentence in sentences:
            assert {mention.role for mention in sentence.mentions} <= sentence.event.roles.keys()
            assert all(0 <= each.start <= each.end <= len(sentence.text) for each in sentence.mentions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mention_is_where_its_role_is_said(language: str) -> None:
    """Of a name, a symbol with one form and a thing said in full, the very words stand there."""
    words = read("chinese" if language == "zh" else "english")
    seen = Counter[str]()
    for each in stories(language):
        for sentence in each.sentences:
            for mention in sentence.mentions:
                role, said = sentence.event.roles[mention.role], sentence.said(mention)
                if isinstance(role, Person) and mention.form == "name":
                    assert said == words.names[role.name]
                    seen["name"] += 1
                elif isinstance(role, Thing) and mention.form == "bare":
                    assert said == words.things[role.kind].noun
                elif mention.role == "near":
                    assert (
                        words.symbols["near"][str(role)][""] if language == "zh" else words.places[str(role)].noun
                    ) in said
                    seen["near"] += 1
    assert seen["near"] > 20 and (language == "zh" or seen["name"])


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_corpus_is_learnt_and_checked_on_different_stories(name: str, language: str) -> None:
    task = FOR[name]
    settings = {"stories": 60, "language": language}
    run = Run(
        kind="finetune",
        model="bart" if task == "seq2seq" else "bert",
        objective="denoising" if task == "seq2seq" else "mlm",
        task=task,
        corpus=name,
        corpus_settings=settings,
        training={"steps": 1},
    )
    parts = parts_of(run)
    assert parts.train and parts.valid
    assert not {each.story for each in parts.train} & {each.story for each in parts.valid}
    assert bool(parts.labels) == TASKS[task].names and all(each.text for each in parts.train)
    assert [*examples(name, language, stories=60)] == [*parts.train], "always the same ones"
    assert CORPORA[name].build(CORPORA[name].settings.load({**settings, "stories": 10}))


def test_a_corpus_for_another_task_says_which_it_is_for() -> None:
    with pytest.raises(SettingsError, match="for the task tokens"):
        entry = CORPORA["town_entities"]
        assert entry.examples is not None
        entry.examples(TownTask(stories=10), TASKS["classify"])


def test_the_parts_of_the_town_share_no_story_and_on_demand_no_name() -> None:
    numbers, names, usual = list[set[int]](), list[set[str]](), list[set[str]]()
    for part in PARTS:
        s = TownTask(stories=80, part=part, names_apart=True)
        told_apart = [*told_stories(s, part)]
        numbers.append({each.number for each in told_apart})
        names.append({person.name for each in told_apart for person in each.people})
        plain = told_stories(TownTask(stories=80, part=part), part)
        usual.append({person.name for each in plain for person in each.people})
        for each in told_apart:
            assert len({person.name for person in each.people}) == len(each.people)
    assert not numbers[0] & numbers[1] and not numbers[1] & numbers[2] and not numbers[0] & numbers[2]
    assert not names[0] & names[1] and not names[1] & names[2] and not names[0] & names[2]
    assert usual[0] & usual[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_entities_are_what_the_frames_call_by_these_words(language: str) -> None:
    words = read("chinese" if language == "zh" else "english")
    names, jobs = {*words.names.values()}, {*words.jobs.values()}
    places = {place.noun for place in words.places.values()}
    places |= {forms[""] for forms in words.symbols.get("near", {}).values()}
    seen = Counter[str]()
    for each in stories(language):
        found = entities(each)
        assert all(one[1] <= other[0] for one, other in pairwise(found))  # none overlaps
        for start, end, kind in found:
            said = each.text[start:end]
            seen[kind] += 1
            assert kind == "TIME" or said in {"PER": names, "JOB": jobs, "PLACE": places}[kind]
        spans = words_of(each.text, language)
        tags = [TAGS[tag] for tag in tags_of(spans, found)]
        back = [(each.text[spans[first][0] : spans[last][1]], kind) for kind, first, last in found_in(tags)]
        assert back == [(each.text[start:end], kind) for start, end, kind in found]
    assert min(seen[kind] for kind in ("PER", "JOB", "PLACE", "TIME")) > 10


def test_words_are_cut_where_an_entity_may_end() -> None:
    text = "Anna's ten-year-old cat, too."
    words = [text[start:end] for start, end in words_of(text, "en")]
    assert words == ["Anna", "'s", "ten-year-old", "cat", ",", "too", "."]
    assert tags_of([(0, 4), (5, 6), (7, 9)], [(0, 6, "PER"), (7, 9, "PER")]) == (1, 2, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_stands_in_the_story_and_is_no_pronoun(language: str) -> None:
    asked = examples("town_questions", language, stories=300)
    words, pronouns = phrases("zh" if language == "zh" else "en"), Counter[str]()
    for each in asked:
        assert each.pair[-1] == words["end"] and any(
            word in each.pair.lower() for forms in words["asked"].values() for word in forms.values()
        )
        for start, end in each.answers:
            said = each.text[start:end]
            assert said.strip() == said and said and said.lower() not in words["pronouns"]
            pronouns[said] += 1
    silent = sum(not each.answers for each in asked) / len(asked)
    assert 0.2 < silent < 0.35 and len(pronouns) > 60


def test_a_question_is_asked_in_other_words_than_the_story_s() -> None:
    asked = [each for each in examples("town_questions", stories=300) if each.answers]
    blank = {word for forms in phrases("en")["asked"].values() for word in forms.values()}
    same = 0
    for each in asked:
        kept = [word for word in each.pair.rstrip("?").lower().split() if word not in blank]
        same += all(word in each.text.lower() for word in kept)
    assert same < 0.2 * len(asked)


def test_whoever_does_something_is_asked_for_with_who() -> None:
    asked = [each.pair for each in examples("town_questions", stories=1000)]
    assert "Who knocked on the wall because of the noise?" in asked
    assert not [text for text in asked if text.startswith("Whom")]
    assert [text for text in asked if text.endswith("to whom?")], "but to whom something is done is not"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_statement_that_follows_says_what_was_said(language: str) -> None:
    pairs = examples("town_pairs", language, stories=600)
    times = Counter(each.label for each in pairs)
    assert min(times.values()) > 0.28 * len(pairs)
    halves = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    learnt: dict[str, Counter[int]] = {}
    for each in halves[0]:
        learnt.setdefault(kind(each.pair, language), Counter())[each.label or 0] += 1
    right = sum(learnt[kind(e.pair, language)].most_common(1)[0][0] == e.label for e in halves[1])
    assert right / len(halves[1]) < 0.46, "the statement alone does not tell"


MARKS = {"zh": "年 岁 附近 工作 那时 发生 故事", "en": "old near worked was_in happened The"}


def kind(statement: str, language: str) -> str:
    """Which of the patterns a statement is made by."""
    return next((mark for mark in MARKS[language].split() if mark.replace("_", " ") in statement), "job")


def test_what_a_fact_claims_is_what_a_sentence_told() -> None:
    for each in stories("en", 60):
        for fact in facts(each):
            text = each.sentences[fact.number].text.lower()
            value = statement(each, fact).rstrip(".").split()[-1].lower()
            assert value in text or fact.kind == "age", (statement(each, fact), text)
            changed = otherwise(each, fact)
            assert changed.value != fact.value and statement(each, changed) != statement(each, fact)


COLOURS = {*"red blue green yellow white black light_blue orange pink purple grey brown".split()}
MATERIALS = {*"wooden leather rubber porcelain silk cotton woollen silver gold".split()}
OPPOSITES = ({"small", "huge"}, {"thin", "thick"}, {"long", "short"}, {"light", "heavy"}, {"old", "new"})


def test_a_thing_cannot_have_both_qualities_of_a_contradiction() -> None:
    """A kite is not red and blue; but a candle may be long and white, and a light blue shirt is blue."""
    seen = set[frozenset[str]]()
    for each in stories("en", 1500):
        for fact in facts(each):
            changed = otherwise(each, fact)
            if fact.thing and changed:
                seen.add(frozenset((fact.value, changed.value)))
    for both in seen:
        alike = both <= COLOURS or both <= MATERIALS
        assert (alike and both != {"blue", "light_blue"}) or both in OPPOSITES, both
    assert len(seen) > 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_premise_says_nothing_of_what_it_leaves_open(language: str) -> None:
    """Neither in a fixed phrase, as "in spring", nor beside something else, as "a forty-year-old teacher" does."""
    words = read("chinese" if language == "zh" else "english")
    telling = {
        "was_in": "春 夏 秋 冬" if language == "zh" else "spring summer autumn winter snow",
        "happened": "早上 下午 晚上" if language == "zh" else "morning afternoon evening night",
    }
    of_kind = {mark: said.split() for mark, said in telling.items()} | {"job": [*words.jobs.values()]}
    edge, left_open = "" if language == "zh" else r"\b", Counter[str]()
    for each in examples("town_pairs", language, stories=2500):
        mark = {"那时": "was_in", "发生": "happened"}.get(found := kind(each.pair, language), found)
        mark = "was_in" if each.pair.startswith("It was ") else mark
        if each.label == LABELS.index("neutral") and mark in of_kind:
            left_open[mark] += 1
            assert not re.search(f"{edge}({'|'.join(of_kind[mark])}){edge}", each.text), (each.text, each.pair)
    assert min(left_open[mark] for mark in of_kind) > 20


def test_sentiment_is_by_the_end_and_by_what_went_before() -> None:
    for number in range(200):
        each = told(tell(0, number), 0, number, "en")
        kinds = {event.kind for event in each.story.events}
        step = STEPS[sentiment(each)[0].label or 0]
        assert (step == "mixed") == bool(kinds & {"comfort", "spoilt"})
        assert step == "mixed" or ("good" in step) == bool(each.story.label)
    assert len({each.label for each in examples("town_sentiment5")}) == 5


def test_topics_and_summaries_know_every_plot() -> None:
    plots = {plot.__name__ for plot, _ in PLOTS}
    for language in LANGUAGES:
        assert {*phrases("zh" if language == "zh" else "en")["topics"]} == plots
        for each in examples("town_summary", language, stories=20):
            assert len(each.targets) == 1 and len(each.targets[0]) < 100
    story = tell(0, 0)
    summary = examples("town_summary", stories=10)[0].targets[0]
    assert read("english").names[story.hero.name] in summary
    assert ("well" in summary) == bool(story.label)


def test_a_translation_tells_the_same_event() -> None:
    there, back = examples("town_translation", "en", stories=30), examples("town_translation", "zh", stories=30)
    assert [(each.text, each.targets[0]) for each in there] == [(each.targets[0], each.text) for each in back]
    assert all(each.text.isascii() and not each.targets[0].isascii() for each in there)


def test_sentences_are_the_more_alike_the_more_their_events_share() -> None:
    pairs = examples("town_similarity", stories=400)
    shared = {value: list[float]() for value in (0.0, 1.0, 3.0, 5.0)}
    for each in pairs:
        one, other = ({*text.lower().split()} for text in (each.text, each.pair))
        shared[each.value].append(len(one & other) / len(one | other))
    means = {value: sum(of) / len(of) for value, of in shared.items()}
    assert means[0.0] < means[1.0] < means[3.0] and means[0.0] < means[5.0] < means[3.0], "words alone mislead"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_likened_to_itself(language: str) -> None:
    pairs = examples("town_similarity", language, stories=1000)
    assert len(pairs) > 1800 and all(each.text != each.pair for each in pairs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_goes_on_as_it_was_told_to(language: str) -> None:
    """The right choice tells the event that comes next, in the way of the story, and nobody is named but its people."""
    told_by = {each.number: each for each in stories(language, 200)}
    asked = examples("town_choice", language)
    assert len(asked) > 0.8 * len(told_by)
    for each in asked:
        of = told_by[each.story or 0]
        here = {of.words.names[person.name] for person in of.people}
        assert each.text in of.text
        end = of.text.index(each.text) + len(each.text)
        number = next(n for n, start in enumerate(of.starts) if start >= end)
        sentence = of.sentences[number]
        told_again = {
            of.narrator.alone(sentence.event, sentence.way, of.story.hero, Random(dice).random).text
            for dice in range(20)
        }
        assert each.choices[each.label or 0] in told_again
        assert len({*each.choices}) == 4
        for text in each.choices:
            assert of.words.names[of.story.hero.name] in text
            others = {*of.words.names.values()} - here
            assert language == "zh" or not words_in(text) & others


def words_in(text: str, language: str = "en") -> set[str]:
    return {text[start:end] for start, end in words_of(text, language)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_what_was_told_before_says_how_a_story_goes_on(language: str) -> None:
    """Neither the place of a choice, nor its length, nor its words, nor those that it shares with the story."""
    asked = examples("town_choice", language, stories=1200)
    places = Counter(each.label for each in asked)
    assert {*places} == {0, 1, 2, 3} and all(0.2 < times / len(asked) < 0.3 for times in places.values())
    assert 0.25 <= TASKS["choice"].yardsticks((), asked, ())["overlap"] <= 0.4
    for extreme in (min, max):
        lengths = [[len(text) for text in each.choices] for each in asked]
        assert right([each.index(extreme(each)) for each in lengths], asked) < 0.35
    half, odds = len(asked) // 2, Counter[str]()
    for each in asked[:half]:
        for number, text in enumerate(each.choices):
            odds.update(dict.fromkeys(words_in(text, language), 3 if number == each.label else -1))
    by_words = [
        int(np.argmax([sum(odds[word] for word in words_in(text, language)) for text in each.choices]))
        for each in asked[half:]
    ]
    assert right(by_words, asked[half:]) < 0.4


def right(said: Sequence[int], asked: Sequence[Example]) -> float:
    return sum(number == each.label for number, each in zip(said, asked, strict=True)) / len(asked)


def test_what_belongs_to_somebody_belongs_to_whoever_takes_their_part() -> None:
    old, new = Person("anna", "f", 10, "pupil"), Person("tom", "m", 12, "pupil")
    event = with_hero(Event("put", {"who": old, "what": Thing("ring", owner=old), "spot": "box"}), old, new)
    assert event.roles == {"who": new, "what": Thing("ring", owner=new), "spot": "box"}


def test_what_happens_elsewhere_is_told_in_no_corpus_and_belongs_to_few_plots() -> None:
    first, second = (elsewhere(next(told_stories(TownTask(stories=10), part))) for part in ("train", "validation"))
    assert {event.kind for event, _ in first.events} <= first.plots.keys()
    assert all(len(plots) <= 3 for plots in first.plots.values())
    assert "water" in first.plots and not {"happy_end", "worry", "cheerful", "child"} & first.plots.keys()
    assert first.events[0] != second.events[0], "each part of the town has its own"
    story = tell(0, 0)
    following = turns(story.events, story.hero, first.plots)
    assert following and following[0] is not next(e for e in story.events if e.kind in first.plots)


def test_a_name_that_another_part_keeps_is_in_no_choice() -> None:
    asked = examples("town_choice", names_apart=True)
    own = {
        person.name for each in told_stories(TownTask(stories=200, names_apart=True), "train") for person in each.people
    }
    strange = {name for key, name in read("english").names.items() if key not in own}
    assert strange and not any(words_in(text) & strange for each in asked for text in (each.text, *each.choices))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sound_sentence_is_the_story_s_and_a_broken_one_is_not(language: str) -> None:
    told_by = {each.number: each for each in stories(language, 200)}
    judged = examples("town_acceptability", language)
    for each in judged:
        sentences = {sentence.text for sentence in told_by[each.story or 0].sentences}
        assert (each.text in sentences) == bool(each.label)
    assert 0.4 < sum(each.label or 0 for each in judged) / len(judged) < 0.6


def test_a_name_keeps_its_capital_in_a_broken_sentence() -> None:
    """Of "Nina wept into the pillow." becomes "Wept Nina into the pillow.", which only its order betrays."""
    named = {each.number: names_in(each) for each in stories("en", 1000)}
    broken = [each for each in examples("town_acceptability", stories=1000) if not each.label]
    lowered = [each.text for each in broken if words_in(each.text) & {name.lower() for name in named[each.story or 0]}]
    assert not lowered
    assert not [each.text for each in broken if each.text.startswith("Ying Huang ")], "a name like another is sound"
    assert any(each.text.split()[1] in named[each.story or 0] for each in broken)


def names_in(told: Told) -> set[str]:
    return {part for person in told.people for part in told.words.names[person.name].split()}


def test_a_word_has_the_sense_of_its_event(tmp_path: Path) -> None:
    entry = CORPORA["town_senses"]
    assert entry.examples is not None
    found = entry.examples(TownTask(stories=1500), TASKS["pairs"])
    river = [each.text for each in found.examples if found.labels[each.label or 0] == "bank (river)"]
    money = [each.text for each in found.examples if found.labels[each.label or 0] == "bank (money)"]
    assert river and all("bank" in text and "money" not in text for text in river)
    assert money and not any("river" in text for text in money)
    times = Counter(each.pair for each in found.examples)
    assert set(times) == {"bank", "spring", "bat", "light", "match"}
    for word in times:
        assert len({each.label for each in found.examples if each.pair == word}) > 1
