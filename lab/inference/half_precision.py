"""Half precision (float16) for decoding: a large model's weights are read from memory in half the time.

One token at a time, a model that is larger than the processor's cache waits for its weights more than it works. Kept in
16 bits they are half as many bytes. Norms, softmax and logits stay in float32, and so does a prompt, whose tokens share
one reading of the weights. The logits differ in the fourth digit: a text is mostly the same, not always.

R rows: the tokens that are read at once   W width of what is read   N outputs   V vocabulary
"""

from copy import deepcopy
from dataclasses import replace

from torch import Tensor, nn
from torch.nn import functional

from lab.inference.model import Trained
from lab.layers.heads import BiasedHead, TiedHead

FLOAT16 = "float16"


def in_half(trained: Trained) -> Trained:
    """The same model, which decodes by weights in half precision; the one that is given stays as it is."""
    model = deepcopy(trained.model)
    for part in [*model.modules()]:
        for name, child in [*part.named_children()]:
            if isinstance(child, nn.Linear):
                setattr(part, name, HalfLinear(child.weight, child.bias))
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
