"""The first guess: what a new head says before it has learnt anything (Lin et al. 2017, section 3.3).

A head that starts from zero says all classes alike. Where one is by far the commonest, as no entity is among words,
the first steps teach nothing but that, and through every weight at once: the states of all tokens grow alike, and a
short run never tells them apart. A bias that knows how common each class is leaves the body nothing of that to learn.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.data.class_weights import class_weights, occurrences
from lab.entries import TaskEntry
from lab.examples import Example


def first_guess(
    task: TaskEntry, examples: Sequence[Example], classes: int, *, weighted: bool = False
) -> NDArray[np.float32] | None:
    """The bias with which the head of a task best answers ``examples`` that it does not read: for classes the log of
    each one's share, of which nobody has any counting as seen once, as the loss counts them where they are ``weighted``
    (C,); for a value the mean (1,). None where there is no such guess."""
    if task.names:
        times = np.maximum(occurrences(examples, classes), 1.0)
        times *= class_weights(examples, classes) if weighted else 1.0
        return np.log(times / times.sum()).astype(np.float32)
    if "value" in task.holds:
        return np.array([np.mean([example.value for example in examples])], dtype=np.float32)
    return None
