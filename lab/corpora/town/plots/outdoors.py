"""Plots under the open sky: animals, weather, plants, mountains."""

from lab.corpora.town import world
from lab.corpora.town.affairs import AFFAIRS
from lab.corpora.town.plots import asides
from lab.corpora.town.teller import Teller


def stray(t: Teller) -> None:
    """A pet runs away."""
    pet = t.thing(world.PETS, owned=True)
    first, second = t.two(world.OUTDOORS)
    other = t.fellow()
    t.happens("keep_pet", what=pet)
    t.happens("flee", asides.morning(t), what=pet, why=t.one(world.FLIGHT_REASONS))
    t.happens("call", "so", what=pet, where=first)
    t.trouble()
    t.happens("join", "later", whom=other, what=pet)
    if t.good:
        t.happens("hear_pet", "suddenly", what=pet, where=second)
        t.happens("feed", what=pet, food=t.thing(world.PET_FOOD[pet.kind]))
    else:
        t.happens("stay_away", "but", what=pet)


def fishing(t: Teller) -> None:
    """A day on the bank of the river."""
    rod, fish = t.thing("rod", owned=True), t.thing(world.FISH)
    t.outdoors(("rain", "wind", "fog", "sun", "cold"))
    asides.passing(t)
    t.happens("sit_on_bank", tool=rod)
    t.happens("no_bite", "but")
    t.trouble()
    if t.good:
        t.happens("catch", "suddenly", what=fish, tool=rod)
        t.happens("fry", "evening", what=fish, whom=t.fellow())
    else:
        t.happens("line_breaks", "suddenly", what=fish, tool=rod)


def attic(t: Teller) -> None:
    """Something moves in the dark: a bat."""
    light, bat, where = t.thing(world.LIGHTS), t.thing("bat"), t.one(world.DARK_PLACES)
    t.happens("noise", asides.quiet(t), where=where)
    t.happens("take_light", "so", tool=light, where=where)
    t.happens("see_bat", "suddenly", what=bat)
    t.trouble(0.5)
    if t.good:
        t.happens("free_bat", "then", what=bat, where=where)
        t.maybe(0.5, "bat_useful", "week", what=bat)
    else:
        t.happens("drop_light", "but", tool=light)
        t.happens("stumble_dark", "so", where=where)


def garden(t: Teller) -> None:
    """What is planted in spring, and what comes of it."""
    plants = t.thing(world.PLANTS)
    t.happens("plant", what=plants)
    t.occurs("no_rain", "but")
    t.happens("water", "so", what=plants)
    t.maybe(0.6, "plants_stood", what=plants, edge=t.ranked(AFFAIRS["edge"]))
    t.trouble(0.4)
    t.happens(t.one(("weeds", "storm_warning")), "then", what=plants)
    t.happens("harvest" if t.good else "wither", "finally", what=plants)


def rescue(t: Teller) -> None:
    """An animal in danger, high up."""
    animal, where, ladder = t.thing(("kitten", "squirrel")), t.one(("park", "school", "square")), t.thing("ladder")
    t.outdoors()
    asides.passing(t, 0.4)
    t.happens("hear_cry", where=where, what=animal)
    t.happens("climb", "so", tool=ladder)
    t.happens("branch_cracks", "suddenly", what=animal)
    t.trouble(0.4)
    if t.good:
        t.happens("save", "still", what=animal)
        t.happens("feed", "later", what=animal, food=t.thing(world.PET_FOOD[animal.kind]))
    else:
        t.happens("fall", "sadly", what=animal, tool=ladder)


def picnic(t: Teller) -> None:
    """A meal in the open, and clouds."""
    other, where = t.fellow(), t.one(("lake", "river_bank", "forest", "hill", "park"))
    food = t.thing(world.PICNIC_FOOD)
    t.outdoors(("sun", "heat", "wind"))
    t.happens("plan_picnic", whom=other, where=where)
    t.happens("pack_food", food=food)
    t.happens("clouds", "but", where=where)
    t.trouble(0.4)
    if t.good:
        t.happens("find_shelter", "luckily", whom=other)
        t.happens("eat_together", food=food, whom=other)
    else:
        t.happens("soaked", "sadly", whom=other, food=food)


def hike(t: Teller) -> None:
    """A day in the mountains."""
    summit, other = t.ranked(AFFAIRS["summit"]), t.fellow()
    t.happens("hike_plan", summit=summit, whom=other)
    t.outdoors(("sun", "wind", "cold"), "the_day", dressed=False)
    t.happens("hike_way", "then")
    t.maybe(0.6, t.one(("hike_bird", "hike_bloom")))
    t.happens("hike_lost", "but")
    t.trouble(0.4)
    t.maybe(0.4, "hike_night", "night", whom=other)
    t.happens("hike_good" if t.good else "hike_bad", "finally", summit=summit, whom=other)


def dark(t: Teller) -> None:
    """A storm puts the lights out."""
    other, light = t.fellow(world.SIBLINGS), t.thing("candle")
    t.happens("storm", asides.quiet(t))
    t.happens("lights_out", "suddenly")
    t.occurs("afraid", whom=other)
    t.happens("strike_match", "so", tool=light)
    t.trouble(0.3)
    if t.good:
        t.happens("sing_together", "soon", whom=other)
        t.happens("light_returns", "later")
    else:
        t.happens("match_dies", "but", tool=light)
        t.happens("roof_leaks", "later")
