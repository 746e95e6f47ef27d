"""One story of the small town: a plot, a life and a happy or sad end, drawn from the story's number."""

from collections.abc import Callable
from math import log
from random import Random

from lab.corpora.town.frames import Story
from lab.corpora.town.plots import asides, belongings, efforts, outdoors, people
from lab.corpora.town.teller import Teller

TWISTED = 0.15  # the share of stories that end otherwise than their hero fared
ALL = ("child", "worker", "elder")
YOUNG = ("child", "worker")
GROWN = ("worker", "elder")
Plot = Callable[[Teller], None]

# Each plot and the lives that it can happen in.
PLOTS: tuple[tuple[Plot, tuple[str, ...]], ...] = (
    (belongings.mislaid, ALL),
    (belongings.moved, YOUNG),
    (belongings.dropped, ALL),
    (outdoors.stray, ALL),
    (belongings.present, ("child", "worker", "worker")),
    (outdoors.fishing, ALL),
    (efforts.match, YOUNG),
    (outdoors.attic, ALL),
    (people.sick, ALL),
    (belongings.repair, GROWN),
    (efforts.concert, ALL),
    (efforts.exam, ("child",)),
    (efforts.race, YOUNG),
    (people.bake, ALL),
    (people.journey, GROWN),
    (efforts.market, GROWN),
    (outdoors.garden, ALL),
    (belongings.borrowed, YOUNG),
    (people.letter, ALL),
    (outdoors.dark, YOUNG),
    (efforts.new_job, ("worker",)),
    (outdoors.picnic, ALL),
    (outdoors.rescue, YOUNG),
    (efforts.exhibition, ALL),
    (belongings.phone, ALL),
    (belongings.bargain, GROWN),
    (belongings.computer, GROWN),
    (outdoors.hike, YOUNG),
    (people.doctor, GROWN),
    (people.guests, GROWN),
    (people.city, ALL),
    (people.wedding, GROWN),
    (people.racket, GROWN),
    (efforts.football, YOUNG),
    (efforts.swim, YOUNG),
    (efforts.driving, ("worker",)),
    (efforts.speech, GROWN),
    (efforts.article, GROWN),
    (efforts.house, GROWN),
    (efforts.bill, GROWN),
    (efforts.council, GROWN),
)


def tell(seed: int, number: int, begin: Callable[..., Teller] = Teller) -> Story:
    """Story ``number`` of the town that ``seed`` makes. It depends on nothing else, unless ``begin`` gives a teller who
    draws otherwise."""
    random = Random(f"{seed}:{number}").random
    label, twist = random() < 0.5, random() < TWISTED
    plot, lives = PLOTS[int(random() * len(PLOTS))]
    life = lives[int(random() * len(lives))]
    teller = begin(random, life, good=label != twist, brief=twist)
    teller.account.chance(label, 0.5)
    teller.account.chance(twist, TWISTED)
    teller.account.nats += log(len(PLOTS)) + log(len(lives) / lives.count(life))
    teller.introduce()
    asides.portrait(teller)
    plot(teller)
    if twist:
        teller.happens("comfort" if label else "spoilt", "but")
    teller.finish(label)
    return Story(plot.__name__, int(label), teller.hero, tuple(teller.events), teller.account.nats)
