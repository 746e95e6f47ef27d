"""The plots of the small town: a goal, an obstacle, a turn and an outcome, told as events."""

from collections.abc import Callable
from math import log
from random import Random

from lab.corpora.town import world
from lab.corpora.town.frames import Story, Thing
from lab.corpora.town.teller import Teller

TWISTED = 0.15  # the share of stories that end otherwise than their hero fared


def tell(seed: int, number: int) -> Story:
    """Story ``number`` of the town that ``seed`` makes. It depends on nothing else."""
    random = Random(f"{seed}:{number}").random
    label, twist = random() < 0.5, random() < TWISTED
    plot, lives = PLOTS[int(random() * len(PLOTS))]
    life = lives[int(random() * len(lives))]
    teller = Teller(random, life, good=label != twist, brief=twist)
    teller.account.chance(label, 0.5)
    teller.account.chance(twist, TWISTED)
    teller.account.nats += log(len(PLOTS)) + log(len(lives) / lives.count(life))
    teller.introduce()
    plot(teller)
    if twist:
        teller.happens("comfort" if label else "spoilt", "but")
    teller.finish(label)
    return Story(plot.__name__, int(label), teller.hero, tuple(teller.events), teller.account.nats)


def mislaid(t: Teller) -> None:
    """A dear thing is not where its owner looks for it."""
    what = t.thing(world.HEIRLOOMS, owned=True)
    spot, wrong = t.two(world.SPOTS)
    where = t.place()
    t.happens("treasure", what=what, whom=t.kin(world.ELDERS))
    t.happens("put", "one_day", what=what, spot=spot)
    t.happens("errand", "then", where=where)
    t.happens("miss", "evening", what=what)
    t.happens("look", what=what, spot=wrong)
    t.trouble(0.5)
    if t.good:
        t.maybe(0.5, "recall", "suddenly", what=what, spot=spot)
        t.happens("find_at", "finally", what=what, spot=spot)
    else:
        t.happens("admit_loss", "sadly", whom=t.fellow(world.SIBLINGS), what=what, where=where)


def moved(t: Teller) -> None:
    """A thing is gone because somebody tidied up."""
    what, other = t.thing(world.KEPT, owned=True), t.fellow(world.SIBLINGS)
    spot, new = t.two(world.SPOTS)
    t.one_day()
    t.happens("put", what=what, spot=spot)
    t.happens("errand", "then", where=t.place())
    t.happens("tidy", "later", whom=other, what=what, spot=new)
    t.happens("look", "evening", what=what, spot=spot)
    t.trouble(0.4)
    if t.good:
        t.happens("reveal", "luckily", whom=other, what=what, spot=new)
        t.happens("find_at", what=what, spot=new)
    else:
        t.happens("quarrel", "so", whom=other, what=what)


def dropped(t: Teller) -> None:
    """Something falls out of a pocket on the way."""
    what, where = t.thing(world.BOUGHT, owned=True), t.place()
    t.happens("save_for", what=what)
    t.outdoors()
    t.happens("carry", what=what, where=where)
    t.happens("gone", "suddenly", what=what, where=where)
    t.happens("search_way", "so", where=where, what=what)
    t.trouble()
    if t.good:
        stranger = t.stranger(t.one(("police_officer", "letter_carrier", "driver", "waiter")))
        t.happens("bring_back", "luckily", whom=stranger, what=what, where=where)
    else:
        t.happens("never_found", "finally", what=what)


def stray(t: Teller) -> None:
    """A pet runs away."""
    pet = t.thing(world.PETS, owned=True)
    first, second = t.two(world.OUTDOORS)
    other = t.fellow()
    t.happens("keep_pet", what=pet)
    t.happens("flee", "one_day", what=pet, why=t.one(world.FLIGHT_REASONS))
    t.happens("call", "so", what=pet, where=first)
    t.trouble()
    t.happens("join", "later", whom=other, what=pet)
    if t.good:
        t.happens("hear_pet", "suddenly", what=pet, where=second)
        t.happens("feed", what=pet, food=t.thing(world.PET_FOOD[pet.kind]))
    else:
        t.happens("stay_away", "but", what=pet)


def present(t: Teller) -> None:
    """A present costs more than there is in the purse."""
    what, other = t.thing(world.PRESENTS), t.kin() if t.chance(0.5) else t.fellow()
    where = t.one(world.SHOPS)
    t.happens("birthday", whom=other)
    t.happens("want_to_give", what=what, whom=other)
    t.happens("too_dear", "but", what=what)
    t.trouble(0.4)
    if t.life == "worker" and t.chance(0.5):
        lent = t.good or t.chance(0.3)
        t.happens("ask_bank", "so")
        t.happens("bank_lends" if lent else "bank_refuses")
        if not lent:
            t.happens("empty_hands", "so", whom=other)
            return
    else:
        t.happens("earn", "so", where=t.one(world.WORKPLACES))
    if t.good:
        t.happens("buy", "then", what=what, where=where)
        t.happens("give", what=what, whom=other)
    else:
        t.happens("sold_out", "but", what=what, where=where)


def fishing(t: Teller) -> None:
    """A day on the bank of the river."""
    rod, fish = t.thing("rod", owned=True), t.thing(world.FISH)
    t.outdoors(("rain", "wind", "fog", "sun", "cold"))
    t.happens("sit_on_bank", tool=rod)
    t.happens("no_bite", "but")
    t.trouble()
    if t.good:
        t.happens("catch", "suddenly", what=fish, tool=rod)
        t.happens("fry", "evening", what=fish, whom=t.fellow())
    else:
        t.happens("line_breaks", "suddenly", what=fish, tool=rod)


def match(t: Teller) -> None:
    """The town's team plays, and a bat breaks."""
    bat, other = t.thing("baseball_bat", owned=True), t.fellow()
    t.happens("on_the_team", where=t.one(("park", "school", "square")))
    t.happens("swing", tool=bat)
    t.happens("behind", "one_day")
    t.happens("crack", "suddenly", tool=bat)
    t.trouble(0.4)
    t.happens("lend_bat", "luckily", whom=other, what=t.thing("spare_bat"))
    t.happens("win_match" if t.good else "lose_match", "finally")


def attic(t: Teller) -> None:
    """Something moves in the dark: a bat."""
    light, bat, where = t.thing(world.LIGHTS), t.thing("bat"), t.one(world.DARK_PLACES)
    t.one_day()
    t.happens("noise", where=where)
    t.happens("take_light", "so", tool=light, where=where)
    t.happens("see_bat", "suddenly", what=bat)
    t.trouble(0.5)
    if t.good:
        t.happens("free_bat", "then", what=bat, where=where)
        t.maybe(0.5, "bat_useful", "week", what=bat)
    else:
        t.happens("drop_light", "but", tool=light)
        t.happens("stumble_dark", "so", where=where)


def sick(t: Teller) -> None:
    """Food for somebody who is ill in bed."""
    other, food = t.fellow(), t.thing(world.SICK_FOOD)
    t.one_day()
    t.occurs("ill", whom=other)
    t.happens("cook", "so", food=food, whom=other)
    t.outdoors(("rain", "snow", "cold", "wind"), "outside")
    if t.good:
        t.maybe(0.6, "nearly_drop", food=food)
        t.happens("eat_up", "soon", whom=other, food=food)
        t.occurs("recover", "morning", whom=other)
    else:
        t.happens("spill", "suddenly", food=food)
        t.happens("worse", "evening", whom=other)


def repair(t: Teller) -> None:
    """A machine stops, and a tool has to be borrowed."""
    machine, other, tool = t.thing(world.MACHINES, owned=True), t.fellow(), t.thing(world.TOOLS)
    t.one_day()
    t.happens("break_down", what=machine)
    t.happens("take_apart", "so", what=machine)
    t.happens("borrow_tool", "then", whom=other, tool=tool)
    t.trouble(0.6)
    if t.good:
        t.happens("mend", "finally", what=machine, tool=tool)
        t.happens("return_tool", "evening", whom=other, tool=tool)
    else:
        t.happens("ruin", "sadly", what=machine, tool=tool)


def concert(t: Teller) -> None:
    """A musician's evening."""
    instrument, where = t.thing(world.INSTRUMENTS, owned=True), t.one(("theatre", "church", "school", "cafe"))
    t.happens("invited", what=instrument, where=where)
    t.happens("rehearse", "so", what=instrument)
    t.maybe(0.4, "forbid", "but", whom=t.fellow((("neighbour", "neighbour"),)))
    t.happens("stage_fright", "evening", where=where)
    t.maybe(0.5, "encourage", "but", whom=t.fellow())
    t.happens("applause" if t.good else "wrong_notes", "finally", what=instrument)


def exam(t: Teller) -> None:
    """An examination in a hard subject."""
    subject = t.one(world.SUBJECTS)
    t.happens("exam_comes", subject=subject)
    t.happens("study", "so", subject=subject, tool=t.thing(("lamp", "candle")))
    t.trouble(0.5)
    t.happens(t.one(("oversleep", "forget_glasses", "hard_question")), "the_day")
    t.maybe(0.5, "calm_down", "but")
    t.happens("pass_exam" if t.good else "fail_exam", "week", subject=subject)


def race(t: Teller) -> None:
    """A race round the lake or up the hill."""
    where, other = t.one(("lake", "hill", "park", "forest")), t.fellow()
    t.happens("enter_race", where=where)
    t.happens("train_run", "so", whom=other)
    t.outdoors(("rain", "wind", "sun", "heat", "cold"), "the_day", dressed=False)
    t.happens("trip_up", "suddenly", where=where)
    t.maybe(0.4, "hope")
    t.happens("win_race" if t.good else "last_in_race", "finally", what=t.thing("medal"))


def bake(t: Teller) -> None:
    """Baking for a guest."""
    what, other = t.thing(world.CAKES), t.kin() if t.chance(0.5) else t.fellow()
    t.one_day()
    t.happens("plan_to_bake", food=what, whom=other)
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


def journey(t: Teller) -> None:
    """A visit to somebody far away."""
    other, far, ticket = t.kin(), t.one(world.RELATIVES_PLACES), t.thing("ticket", owned=True)
    t.happens("plan_visit", whom=other, far=far)
    t.outdoors(link="the_day")
    t.happens("pack", what=t.thing("bag"))
    t.happens("train_late", "but", hours=t.number(2, 4))
    t.trouble(0.6)
    if t.good:
        t.happens("arrive", "finally", whom=other, far=far)
    else:
        t.happens("lose_ticket", "suddenly", what=ticket)
        t.happens("turn_back", "so", whom=other)


def market(t: Teller) -> None:
    """Something to sell, and few who buy."""
    goods, where = t.thing(world.GOODS), t.one(("market", "square", "harbour", "fair"))
    t.one_day()
    t.happens("bring_goods", what=goods, where=where)
    t.occurs(t.one(("sudden_rain", "empty_stalls")), "but", where=where)
    t.happens("call_out", what=goods)
    t.trouble(0.6)
    if t.good:
        t.happens("sell_all", "luckily", whom=t.stranger(t.one(("cook", "waiter", "teacher", "nurse"))), what=goods)
        t.maybe(0.5, "pay_in", "then")
    else:
        t.happens("sell_nothing", "finally", what=goods)


def garden(t: Teller) -> None:
    """What is planted in spring, and what comes of it."""
    plants = t.thing(world.PLANTS)
    t.happens("plant", what=plants)
    t.occurs("no_rain", "but")
    t.happens("water", "so", what=plants)
    t.trouble(0.4)
    t.happens(t.one(("weeds", "storm_warning")), "then", what=plants)
    t.happens("harvest" if t.good else "wither", "finally", what=plants)


def borrowed(t: Teller) -> None:
    """Something borrowed comes to harm."""
    other = t.fellow((("friend", "friend"), ("neighbour", "neighbour"), ("cousin", "cousin")))
    borrowed_thing = t.thing(world.BORROWED)
    what = Thing(borrowed_thing.kind, borrowed_thing.quality, other)
    t.one_day()
    t.happens("borrow", whom=other, what=what)
    t.happens("damage", "but", what=what)
    t.trouble(0.6)
    t.happens("hide_it", "first", what=what, spot=t.one(("cupboard", "bed", "chest", "sofa")))
    t.happens("own_up", "evening", whom=other, what=what)
    t.happens("forgive" if t.good else "no_forgiveness", whom=other, what=what)


def letter(t: Teller) -> None:
    """A letter and its answer."""
    other, what = t.kin(), t.thing("letter")
    t.happens("write", what=what, whom=other)
    t.outdoors(link="outside")
    t.happens("post", what=what)
    t.happens("wait_for_answer", "then", weeks=t.number(2, 5))
    t.trouble(0.5)
    t.happens("good_answer" if t.good else "bad_answer", "finally", whom=other)


def dark(t: Teller) -> None:
    """A storm puts the lights out."""
    other, light = t.fellow(world.SIBLINGS), t.thing("candle")
    t.one_day()
    t.happens("storm")
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


def new_job(t: Teller) -> None:
    """Somebody wants to change their work."""
    new = t.one([job for job in world.JOBS if job != t.hero.job])
    where = world.JOBS[new]
    t.happens("want_job", where=where, job=new)
    t.outdoors(link="the_day")
    t.happens(t.one(("late_bus", "coffee_stain")), "but", where=where)
    t.trouble(0.5)
    t.happens("answer_questions", "still", where=where)
    t.happens("hired" if t.good else "rejected", "morning", where=where, job=new)


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


def rescue(t: Teller) -> None:
    """An animal in danger, high up."""
    animal, where, ladder = t.thing(("kitten", "squirrel")), t.one(("park", "school", "square")), t.thing("ladder")
    t.outdoors()
    t.happens("hear_cry", where=where, what=animal)
    t.happens("climb", "so", tool=ladder)
    t.happens("branch_cracks", "suddenly", what=animal)
    t.trouble(0.4)
    if t.good:
        t.happens("save", "still", what=animal)
        t.happens("feed", "later", what=animal, food=t.thing(world.PET_FOOD[animal.kind]))
    else:
        t.happens("fall", "sadly", what=animal, tool=ladder)


def exhibition(t: Teller) -> None:
    """A picture for the museum."""
    scene, other = t.one(world.SCENES), t.fellow(world.SIBLINGS)
    t.happens("paint", scene=scene)
    t.happens("spill_paint", "suddenly", whom=other)
    t.trouble(0.6)
    t.happens("paint_over", "so", scene=scene)
    t.maybe(0.5, "lend_brush", whom=t.fellow())
    t.happens("prize" if t.good else "no_prize", "week", scene=scene)


ALL = ("child", "worker", "elder")
Plot = Callable[[Teller], None]

# Each plot and the lives that it can happen in.
PLOTS: tuple[tuple[Plot, tuple[str, ...]], ...] = (
    (mislaid, ALL),
    (moved, ("child", "worker")),
    (dropped, ALL),
    (stray, ALL),
    (present, ("child", "worker", "worker")),
    (fishing, ALL),
    (match, ("child", "worker")),
    (attic, ALL),
    (sick, ALL),
    (repair, ("worker", "elder")),
    (concert, ALL),
    (exam, ("child",)),
    (race, ("child", "worker")),
    (bake, ALL),
    (journey, ("worker", "elder")),
    (market, ("worker", "elder")),
    (garden, ALL),
    (borrowed, ("child", "worker")),
    (letter, ALL),
    (dark, ("child", "worker")),
    (new_job, ("worker",)),
    (picnic, ALL),
    (rescue, ("child", "worker")),
    (exhibition, ALL),
)
