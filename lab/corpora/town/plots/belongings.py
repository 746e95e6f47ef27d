"""Plots about belongings: lost, borrowed, given, broken, bought."""

from lab.corpora.town import world
from lab.corpora.town.affairs import AFFAIRS
from lab.corpora.town.frames import Thing
from lab.corpora.town.plots import asides
from lab.corpora.town.teller import Teller


def mislaid(t: Teller) -> None:
    """A dear thing is not where its owner looks for it."""
    what = t.thing(world.HEIRLOOMS, owned=True)
    spot, wrong = t.two(world.SPOTS)
    where = t.place()
    t.happens("treasure", what=what, whom=t.kin(world.ELDERS))
    t.happens("put", "one_day", what=what, spot=spot)
    t.happens("errand", "then", where=where)
    asides.passing(t, 0.4)
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
    t.happens("put", asides.morning(t), what=what, spot=spot)
    t.happens("errand", "then", where=t.place())
    asides.passing(t, 0.4)
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
    asides.passing(t)
    t.happens("gone", "suddenly", what=what, where=where)
    t.happens("search_way", "so", where=where, what=what)
    t.trouble()
    if t.good:
        stranger = t.stranger(t.one(("police_officer", "letter_carrier", "driver", "waiter")))
        t.happens("bring_back", "luckily", whom=stranger, what=what, where=where)
    else:
        t.happens("never_found", "finally", what=what)


def phone(t: Teller) -> None:
    """A mobile phone does not answer."""
    where = t.place()
    t.happens("phone_proud")
    t.happens("phone_missed", asides.morning(t))
    t.happens("phone_ring", "so")
    t.trouble(0.4)
    t.happens("phone_retrace", "then", where=where)
    finder = t.stranger(t.one(("waiter", "driver", "cleaner", "librarian", "cashier")))
    t.happens("phone_good" if t.good else "phone_bad", "evening", whom=finder, where=where)


def present(t: Teller) -> None:
    """A present costs more than there is in the purse."""
    what, other = t.thing(world.PRESENTS), t.kin() if t.chance(0.5) else t.fellow()
    where = t.one(world.SHOPS)
    t.happens("birthday", whom=other)
    t.happens("want_to_give", what=what, whom=other)
    t.happens("too_dear", "but", what=what)
    t.maybe(0.5, "wish_stands", what=what, toys=t.ranked(AFFAIRS["toys"]))
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
        asides.passing(t)
    if t.good:
        t.happens("buy", "then", what=what, where=where)
        t.happens("give", what=what, whom=other)
    else:
        t.happens("sold_out", "but", what=what, where=where)


def bargain(t: Teller) -> None:
    """Something cheap that is not as good as it looked."""
    garment, defect = t.ranked(AFFAIRS["garment"]), t.ranked(AFFAIRS["defect"])
    t.happens("bargain", asides.morning(t), garment=garment)
    t.happens("bargain_fault", "but", defect=defect)
    t.trouble(0.5)
    t.happens("bargain_receipt", "so")
    asides.passing(t, 0.3)
    t.happens("bargain_clerk", "but")
    t.happens("bargain_good" if t.good else "bargain_bad", "finally")


def borrowed(t: Teller) -> None:
    """Something borrowed comes to harm."""
    other = t.fellow((("friend", "friend"), ("neighbour", "neighbour"), ("cousin", "cousin")))
    borrowed_thing = t.thing(world.BORROWED)
    what = Thing(borrowed_thing.kind, borrowed_thing.quality, other)
    t.happens("borrow", asides.morning(t), whom=other, what=what)
    t.happens("damage", "but", what=what)
    t.trouble(0.6)
    t.happens("hide_it", "first", what=what, spot=t.one(("cupboard", "bed", "chest", "sofa")))
    t.happens("own_up", "evening", whom=other, what=what)
    t.happens("forgive" if t.good else "no_forgiveness", whom=other, what=what)


def repair(t: Teller) -> None:
    """A machine stops, and a tool has to be borrowed."""
    machine, other, tool = t.thing(world.MACHINES, owned=True), t.fellow(), t.thing(world.TOOLS)
    t.happens("break_down", asides.morning(t), what=machine)
    t.happens("take_apart", "so", what=machine)
    asides.passing(t, 0.3)
    t.happens("borrow_tool", "then", whom=other, tool=tool)
    t.trouble(0.6)
    if t.good:
        t.happens("mend", "finally", what=machine, tool=tool)
        t.happens("return_tool", "evening", whom=other, tool=tool)
    else:
        t.happens("ruin", "sadly", what=machine, tool=tool)


def computer(t: Teller) -> None:
    """A computer stops, and what is on it is in danger."""
    files, other = t.ranked(AFFAIRS["files"]), t.fellow()
    t.happens("computer_crash", asides.morning(t))
    t.happens("computer_files", files=files)
    t.happens("computer_try", "so")
    t.trouble(0.5)
    t.happens("computer_expert", "later", whom=other, fault=t.ranked(AFFAIRS["fault"]))
    t.happens("computer_good" if t.good else "computer_bad", "finally", whom=other, files=files)
