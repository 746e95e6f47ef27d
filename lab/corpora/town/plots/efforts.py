"""Plots about an effort: a match, an exam, a race, a speech, new work, a new home."""

from lab.corpora.town import world
from lab.corpora.town.affairs import AFFAIRS
from lab.corpora.town.plots import asides
from lab.corpora.town.teller import Teller


def match(t: Teller) -> None:
    """The town's team plays, and a bat breaks."""
    bat, other = t.thing("baseball_bat", owned=True), t.fellow()
    t.happens("on_the_team", where=t.one(("park", "school", "square")))
    t.happens("swing", tool=bat)
    t.happens("behind", asides.morning(t))
    t.happens("crack", "suddenly", tool=bat)
    t.trouble(0.4)
    t.happens("lend_bat", "luckily", whom=other, what=t.thing("spare_bat"))
    t.happens("win_match" if t.good else "lose_match", "finally")


def football(t: Teller) -> None:
    """A goal in the last minute."""
    other = t.fellow()
    t.happens("football_team")
    t.happens("football_train", "hence")
    t.outdoors(("rain", "wind", "sun", "heat", "cold"), "the_day", dressed=False)
    t.happens("football_foul", "but", injury=t.ranked(AFFAIRS["injury"]))
    t.trouble(0.4)
    t.maybe(0.5, "football_cheer", whom=other)
    t.happens("football_good" if t.good else "football_bad", "finally")


def swim(t: Teller) -> None:
    """Learning to swim."""
    other = t.fellow()
    t.happens("swim_wish")
    t.happens("swim_lesson", "hence")
    asides.passing(t, 0.3)
    t.happens("swim_gulp", "one_day")
    t.trouble(0.6)
    t.maybe(0.6, "swim_help", "luckily", whom=other)
    t.happens("swim_good" if t.good else "swim_bad", "month")


def race(t: Teller) -> None:
    """A race round the lake or up the hill."""
    where, other = t.one(("lake", "hill", "park", "forest")), t.fellow()
    t.happens("enter_race", where=where)
    t.happens("train_run", "so", whom=other)
    t.outdoors(("rain", "wind", "sun", "heat", "cold"), "the_day", dressed=False)
    t.happens("trip_up", "suddenly", where=where)
    t.maybe(0.4, "hope")
    t.happens("win_race" if t.good else "last_in_race", "finally", what=t.thing("medal"))


def concert(t: Teller) -> None:
    """A musician's evening."""
    instrument, where = t.thing(world.INSTRUMENTS, owned=True), t.one(("theatre", "church", "school", "cafe"))
    t.happens("invited", what=instrument, where=where)
    t.happens("rehearse", "so", what=instrument)
    t.maybe(0.4, "forbid", "but", whom=t.fellow((("neighbour", "neighbour"),)))
    asides.passing(t, 0.4)
    t.happens("stage_fright", "evening", where=where)
    t.maybe(0.5, "encourage", "but", whom=t.fellow())
    t.happens("applause" if t.good else "wrong_notes", "finally", what=instrument)


def exhibition(t: Teller) -> None:
    """A picture for the museum."""
    scene, other = t.one(world.SCENES), t.fellow(world.SIBLINGS)
    t.happens("paint", scene=scene)
    asides.passing(t, 0.3)
    t.happens("spill_paint", "suddenly", whom=other)
    t.trouble(0.6)
    t.happens("paint_over", "so", scene=scene)
    t.maybe(0.5, "lend_brush", whom=t.fellow())
    t.happens("prize" if t.good else "no_prize", "week", scene=scene)


def exam(t: Teller) -> None:
    """An examination in a hard subject."""
    subject = t.one(world.SUBJECTS)
    t.happens("exam_comes", subject=subject)
    t.happens("study", "so", subject=subject, tool=t.thing(("lamp", "candle")))
    t.trouble(0.5)
    t.happens(t.one(("oversleep", "forget_glasses", "hard_question")), asides.morning(t, 0.4, "the_day"))
    t.maybe(0.5, "calm_down", "but")
    t.happens("pass_exam" if t.good else "fail_exam", "week", subject=subject)


def driving(t: Teller) -> None:
    """The driving test."""
    t.happens("driving_wish")
    t.happens("driving_theory", "so", whom=t.fellow())
    t.happens("driving_start", asides.morning(t, 0.4, "the_day"))
    t.happens("driving_fault", "suddenly", road_fault=t.ranked(AFFAIRS["road_fault"]))
    t.trouble(0.4)
    t.maybe(0.6, "driving_park", "then")
    t.happens("driving_good" if t.good else "driving_bad", "finally")


def speech(t: Teller) -> None:
    """A speech before many people."""
    t.happens("speech_task", theme=t.ranked(AFFAIRS["theme"]))
    t.happens("speech_prepare", "hence", whom=t.fellow())
    asides.passing(t, 0.5)
    t.happens("speech_trouble", "evening")
    t.trouble(0.6)
    t.maybe(0.4, "calm_down", "but")
    t.happens("speech_good" if t.good else "speech_bad", "finally")


def article(t: Teller) -> None:
    """Something to tell the newspaper."""
    t.happens("article_plan", asides.morning(t, 0.4), scandal=t.ranked(AFFAIRS["scandal"]))
    t.happens("article_ask", "so")
    asides.passing(t, 0.4)
    t.occurs("article_meaning", "but", who=t.hero, whom=t.fellow())
    t.trouble(0.5)
    t.happens("article_good" if t.good else "article_bad", "week")


def new_job(t: Teller) -> None:
    """Somebody wants to change their work."""
    new = t.one([job for job in world.JOBS if job != t.hero.job])
    where = world.JOBS[new]
    t.happens("want_job", where=where, job=new)
    t.outdoors(link="the_day")
    asides.passing(t, 0.4)
    t.happens(t.one(("late_bus", "coffee_stain")), "but", where=where)
    t.trouble(0.5)
    t.happens("answer_questions", "still", where=where)
    t.happens("hired" if t.good else "rejected", "morning", where=where, job=new)


def market(t: Teller) -> None:
    """Something to sell, and few who buy."""
    goods, where = t.thing(world.GOODS), t.one(("market", "square", "harbour", "fair"))
    t.happens("bring_goods", asides.morning(t), what=goods, where=where)
    t.occurs(t.one(("sudden_rain", "empty_stalls")), "but", where=where)
    t.happens("call_out", what=goods)
    t.maybe(0.5, "goods_stood", what=goods, stall=t.ranked(AFFAIRS["stall"]))
    t.trouble(0.6)
    if t.good:
        t.happens("sell_all", "luckily", whom=t.stranger(t.one(("cook", "waiter", "teacher", "nurse"))), what=goods)
        t.maybe(0.5, "pay_in", "then")
    else:
        t.happens("sell_nothing", "finally", what=goods)


def house(t: Teller) -> None:
    """Moving house."""
    other = t.fellow()
    t.happens("house_plan")
    t.happens("house_boxes", "hence")
    t.maybe(0.5, "mattress_coil", "suddenly")
    t.outdoors(("rain", "snow", "heat", "wind"), "the_day", dressed=False)
    t.happens("house_stairs", "but")
    t.trouble(0.5)
    t.happens("house_good" if t.good else "house_bad", "finally", whom=other)


def bill(t: Teller) -> None:
    """A bill that is too high."""
    other = t.fellow()
    t.happens("bill_comes", asides.morning(t))
    t.happens("bill_check", "so")
    t.trouble(0.6)
    t.happens("bill_office", "noon", whom=other)
    asides.quiet(t, 0.3, "")
    t.happens("bill_good" if t.good else "bill_bad", "month")


def council(t: Teller) -> None:
    """What the council plans, and who is against it."""
    scheme, other = t.ranked(AFFAIRS["scheme"]), t.fellow()
    t.happens("council_plan", scheme=scheme)
    t.happens("council_sign", "hence")
    asides.passing(t, 0.4)
    t.happens("council_debate", "but", whom=other)
    t.trouble(0.5)
    t.maybe(0.4, "council_undecided")
    t.happens("council_good" if t.good else "council_bad", "week", scheme=scheme, whom=other)
