"""How Chinese says people, things and sentences: measure words, pronouns, no capitals and no spaces."""

from lab.corpora.town.frames import Person, Thing
from lab.corpora.town.wording import Language, Narrator, Telling
from lab.corpora.town.words import read

WORDS = read("chinese")

_PRONOUNS = {"f": "她", "m": "他"}
_DIGITS = "零一二三四五六七八九"


def number(n: int) -> str:
    """A number of years, hours, ... up to 99; two is 两 before a measure word."""
    tens, ones = divmod(n, 10)
    if not tens:
        return "两" if n == 2 else _DIGITS[n]
    return ("" if tens == 1 else _DIGITS[tens]) + "十" + (_DIGITS[ones] if ones else "")


def _person(telling: Telling, person: Person) -> str:
    """The pronoun where it is clear (and now and then the name all the same), else a name or description."""
    if telling.clear(person) and (telling.now(person) or telling.chance(0.7)):
        return _pronoun(telling, person)
    return _describe(telling, person)


def _pronoun(telling: Telling, person: Person) -> str:
    telling.mention(person)
    return _PRONOUNS[person.gender]


def _describe(telling: Telling, person: Person) -> str:
    """A name or description, fuller where the person is new: 他的朋友汤姆, then 汤姆."""
    hero, introduced = telling.hero, telling.knows(person)
    near = telling.now(hero) or telling.clear(hero)
    owner = _PRONOUNS[hero.gender] if near else WORDS.names[hero.name]
    telling.mention(person)
    if person.tie == "stranger":
        telling.account.hear(person.job)
        job = WORDS.jobs[person.job]
        if not introduced:
            return f"一位名叫{WORDS.names[person.name]}的{job}"
        return WORDS.names[person.name] if telling.chance(0.6) else f"那位{job}"
    if not introduced:
        telling.account.hear(person.tie)
    if person.name == person.tie:
        return f"{owner}{_tie(person)}" if near else f"{owner}的{_tie(person)}"
    return (
        WORDS.names[person.name]
        if introduced or not person.tie
        else f"{owner}的{_tie(person)}{WORDS.names[person.name]}"
    )


def _tie(person: Person) -> str:
    forms = WORDS.ties[person.tie]
    return forms.get("") or forms[person.gender]


def _named(telling: Telling, person: Person) -> str:
    telling.mention(person)
    return WORDS.names[person.name]


def _full(telling: Telling, thing: Thing) -> str:
    """Measure word, quality and noun: 只红色的风筝."""
    telling.account.hear(thing.quality)
    words = WORDS.things[thing.kind]
    return f"{words.opener}{WORDS.qualities[thing.quality] if thing.quality else ''}{words.noun}"


def _age(telling: Telling, person: Person) -> str:
    telling.account.hear(person.age)
    return number(person.age)


def _job(telling: Telling, person: Person) -> str:
    telling.account.hear(person.job)
    return WORDS.jobs[person.job]


def _bare(telling: Telling, thing: Thing) -> str:
    telling.account.hear(thing.kind)
    return WORDS.things[thing.kind].noun


def _that(telling: Telling, thing: Thing) -> str:
    telling.account.hear(thing.kind)
    return f"那{_full(telling, thing)}"


def _indefinite(telling: Telling, thing: Thing) -> str:
    telling.mention_thing(thing)
    return f"一{_full(telling, thing)}"


def _thing(telling: Telling, thing: Thing) -> str:
    """A thing is new (一只红色的风筝, 他那只红色的风筝), clear (它) or known (那只风筝, 风筝)."""
    words = WORDS.things[thing.kind]
    noun = words.noun
    if not telling.knows(thing):
        that = f"那{_full(telling, thing)}" if thing.quality else f"的{noun}"
        wording = f"{_person(telling, thing.owner)}{that}" if thing.owner else f"一{_full(telling, thing)}"
    elif telling.clear_thing(thing) and telling.chance(0.25):
        wording = "它们" if words.plural else "它"
    elif thing.owner and telling.clear(thing.owner) and telling.chance(0.4):
        wording = f"{_pronoun(telling, thing.owner)}的{noun}"
    else:
        wording = f"那{words.opener}{noun}" if telling.chance(0.6) else noun
    telling.mention_thing(thing)
    return wording


def finish(link: str, body: str) -> str:
    """Link and sentence. A sentence that opens with speech takes no link."""
    return body if body[0] == "“" else link + body


# Verbs that Chinese chooses by the thing.
_WEAR = {"scarf": "围上"} | dict.fromkeys(
    ("gloves", "mittens", "straw_hat", "fur_hat", "cap", "sunglasses", "earmuffs"), "戴上"
)
_DRINKS = ("soup", "broth", "porridge", "milk")
_PLAY = {"drum": "打"}
_PLAY |= dict.fromkeys(("violin", "cello", "accordion"), "拉")
_PLAY |= dict.fromkeys(("guitar", "banjo", "mandolin"), "弹")
_PLAY |= dict.fromkeys(("flute", "clarinet", "oboe", "saxophone", "trumpet", "trombone"), "吹")
_NUMBERS = {n: {"": number(n)} for n in range(1, 60)}

CHINESE = Narrator(
    Language(
        people={
            "": _person,
            "he": _pronoun,
            "name": _named,
            "age": _age,
            "child": lambda telling, person: "女孩" if person.gender == "f" else "男孩",
            "job": _job,
        },
        things={
            "": _thing,
            "a": _indefinite,
            "bare": _bare,
            "it": lambda telling, thing: "它们" if WORDS.things[thing.kind].plural else "它",
            "that": _that,
            "wear": lambda telling, thing: _WEAR.get(thing.kind, "穿上"),
            "eat": lambda telling, thing: "喝" if thing.kind in _DRINKS else "吃",
            "play": lambda telling, thing: _PLAY[thing.kind],
        },
        symbols={
            **WORDS.symbols,
            "where": {
                symbol: {"": place.noun, "in": place.at, "errand": place.errand}
                for symbol, place in WORDS.places.items()
            },
            "job": {job: {"": noun} for job, noun in WORDS.jobs.items()},
            "years": _NUMBERS,
            "hours": _NUMBERS,
            "weeks": _NUMBERS,
        },
        links=WORDS.links,
        sayings=WORDS.sayings,
        between="",
        finish=finish,
    )
)
