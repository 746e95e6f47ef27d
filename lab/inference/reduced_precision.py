"""Reduced precision for decoding: weights in half precision (float16), or in eight bits (int8, weight-only
quantisation; Dettmers et al. 2022, section 2.1), so that they are read from memory in half or a quarter of the time.

One token at a time, a model that is larger than the processor's cache waits for its weights more than it works. Norms
and softmax stay in float32, and so does a prompt, whose tokens share one reading of the weights. The head, which
decides between tokens nearly as likely, has no fewer than 16 bits, and neither have its logits. In float16 these differ
in the fourth digit, in int8 in the second or third: a text is mostly the same at first, not always.

R rows: the tokens that are read at once   W width of what is read   N outputs   V vocabulary
"""

from copy import deepcopy
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.inference.model import Trained
from lab.layers.disentangled import Disentangled
from lab.layers.heads import BiasedHead, OwnHead, TiedHead
from lab.runs.eight_bits import quantised_matrix
from lab.runs.run import FLOAT32

FLOAT16, INT8 = "float16", "int8"
PRECISIONS = (FLOAT32, FLOAT16, INT8)
READ = (Disentangled, BiasedHead)  # parts that read the weights of their maps, which stay as they are there
MULTIPLE = 32  # of columns, for which products with whole numbers are made


def in_precision(trained: Trained, precision: str) -> Trained:
    """The same model, which decodes by weights in one of the ``PRECISIONS``; the one that is given stays as it is."""
    if precision == FLOAT32:
        return trained
    model = deepcopy(trained.model)
    for part in [*model.modules()]:
        for name, child in [*part.named_children()]:
            if isinstance(child, nn.Linear) and not isinstance(part, READ):
                few = precision == INT8 and not isinstance(part, OwnHead)
                setattr(part, name, (Int8Linear if few else HalfLinear)(child.weight, child.bias))
            elif isinstance(child, TiedHead | BiasedHead):
                setattr(part, name, HalfHead(child))
    return replace(trained, model=model)


class HalfLinear(nn.Module):
    """A linear map with weights in half precision."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight: Tensor
        self.bias: Tensor | None
        self.register_buffer("weight", weight.detach().half().contiguous())  # (N, W)
        self.register_buffer("bias", None if bias is None else bias.detach())

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (..., W)."""
        if x.numel() > x.shape[-1]:  # several rows: products in half precision are slow where no hardware has them
            return functional.linear(x, self.weight.float(), self.bias)  # (..., N)
        y = functional.linear(x.half(), self.weight).float()
        return y if self.bias is None else y + self.bias


class Int8Linear(nn.Module):
    """A linear map whose weights are whole numbers up to 127, with a scale for each output."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        whole, self.scale = quantised_matrix(weight.detach())  # (N, W), (N,)
        self.bias = torch.zeros_like(self.scale) if bias is None else bias.detach()
        self.room = -whole.shape[1] % MULTIPLE
        self.whole = functional.pad(whole, (0, self.room)).contiguous()  # (N, W + room)
        # The product rounds its scales to bfloat16, too: it is given ones, and the true ones come behind it.
        self.ones = torch.ones_like(self.scale, dtype=torch.bfloat16)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (..., W)."""
        if x.numel() > x.shape[-1]:
            width = x.shape[-1]
            return functional.linear(x, self.whole[:, :width] * self.scale[:, None], self.bias)  # (..., N)
        row = x.reshape(1, -1).bfloat16()
        if self.room:
            row = functional.pad(row, (0, self.room))  # (1, W + room)
        y = torch._weight_int8pack_mm(row, self.whole, self.ones)  # (1, N)
        return torch.addcmul(self.bias, y, self.scale).view(*x.shape[:-1], -1)


class HalfHead(nn.Module):
    """A head that scores states against the token table, of which it keeps a copy in half precision."""

    def __init__(self, head: TiedHead | BiasedHead) -> None:
        super().__init__()
        self.head = head
        self.scores: HalfLinear | None = None

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """``x`` (R, W), ``table`` (V, W)."""
        head = self.head
        if self.scores is None:  # whose weights are the token table, which is first seen here
            own = head.out if isinstance(head, BiasedHead) else None
            self.scores = HalfLinear(table if own is None else own.weight, head.bias)
        return self.scores(x * head.scale if isinstance(head, TiedHead) else x)  # (R, V)
