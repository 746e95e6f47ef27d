"""The faults still fit the lab, the record of them is whole, and the tool that plants them can be trusted."""

from pathlib import Path

import pytest
from fault import Fault
from plant import FAULTS, MISSED, ROOT, copy_of_the_lab, failing, plant, recorded

from lab.catalog import MODELS

CHEAP = ("token before asked", "order never swapped")
HARMLESS = Fault("a word of a docstring", "objectives/clm.py", "Predicts", "Foresees", "objectives/test_clm.py")


def source(fault: Fault) -> str:
    return (ROOT / "lab" / fault.file).read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_that_a_fault_changes_stands_where_the_list_says(fault: Fault) -> None:
    assert fault.planted(source(fault)) != source(fault)
    for test in fault.tests.split():
        assert (ROOT / "tests" / test.partition("::")[0]).exists()


def test_a_fault_that_no_longer_fits_says_so_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="the fault 'gone' no longer fits: lab/batch.py has its text 0 times"):
        Fault("gone", "batch.py", "no such words", "others", "test_batch.py").planted("x = 1")


def test_names_are_unique_and_every_fault_is_recorded_as_caught() -> None:
    names = [fault.name for fault in FAULTS]
    assert len({*names}) == len(names) and [*recorded()] == names
    assert MISSED not in recorded().values()


def test_faults_are_planted_in_many_families() -> None:
    planted = {Path(fault.file).stem for fault in FAULTS if fault.file.startswith("models/")}
    assert planted <= {*MODELS.names()} and len(planted) >= 15


def test_planting_catches_faults_leaves_the_lab_alone_and_sees_where_nothing_catches() -> None:
    chosen = [next(fault for fault in FAULTS if fault.name == name) for name in CHEAP]
    before = [source(fault) for fault in [*chosen, HARMLESS]]
    with copy_of_the_lab() as place:
        assert [plant(place, fault) for fault in chosen] == [recorded()[name] for name in CHEAP]
        assert plant(place, HARMLESS) == MISSED
        with pytest.raises(ValueError, match="could not run"):
            failing(place, ["objectives/test_nowhere.py"])
    assert [source(fault) for fault in [*chosen, HARMLESS]] == before
