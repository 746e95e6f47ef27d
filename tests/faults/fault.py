"""A fault: a few words of the lab that become others, and the tests that should see it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """In which file under lab/ what becomes what, and which files or nodes under tests/ should see it."""

    name: str
    file: str
    old: str
    new: str
    tests: str  # several are parted by spaces
    times: int = 1  # how often the old text stands in the file; all of them are changed

    def planted(self, source: str) -> str:
        """The file with the fault. Raises ValueError with one sentence where it is not the file that it was."""
        found = source.count(self.old)
        if found != self.times:
            raise ValueError(f"the fault {self.name!r} no longer fits: lab/{self.file} has its text {found} times")
        return source.replace(self.old, self.new)
