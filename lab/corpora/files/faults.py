"""What is wrong with the lines of a file."""

from lab.settings import SettingsError

Faults = list[SettingsError]  # what is wrong with lines


def at_line(line: int, en: str, zh: str) -> SettingsError:
    """What is wrong in a line."""
    return SettingsError(f"line {line} {en}", f"第 {line} 行{zh}")


def leave_out(fault: SettingsError, passed: Faults | None) -> None:
    """Remember what is wrong with a line, where such lines may be left out."""
    if passed is None:
        raise fault
    passed.append(fault)
