"""Memory of the machine and of this process, where the system says, and what tells that there is none left."""

import os


def of_the_machine() -> int:
    """The bytes of memory that this machine, or the container, has; of a system that does not say, more than any."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**50
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            return min(memory, int(file.read()))
    except (OSError, ValueError):
        return memory


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


def ran_out(error: BaseException) -> bool:
    """Whether an error says that there was no memory left, for which PyTorch has no kind of its own."""
    message = str(error).lower()
    said = any(words in message for words in ("out of memory", "can't allocate", "not enough memory"))
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and said)
