"""Who searches the repository for a textbook's word finds the right file among the first three hits."""

import re
from pathlib import Path

import pytest

LAB = Path(__file__).parents[1] / "lab"
FILES = {str(path.relative_to(LAB)): path.read_text(encoding="utf-8").lower() for path in sorted(LAB.rglob("*.py"))}
FIRST = 3  # hits that one looks at

# The textbook's words, in the spellings in which they are searched for, and the file that answers each.
TERMS = [
    ("attention mask", "layers/masks.py"),
    ("causal mask", "layers/masks.py"),
    ("KV cache", "layers/kv_cache.py"),
    ("key-value cache", "layers/kv_cache.py"),
    ("sentinel", "objectives/parts/sentinels.py"),
    ("position ids", "batch.py"),
    ("position_ids", "batch.py"),
    ("masking", "masking.py"),
    ("masked language modelling", "objectives/mlm.py"),
    ("masked language modeling", "objectives/mlm.py"),
    ("learning rate", "training/budget.py"),
    ("sampler", "inference/sampler_chain.py"),
    ("padding", "padding.py"),
    ("weight initialisation", "layers/init.py"),
    ("weight initialization", "layers/init.py"),
    ("initialization", "layers/init.py"),
    ("validation", "training/evaluate.py"),
    ("data loader", "data/batches.py"),
    ("DataLoader", "data/batches.py"),
    ("distillation", "training/distillation.py"),
    ("parameter sharing", "models/albert.py"),
    ("cross-layer parameter sharing", "models/albert.py"),
]


def by_lines(term: str) -> list[str]:
    """As ``git grep -ic TERM -- lab`` counts, the most lines first."""
    lines = {name: sum(term in line for line in text.splitlines()) for name, text in FILES.items() if term in text}
    return sorted(lines, key=lambda name: (-lines[name], name))


def by_name(term: str) -> list[str]:
    """As the search of a code host ranks: files whose own name has the term's words, then by how often it stands."""
    words = re.findall("[a-z]+", term)
    files = [name for name in FILES if term in FILES[name]]
    named = {name for name in files if all(word in Path(name).stem for word in words)}
    return sorted(files, key=lambda name: (name not in named, -FILES[name].count(term), name))


@pytest.mark.parametrize("ranking", [by_lines, by_name])
@pytest.mark.parametrize(("term", "right"), TERMS)
def test_the_right_file_is_among_the_first_hits(term: str, right: str, ranking: object) -> None:
    assert callable(ranking)
    hits = ranking(term.lower())
    assert right in hits[:FIRST], hits[:10]


def test_a_file_without_the_word_is_no_hit() -> None:
    assert "objectives/mlm.py" not in by_lines("key-value cache") + by_name("key-value cache")
    assert not by_lines("gearbox") and not by_name("gearbox")
