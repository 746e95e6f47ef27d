"""Peak memory of this process, where the system says."""

import os


def most_held() -> int | None:
    """The most bytes of memory that this process has held so far, where the system says."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    except (OSError, ValueError, StopIteration):
        return None


def forget_the_most() -> bool:
    """Let ``most_held`` begin anew with what is held now; whether the system does that."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        return False
    return True


def held() -> int | None:
    """The bytes of memory that this process holds, where the system says."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None
