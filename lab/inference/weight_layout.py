"""The layout of weights: how the matrices of a model that only reads lie in memory, so that products take less time.

One vector, the next token of a text that is written, is multiplied more quickly by matrices that lie by columns.
Several at once, a text that is read or samples that grow together, are multiplied more quickly by copies that lie in
the blocks in which the processor takes them (oneDNN's prepacked weights). A copy is made when there is first a use for
it. Shapes and numbers stay, but for the last digits of what several rows come to.

R rows   W width of what is read   N outputs
"""

import platform
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.layers.heads import TableHead

FEW = 4  # rows, under which a copy in blocks gains nothing
LARGE = 2**17  # numbers of a matrix, likewise: each new number of rows takes oneDNN half a millisecond to prepare for
BLOCKS = torch.backends.mkldnn.is_available() and platform.machine().lower() in ("x86_64", "amd64")


def arranged(model: nn.Module) -> nn.Module:
    """The same model, with its weights in the layouts in which they are read most quickly."""
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding) and part.weight.shape[0] >= part.weight.shape[1]:
            part.weight.data = part.weight.data.T.contiguous().T  # wide ones are quicker by rows
    for part in [*model.modules()]:
        if isinstance(part, TableHead):
            part.product = Product()
        for name, child in [*part.named_children()]:
            if type(child) is nn.Linear and child.weight.numel() >= LARGE:  # one made of several is another each time
                setattr(part, name, ArrangedLinear(child))
    return model


def copies(model: nn.Module) -> int:
    """The bytes that a model's weights take in blocks, besides those in which it has them anyway."""
    products = [part.product for part in model.modules() if isinstance(part, ArrangedLinear | TableHead)]
    return sum(product.nbytes for product in products if isinstance(product, Product))


class Product:
    """``functional.linear``, by a copy of the weight in blocks where there are several rows and nothing is learnt."""

    def __init__(self) -> None:
        self.nbytes = 0
        # The copy; of which weight it is, held so that no other comes to its address; and how often that had changed.
        self._copy: tuple[Tensor, Tensor, int] | None = None

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """``x`` (..., W), ``weight`` (N, W), ``bias`` (N,)."""
        several = x.numel() >= FEW * x.shape[-1] and weight.numel() >= LARGE
        if not (several and BLOCKS) or torch.is_grad_enabled() or not x.is_cpu or x.dtype != torch.float32:
            return functional.linear(x, weight, bias)  # (..., N)
        return torch.ops.mkldnn._linear_pointwise(x, self._in_blocks(weight), bias, "none", [], "")

    def _in_blocks(self, weight: Tensor) -> Tensor:
        version = 0 if weight.is_inference() else weight._version
        copy = self._copy
        if copy is None or copy[1].data_ptr() != weight.data_ptr() or copy[2] != version:
            source = weight.detach()
            blocks = torch.ops.mkldnn._reorder_linear_weight(source, 128)  # quick for fewer and more rows, too
            self._copy, self.nbytes = (copy := (blocks, source, version)), weight.nbytes
        return copy[0]

    def __deepcopy__(self, memo: Any) -> "Product":
        return Product()  # which makes copies of its own weight


class ArrangedLinear(nn.Linear):
    """A linear map with the weights of another, which multiplies by a ``Product``."""

    def __init__(self, linear: nn.Linear) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight, self.bias = linear.weight, linear.bias
        self.product = Product()

    def forward(self, input: Tensor) -> Tensor:
        """``input`` (..., W)."""
        return self.product(input, self.weight, self.bias)  # (..., N)
