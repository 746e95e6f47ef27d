"""What is wrong with the lines of a file."""

from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """Says of a file that is at fault which it is, where the sentence does not."""
    try:
        yield
    except SettingsError as fault:
        if not path or repr(path) in fault.en:
            raise
        raise SettingsError(f"{path!r}: {fault.en}", f"{path!r}：{fault.zh}") from None


def without_file(fault: SettingsError, path: str) -> SettingsError:
    """The same sentence without that, for those who know the file by another name."""
    return SettingsError(fault.en.removeprefix(f"{path!r}: "), fault.zh.removeprefix(f"{path!r}："))
