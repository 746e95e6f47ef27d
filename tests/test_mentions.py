"""Coreference and agreement in the town: who is meant and what agrees is what the story's roles say."""

from lab.corpora.town.story import tell
from lab.corpora.town_tasks.mentions import PRONOUNS, Linked, agreement, coreference
from lab.corpora.town_tasks.told import Tongue, told

GENDER = {"she": "f", "her": "f", "he": "m", "him": "m", "his": "m", "她": "f", "他": "m"}


def words(linked: Linked) -> list[tuple[str, list[str]]]:
    def said(span: tuple[int, int]) -> str:
        return linked.text[span[0] : span[1]]

    return [(said(word), [*map(said, others)]) for word, others in linked.links]


def story(number: int, language: Tongue) -> Linked:
    return coreference(told(tell(1, number), 1, number, language))


def test_pronouns_of_one_story_by_hand() -> None:
    first = words(story(5, "en"))[0]
    assert first == ("her", ["Zhao Min", "an eight-year-old girl"])
    bracelet = next(each for each in words(story(5, "en")) if each[0] == "it")
    assert bracelet == ("it", ["a gold bracelet"])
    assert words(story(5, "zh"))[0][0] == "她" and "赵敏" in words(story(5, "zh"))[0][1]


def test_a_pronoun_belongs_to_what_was_said_before_and_to_one_gender() -> None:
    tongues: tuple[Tongue, ...] = ("en", "zh")
    for number in range(40):
        for linked in (story(number, language) for language in tongues):
            for word, others in linked.links:
                assert others and all(end <= word[0] for _, end in others)
            for said, before in words(linked):
                assert said.lower() in PRONOUNS
                known = {GENDER[other.lower()] for other in before if other.lower() in GENDER}
                assert said.lower() not in GENDER or known <= {GENDER[said.lower()]}


def test_a_verb_agrees_with_a_subject_that_does_not_stand_beside_it() -> None:
    found = [each for number in range(900) for each in agreement(told(tell(2, number), 2, number, "en"))]
    assert len(found) > 20
    for linked in found:
        for verb, subjects in words(linked):
            assert verb in ("was", "were") and len(subjects) == 1
        ((verb_at, ((_, end),)),) = linked.links
        assert linked.text[end : verb_at[0]].strip()  # there is something between them
    assert {verb for linked in found for verb, _ in words(linked)} == {"was", "were"}
    assert not [each for number in range(100) for each in agreement(told(tell(2, number), 2, number, "zh"))]
