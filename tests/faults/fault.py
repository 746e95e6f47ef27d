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


def twin(name: str, promise: str = "every_hidden_state_agrees", dtype: str = "float32") -> str:
    """The test that holds a recipe against its class in transformers."""
    return f"parity/test_twins.py::test_{promise}[{name}-torch.{dtype}]"


def writer(name: str, promise: str = "every_hidden_state_of_both_stacks_agrees", dtype: str = "float32") -> str:
    """The same for one that reads a source and writes."""
    return f"parity/test_two_stacks.py::test_{promise}[{name}-torch.{dtype}]"


def classifier(name: str) -> str:
    """The test that holds its classifier against theirs."""
    return f"parity/test_twins.py::test_the_classifier_agrees[{name}]"
