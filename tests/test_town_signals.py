"""What there is to learn from the small town, measured: agreement, reference, order, topics, senses of words."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from lab.corpora.town.chinese import WORDS as CHINESE_WORDS
from lab.corpora.town.english import WORDS as ENGLISH_WORDS
from lab.corpora.town.frames import Person, Story, Thing
from lab.corpora.town.story import tell
from lab.corpora.town_stories import Tongue, render

SEED = 17
MANY = 3000
LEARNT = 2000  # of these, the rest is held out


@cache
def stories() -> list[Story]:
    """What happens in the town, thought out by who asks first: each process collects this file, few run it."""
    return [tell(SEED, number) for number in range(MANY)]


@cache
def sentences(language: Tongue) -> list[list[str]]:
    """The sentences of every story, as many as it has events."""
    end = r"(?<=\.) " if language == "en" else "(?<=。)"
    return [
        [each for each in re.split(end, render(story, SEED, number, language)) if each]
        for number, story in enumerate(stories())
    ]


NEW = {"a", "an", "of", "some", *ENGLISH_WORDS.qualities.values()}
NOUNS = {thing.noun for thing in ENGLISH_WORDS.things.values()}
NAMES = {name for word in ENGLISH_WORDS.names.values() for name in word.lower().split()}


@cache
def parts(sentence: str) -> frozenset[str]:
    """What a bag holds of a sentence: its words without names, or its pairs of characters."""
    if sentence.isascii() or "é" in sentence:
        return frozenset(re.findall(r"[a-zé]+", sentence.lower())) - NAMES
    return frozenset(sentence[at : at + 2] for at in range(len(sentence) - 1))


# --- agreement at a distance


# Kinds of event in which a clause stands between subject and verb: the role of the subject, that of the noun between.
APART = {
    "stood": ("group", "beside"), "goods_stood": ("what", "stall"), "plants_stood": ("what", "edge"),
    "wish_stands": ("what", "toys"),
}  # fmt: skip


def many(subject: object) -> bool:
    """Whether the noun of a subject is a plural, by its look."""
    if isinstance(subject, Thing):
        return ENGLISH_WORDS.things[subject.kind].noun.endswith("s")
    return ENGLISH_WORDS.symbols["group"][str(subject)]["the"].endswith("s")


def test_a_verb_agrees_with_its_subject_and_not_with_the_noun_beside_it() -> None:
    heads, nearest = Counter[str](), 0
    for story, told in zip(stories(), sentences("en"), strict=True):
        for event, sentence in zip(story.events, told, strict=True):
            if event.kind not in APART:
                continue
            subject, beside = APART[event.kind]
            verb = re.findall(r"\b(?:was|were)\b", sentence)[-1]
            head = "were" if many(event.roles[subject]) else "was"
            between = ENGLISH_WORDS.symbols[beside][str(event.roles[beside])][""]
            attractor = "were" if between.endswith("s") else "was"
            assert verb == head, sentence
            heads[head] += 1
            nearest += verb == attractor
    assert min(heads.values()) > 40, "both numbers"
    assert 0.35 < nearest / heads.total() < 0.65, "the noun beside the verb tells nothing"


def test_verbs_of_a_clause_and_of_its_sentence_agree_in_the_present_as_well() -> None:
    seen = Counter[str]()
    for story, told in zip(stories(), sentences("en"), strict=True):
        for event, sentence in zip(story.events, told, strict=True):
            if event.kind != "folk":
                continue
            several = bool(re.match(r'"The (?:\w+s|children) who (?:live|work|know)\b', sentence))
            one = bool(re.match(r'"The \w+ who (?:lives|works|knows)\b', sentence))
            main = re.findall(r"\b(has|is|does|have|are|do)\b", sentence)[0]
            assert several != one and (main in ("have", "are", "do")) == several, sentence
            seen["many" if several else "one"] += 1
    assert min(seen["many"], seen["one"]) > 15


# --- reference across sentences


def test_a_pronoun_often_has_its_only_cue_in_an_earlier_sentence() -> None:
    of = {"f": r"\b(?:she|her|herself)\b", "m": r"\b(?:he|him|his|himself)\b"}
    alone = Counter[str]()
    for story, told in zip(stories(), sentences("en"), strict=True):
        everybody = {role for event in story.events for role in event.roles.values() if isinstance(role, Person)}
        called = {
            gender: [word for each in everybody if each.gender == gender for word in (name(each),)] for gender in "fm"
        }
        for at, sentence in enumerate(told):
            for gender, pronouns in of.items():
                if re.search(pronouns, sentence.lower()) and not any(word in sentence for word in called[gender]):
                    assert any(word in before for before in told[:at] for word in called[gender]), told
                    alone[gender] += 1
    total = alone.total()
    assert total > 0.3 * sum(map(len, sentences("en"))), "a good part of all sentences"
    assert 0.42 < alone["f"] / total < 0.58, "the sentence alone does not tell which"


def name(person: Person) -> str:
    return ENGLISH_WORDS.ties[person.tie][""] if person.name == person.tie else ENGLISH_WORDS.names[person.name]


# --- order and topic


def pairs(language: Tongue) -> list[tuple[int, int]]:
    """A story that is held out, and a sentence of it that has another after it."""
    random = Random(1).random
    return [
        (story, int(random() * (len(sentences(language)[story]) - 1))) for story in range(LEARNT, MANY) for _ in (0, 1)
    ]


@cache
def topics(language: Tongue) -> Callable[[str], np.ndarray]:
    """How likely each plot is, given the bag of one sentence: naive Bayes over the stories to learn from."""
    plots = sorted({story.plot for story in stories()})
    counts: dict[str, np.ndarray] = defaultdict(lambda: np.full(len(plots), 0.02))
    total = np.ones(len(plots))
    for story, told in zip(stories()[:LEARNT], sentences(language), strict=False):
        for sentence in told:
            total[plots.index(story.plot)] += 1
            for part in parts(sentence):
                counts[part][plots.index(story.plot)] += 1
    weights = {part: np.log(count / total) for part, count in counts.items()}

    def likely(sentence: str) -> np.ndarray:
        score = sum((weights[part] for part in parts(sentence) if part in weights), np.zeros(len(plots)))
        chances = np.exp(score - score.max())
        return chances / chances.sum()

    return likely


def together(language: Tongue, first: str, second: str) -> bool:
    """Whether two bags have their topic in common; which of them stands first makes no difference."""
    likely = topics(language)
    return float(likely(first) @ likely(second)) > 0.05


@pytest.mark.parametrize("language", ["en", "zh"])
def test_topic_words_tell_the_next_sentence_from_a_random_one(language: Tongue) -> None:
    texts, right, random = sentences(language), 0, Random(2).random
    for story, at in pairs(language):
        other = texts[LEARNT + int(random() * (MANY - LEARNT))]
        stranger = other[int(random() * len(other))]
        right += together(language, texts[story][at], texts[story][at + 1])
        right += not together(language, texts[story][at], stranger)
    assert right / (2 * len(pairs(language))) > 0.66


@pytest.mark.parametrize("language", ["en", "zh"])
def test_topic_words_do_not_tell_the_order_of_two_sentences(language: Tongue) -> None:
    texts, right, swapped = sentences(language), 0, Random(3).random
    for story, at in pairs(language):
        two = texts[story][at : at + 2]
        swap = swapped() < 0.5
        first, second = reversed(two) if swap else two
        right += together(language, first, second) != swap
    assert 0.47 < right / len(pairs(language)) < 0.53, "a coin, within its chance"


@cache
def moments(language: Tongue) -> dict[str, float]:
    """How far its story has come, from 0 to 1, where a word stands: the mean over the stories to learn from."""
    places: dict[str, list[float]] = defaultdict(list)
    for told in sentences(language)[:LEARNT]:
        for at, sentence in enumerate(told):
            for part in parts(sentence):
                places[part].append(at / (len(told) - 1))
    return {part: float(np.mean(where)) for part, where in places.items() if len(where) > 4}


def moment(language: Tongue, sentence: str) -> float:
    known = moments(language)
    return float(np.mean([known[part] for part in parts(sentence) if part in known] or [0.5]))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_how_far_the_story_has_come_tells_the_order_of_two_sentences(language: Tongue) -> None:
    texts, right = sentences(language), 0
    for story, at in pairs(language):
        first, second = texts[story][at : at + 2]
        right += moment(language, first) < moment(language, second)
    assert right / len(pairs(language)) > 0.75


def test_the_first_mention_of_a_thing_tells_the_order_of_two_sentences() -> None:
    """A sentence with "a kite" stands before one with "the kite" or "his kite"."""
    margins = [
        mentioned_again(second, first) - mentioned_again(first, second)
        for told in sentences("en")
        for first, second in pairwise(told)
    ]
    right, wrong = sum(margin > 0 for margin in margins), sum(margin < 0 for margin in margins)
    assert right > 100 and right / (right + wrong) > 0.75


def mentioned_again(sentence: str, other: str) -> int:
    """How many things of a sentence are new in the other: "the kite" here, "a kite" or "his red kite" there."""
    before = re.compile(r"(?=\b([a-z]+) ([a-z]+))")
    known = {noun for word, noun in before.findall(sentence.lower()) if noun in NOUNS and word in ("the", "his", "her")}
    return len(known & {noun for word, noun in before.findall(other.lower()) if word in NEW})


# --- senses of words

# A word, and the kinds of event whose sayings use it in each of its senses.
SENSES: dict[str, dict[str, str]] = {
    r"\bbanks?\b": {
        "money": "ask_bank bank_lends bank_refuses pay_in bill_check bill_good bill_bad",
        "river": "sit_on_bank",
    },
    r"\bspring\b": {
        "season": "cheerful plant good_answer bad_answer",
        "water": "water hike_way",
        "coil": "mattress_coil",
    },
    r"\bmatch\b": {"game": "behind win_match lose_match", "fire": "light_oven strike_match match_dies"},
    r"\brings?\b": {
        "jewel": "wedding_invite wedding_rings_gone wedding_good wedding_bad",
        "float": "swim_help",
    },
    r"\bletters?\b": {
        "alphabet": "forget_glasses eye_chart",
        "mail": "wait_for_answer good_answer bad_answer hired rejected racket_note bill_office",
    },
    r"\bpark\b": {"a car": "driving_park"},
    r"\bkind\b": {"friendly": "racket_good racket_bad", "sort": "flower dish"},
    r"\bwatch(?:ed)?\b": {"look": "no_bite eat_up", "clock": "train_run"},
    "意思": {"meaning": "article_meaning", "interest": "speech_good speech_bad", "gift": "small_gift"},
    "杜鹃": {"bird": "hike_bird", "flower": "hike_bloom"},
    "打电话|电话打": {"call": "phone_ring computer_try"},
    "打棒球|打鼓|打了一百个球": {"play or hit": "on_the_team swing football_cheer"},
    "打折|打七折": {"cut": "bargain bargain_clerk"},
    "花了攒|花光": {"spend": "bargain"},
    "朵花|拿着花|百合花|开花": {"flower": "arrive wedding_dress hike_bloom"},
}


@pytest.mark.parametrize("word", SENSES)
def test_a_word_of_two_senses_has_one_of_them_in_each_kind_of_event(word: str) -> None:
    sayings = (ENGLISH_WORDS if word.isascii() else CHINESE_WORDS).sayings
    using = {kind for kind, ways in sayings.items() if any(re.search(word, way) for way in ways)}
    known = [kind for kinds in SENSES[word].values() for kind in kinds.split()]
    assert sorted(using) == sorted(known), "a kind of event that uses the word in a sense that nobody has named"


@pytest.mark.parametrize("word", SENSES)
def test_each_sense_of_a_word_is_heard_often_enough_to_be_learnt(word: str) -> None:
    texts = sentences("en" if word.isascii() else "zh")
    heard = Counter(
        event.kind
        for story, told in zip(stories(), texts, strict=True)
        for event, sentence in zip(story.events, told, strict=True)
        if re.search(word, sentence)
    )
    for sense, kinds in SENSES[word].items():
        assert sum(heard[kind] for kind in kinds.split()) >= 8, sense


def test_stories_are_kept_apart_by_their_plots() -> None:
    by_plot: dict[str, list[Story]] = defaultdict(list)
    for story in stories():
        by_plot[story.plot].append(story)
    assert len(by_plot) >= 40 and min(map(len, by_plot.values())) > 30
