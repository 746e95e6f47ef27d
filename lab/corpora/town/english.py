"""How English says people, things and sentences: articles, pronouns, capitals."""

from lab.corpora.town.frames import Person, Thing
from lab.corpora.town.wording import Form, Language, Narrator, Telling
from lab.corpora.town.words import read

WORDS = read("english")

_PRONOUNS = {
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
}
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty".split()


def article(phrase: str) -> str:
    """The phrase with "a" or "an", by its first sound."""
    vowel = phrase[0] in "aeiou" and not phrase.startswith(("uni", "use", "one", "eu"))
    return f"an {phrase}" if vowel else f"a {phrase}"


def number(n: int) -> str:
    if n < 20:
        return _NUMBERS[n]
    return _TENS[n // 10] + (f"-{_NUMBERS[n % 10]}" if n % 10 else "")


def _person(pronoun: str) -> Form:
    """The pronoun where it is clear (and now and then the name all the same), else a name or description."""

    def say(telling: Telling, person: Person) -> str:
        if telling.clear(person) and (telling.now(person) or telling.chance(0.78)):
            telling.mention(person)
            return _PRONOUNS[person.gender][pronoun]
        name = _describe(telling, person)
        return f"{name}'s" if pronoun == "his" else name

    return say


def _pronoun(form: str) -> Form:
    def say(telling: Telling, person: Person) -> str:
        telling.mention(person)
        return _PRONOUNS[person.gender][form]

    return say


def _describe(telling: Telling, person: Person) -> str:
    """A name or description, fuller where the person is new: "his friend Tom", then "Tom"."""
    owner, introduced = _hero_s(telling), telling.knows(person)
    telling.mention(person)
    if person.tie == "stranger":
        telling.account.hear(person.job)
        job = WORDS.jobs[person.job]
        if not introduced:
            return f"{article(job)} named {WORDS.names[person.name]}"
        return WORDS.names[person.name] if telling.chance(0.6) else f"the {job}"
    if not introduced:
        telling.account.hear(person.tie)
    if person.name == person.tie:
        return f"{owner} {_tie(person)}"
    return _name(person) if introduced or not person.tie else f"{owner} {_tie(person)} {_name(person)}"


def _tie(person: Person) -> str:
    return WORDS.ties[person.tie][""]


def _hero_s(telling: Telling) -> str:
    hero = telling.hero
    if telling.now(hero) or telling.clear(hero):
        return _PRONOUNS[hero.gender]["his"]
    return f"{_name(hero)}'s"


def _name(person: Person) -> str:
    return WORDS.names[person.name]


def _named(telling: Telling, person: Person) -> str:
    telling.mention(person)
    return _name(person)


def _aged(telling: Telling, person: Person) -> str:
    telling.account.hear(person.age)
    telling.account.hear(person.job)
    child = "girl" if person.gender == "f" else "boy"
    return article(f"{number(person.age)}-year-old {child if person.job == 'pupil' else WORDS.jobs[person.job]}")


def _first_noun(telling: Telling, thing: Thing) -> str:
    opener = WORDS.things[thing.kind].opener
    return article(_full(telling, thing)) if opener == "a" else f"{opener} {_full(telling, thing)}"


def _full(telling: Telling, thing: Thing) -> str:
    telling.account.hear(thing.quality)
    noun = WORDS.things[thing.kind].noun
    return f"{WORDS.qualities[thing.quality]} {noun}" if thing.quality else noun


def _owned_noun(telling: Telling, thing: Thing, full: bool) -> str:
    assert thing.owner is not None
    noun = _full(telling, thing) if full else WORDS.things[thing.kind].noun
    return f"{_person('his')(telling, thing.owner)} {noun}"


def _own(telling: Telling, thing: Thing) -> str:
    """Her old guitar, where the sentence has just named who lends it."""
    assert thing.owner is not None
    telling.mention_thing(thing)
    return f"{_PRONOUNS[thing.owner.gender]['his']} {_full(telling, thing)}"


def _age(telling: Telling, person: Person) -> str:
    telling.account.hear(person.age)
    return number(person.age)


def _job(telling: Telling, person: Person) -> str:
    telling.account.hear(person.job)
    return article(WORDS.jobs[person.job])


def _bare(telling: Telling, thing: Thing) -> str:
    telling.account.hear(thing.kind)
    return WORDS.things[thing.kind].noun


def _indefinite(telling: Telling, thing: Thing) -> str:
    telling.mention_thing(thing)
    return _first_noun(telling, thing)


def _definite(telling: Telling, thing: Thing) -> str:
    telling.mention_thing(thing)
    return f"the {WORDS.things[thing.kind].noun}"


def _thing(pronoun: str) -> Form:
    """A thing is new ("a red kite", "his red kite"), clear ("it") or known ("the kite", "his kite")."""

    def say(telling: Telling, thing: Thing) -> str:
        if not telling.knows(thing):
            noun = _owned_noun(telling, thing, full=True) if thing.owner else _first_noun(telling, thing)
        elif telling.clear_thing(thing) and telling.chance(0.45):
            noun = _thing_pronoun(thing, pronoun)
        elif thing.owner and telling.clear(thing.owner) and telling.chance(0.4):
            noun = _owned_noun(telling, thing, full=False)
        else:
            noun = f"the {WORDS.things[thing.kind].noun}"
        telling.mention_thing(thing)
        return noun

    return say


def _thing_pronoun(thing: Thing, form: str) -> str:
    many = WORDS.things[thing.kind].plural
    return {"they": ("it", "they"), "them": ("it", "them"), "their": ("its", "their"), "was": ("was", "were")}[form][
        many
    ]


def _forced(form: str) -> Form:
    return lambda telling, thing: _thing_pronoun(thing, form)


def finish(link: str, body: str) -> str:
    """Link and sentence, opened with a capital. A sentence that opens with speech takes no link."""
    if body[0] == '"':
        return body[0] + body[1].upper() + body[2:]
    text = f"{link} {body}" if link else body
    return text[0].upper() + text[1:]


def _numbers() -> dict[int, dict[str, str]]:
    return {n: {"": number(n)} for n in range(1, 60)}


ENGLISH = Narrator(
    Language(
        people={
            "": _person("he"),
            "obj": _person("him"),
            "poss": _person("his"),
            **{form: _pronoun(form) for form in ("he", "him", "his", "himself")},
            "name": _named,
            "age": _age,
            "aged": _aged,
            "job": _job,
        },
        things={
            "": _thing("they"),
            "obj": _thing("them"),
            "a": _indefinite,
            "the": _definite,
            "own": _own,
            "bare": _bare,
            **{form: _forced(form) for form in ("they", "them", "their", "was")},
        },
        symbols={
            **WORDS.symbols,
            "where": {
                symbol: {
                    "the": f"the {place.noun}",
                    "at": f"{place.at} the {place.noun}",
                    "to": f"to the {place.noun}",
                    "errand": place.errand,
                }
                for symbol, place in WORDS.places.items()
            },
            "near": {symbol: {"": f"the {place.noun}"} for symbol, place in WORDS.places.items()},
            "job": {job: {"a": article(noun), "": noun} for job, noun in WORDS.jobs.items()},
            "years": _numbers(),
            "hours": _numbers(),
            "weeks": _numbers(),
        },
        links=WORDS.links,
        sayings=WORDS.sayings,
        between=" ",
        finish=finish,
    )
)
