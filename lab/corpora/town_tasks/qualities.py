"""Which qualities a thing cannot have at once: a red kite is not blue, but it may well be huge.

A dimension is a list of its values, each a quality or several that go together, as what is light blue is blue.
Qualities are symbols, so one table serves every language. "antique" and "modern" are not in it: in Chinese they say how
a thing looks, not how old it is.
"""

from lab.corpora.town.frames import Thing
from lab.corpora.town.world import THINGS

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "colour": (*"red green yellow white black grey brown orange pink purple".split(), "blue light_blue"),
    "material": ("wooden", "leather", "rubber", "porcelain", "silk", "cotton", "woollen", "silver", "gold"),
    "size": ("tiny small", "big huge"),
    "thickness": ("thin", "thick"),
    "length": ("short", "long"),
    "weight": ("light", "heavy"),
    "age": ("old aged", "new"),
}
_PLACE = {
    quality: (dimension, value)
    for dimension, values in DIMENSIONS.items()
    for value in values
    for quality in value.split()
}


def excluded(thing: Thing) -> list[str]:
    """The qualities that such a thing might have in place of its own, but not beside it."""
    return [other for other in THINGS[thing.kind] if exclude(thing.quality, other)]


def exclude(one: str, other: str) -> bool:
    """Whether nothing has both qualities."""
    if one not in _PLACE or other not in _PLACE:
        return False
    (dimension, value), (other_dimension, other_value) = _PLACE[one], _PLACE[other]
    return dimension == other_dimension and value != other_value
