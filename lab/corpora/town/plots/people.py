"""Plots between people: guests, relatives, neighbours, the sick."""

from lab.corpora.town import world
from lab.corpora.town.affairs import AFFAIRS
from lab.corpora.town.plots import asides
from lab.corpora.town.teller import Teller


def sick(t: Teller) -> None:
    """Food for somebody who is ill in bed."""
    other, food = t.fellow(), t.thing(world.SICK_FOOD)
    t.occurs("ill", asides.morning(t), whom=other)
    t.happens("cook", "so", food=food, whom=other)
    t.outdoors(("rain", "snow", "cold", "wind"), "outside")
    if t.good:
        t.maybe(0.6, "nearly_drop", food=food)
        t.happens("eat_up", "soon", whom=other, food=food)
        t.occurs("recover", "morning", whom=other)
    else:
        t.happens("spill", "suddenly", food=food)
        t.happens("worse", "evening", whom=other)


def doctor(t: Teller) -> None:
    """A visit to the doctor."""
    remedy = t.ranked(AFFAIRS["remedy"])
    t.happens("pain", "one_day", symptom=t.ranked(AFFAIRS["symptom"]))
    t.happens("waiting_room")
    asides.quiet(t, 0.3, "")
    t.trouble(0.6)
    t.happens("examine", "then")
    t.maybe(0.4, "eye_chart")
    t.happens("healthy" if t.good else "unhealthy", "days", remedy=remedy)


def bake(t: Teller) -> None:
    """Baking for a guest."""
    what, other = t.thing(world.CAKES), t.kin() if t.chance(0.5) else t.fellow()
    t.happens("plan_to_bake", asides.morning(t), food=what, whom=other)
    t.happens("buy_ingredients", "so", ingredients=t.one(world.INGREDIENTS), where=t.one(("market", "corner_shop")))
    t.happens("light_oven", "then")
    t.happens("burn_first", "but", food=what)
    t.trouble(0.6)
    if t.good:
        t.happens("bake_again", "so", food=what)
        t.happens("guest_eats", "finally", food=what, whom=other)
    else:
        t.happens("spoil_again", "again", food=what)
        t.happens("guest_hungry", "finally", whom=other)


def guests(t: Teller) -> None:
    """Cooking for a guest."""
    other, recipe = t.fellow(), t.ranked(AFFAIRS["recipe"])
    t.happens("invite_guests", whom=other, recipe=recipe)
    t.happens("chop", asides.morning(t, 0.5, "the_day"))
    t.happens("mix_up", "but")
    t.trouble(0.6)
    t.happens("small_gift", "evening", whom=other)
    t.happens("praise_meal" if t.good else "polite_silence", whom=other, recipe=recipe)


def letter(t: Teller) -> None:
    """A letter and its answer."""
    other, what = t.kin(), t.thing("letter")
    t.happens("write", what=what, whom=other)
    t.outdoors(link="outside")
    t.happens("post", what=what)
    asides.passing(t, 0.4)
    t.happens("wait_for_answer", "then", weeks=t.number(2, 5))
    t.trouble(0.5)
    t.happens("good_answer" if t.good else "bad_answer", "finally", whom=other)


def journey(t: Teller) -> None:
    """A visit to somebody far away."""
    other, far, ticket = t.kin(), t.one(world.RELATIVES_PLACES), t.thing("ticket", owned=True)
    t.happens("plan_visit", whom=other, far=far)
    t.outdoors(link="the_day")
    t.happens("pack", what=t.thing("bag"))
    asides.passing(t, 0.4)
    t.happens("train_late", "but", hours=t.number(2, 4))
    t.trouble(0.6)
    if t.good:
        t.happens("arrive", "finally", whom=other, far=far)
    else:
        t.happens("lose_ticket", "suddenly", what=ticket)
        t.happens("turn_back", "so", whom=other)


def city(t: Teller) -> None:
    """A trip to the capital."""
    sight, other = t.ranked(AFFAIRS["sight"]), t.kin() if t.chance(0.5) else t.fellow()
    t.happens("city_plan", asides.morning(t, 0.4), whom=other, sight=sight)
    t.happens("city_crowd", "but", whom=other)
    t.trouble()
    t.happens("city_signs")
    asides.passing(t, 0.4)
    t.happens("city_good" if t.good else "city_bad", "finally", whom=other, sight=sight)


def wedding(t: Teller) -> None:
    """A wedding, and where the rings are."""
    other = t.fellow()
    t.happens("wedding_invite", whom=other)
    t.happens("wedding_dress", "morning" if t.chance(0.5) else "the_day")
    asides.passing(t, 0.4)
    t.happens("wedding_rings_gone", "suddenly")
    t.maybe(0.5, "wedding_wait")
    t.trouble(0.5)
    t.happens("wedding_good" if t.good else "wedding_bad", "finally", whom=other)


def racket(t: Teller) -> None:
    """Noise behind the wall."""
    other = t.fellow((("friend", "friend"), ("cousin", "cousin")))
    t.happens("racket", noisy=t.ranked(AFFAIRS["noisy"]))
    t.happens("racket_note", "so")
    t.happens("racket_insult", "morning")
    t.trouble(0.6)
    asides.passing(t, 0.4)
    t.happens("racket_talk", "days", whom=other)
    t.happens("racket_good" if t.good else "racket_bad", "finally", whom=other)
