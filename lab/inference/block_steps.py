"""The steps of a block around its attention: what is normalised and read before, what is added up and follows after.

T tokens that look   S tokens looked at   W width
"""

from dataclasses import dataclass, field

from torch import Tensor, nn

from lab.inference.passed import Passed
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.convolution import ConvolvedBlock


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: what it is called, the matrices that it takes, and the one that it makes."""

    name: str
    takes: tuple[str, ...]
    makes: str


@dataclass(frozen=True)
class Walk:
    """The steps so far, the matrices by name (a row for each token), and the norm that makes a matrix."""

    steps: list[Step] = field(default_factory=list)
    matrices: dict[str, Tensor] = field(default_factory=dict)
    norms: dict[str, nn.Module] = field(default_factory=dict)

    def step(self, name: str, takes: tuple[str, ...], makes: str, matrix: Tensor) -> str:
        """Take one more step; the name of what it makes."""
        self.steps.append(Step(name=name, takes=takes, makes=makes))
        self.matrices[makes] = matrix
        return makes

    def norm(self, taken: str, makes: str, norm: nn.Module) -> str:
        """A step that normalises."""
        self.norms[makes] = norm
        return self.step("norm", (taken,), makes, norm(self.matrices[taken]))


def before_attention(walk: Walk, seen: Passed) -> tuple[str, str]:
    """From the hidden states to what makes queries, and what makes keys and values: the names of both."""
    x = seen.before  # (T, W)
    if isinstance(seen.block, DecoderBlock) and seen.kind == "cross":
        x = _added(seen, x, _self_attention(seen))  # (T, W)
    walk.step("hidden", (), "x", x)
    norm = _norms(seen)[0]
    read = walk.norm("x", "read", norm) if seen.block.pre_norm else "x"
    if seen.kind != "cross":
        return read, read
    assert seen.source is not None
    return read, walk.step("source", (), "source", seen.source)


def after_attention(walk: Walk, seen: Passed, added: str) -> str:
    """From what attention adds to the layer's hidden states: the name of these."""
    norm, end_norm = _norms(seen)
    if not isinstance(end_norm, nn.Identity):
        added = walk.norm(added, "ended", end_norm)
    x = walk.step("residual", ("x", added), "sum", walk.matrices["x"] + walk.matrices[added])
    if not seen.block.pre_norm:
        x = walk.norm(x, "normed", norm)
    rest = _after_self(seen, walk.matrices[x])  # (T, W)
    name = "cross" if isinstance(seen.block, DecoderBlock) and seen.kind != "cross" else "feed"
    return walk.step(name, (x,), "out", seen.end(rest))


def _norms(seen: Passed) -> tuple[nn.Module, nn.Module]:
    """The norm of the attention that is looked at, and what normalises what it adds."""
    block = seen.block
    if isinstance(block, DecoderBlock):
        return block.cross_norm if seen.kind == "cross" else block.attention_norm, nn.Identity()
    return block.attention_norm, block.attention_end_norm


def _self_attention(seen: Passed) -> Tensor:
    """What a block's attention to itself adds: (T, W)."""
    out: Tensor = seen.block.attention.out(seen.block.attention.gather(*seen.own))
    return out[0]


def _added(seen: Passed, x: Tensor, branch: Tensor) -> Tensor:
    return x + branch if seen.block.pre_norm else seen.block.attention_norm(x + branch)


def _after_self(seen: Passed, x: Tensor) -> Tensor:
    """What a block makes of ``x`` (T, W) once the attention that is looked at has been added: (T, W)."""
    block = seen.block
    if isinstance(block, DecoderBlock):
        if seen.kind != "cross":
            assert seen.source is not None and seen.cross is not None
            read = block.cross_norm(x) if block.pre_norm else x
            branch = block.cross(read[None], seen.source[None], seen.cross[3])[0]
            x = x + branch if block.pre_norm else block.cross_norm(x + branch)
        return x + block.feed(block.feed_norm(x)) if block.pre_norm else block.feed_norm(x + block.feed(x))
    assert isinstance(block, Block)
    if block.pre_norm:
        return x + block.feed_end_norm(block.feed(block.feed_norm(x)))
    x = block.feed_norm(x + block.feed(x))
    if isinstance(block, ConvolvedBlock):
        x = block.conv_norm(x + block.conv(seen.before[None], seen.own[3])[0])
    return x
