"""Operation and memory accounting: what a training step does and holds, read off every torch operation."""

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count, shape_wrapper

BYTES = 4  # float32
WORKSPACE = 16  # numbers that the kernel of an LSTM keeps of each unit and token, as measured on a CPU
Moment = tuple[int, int]  # bytes of what is at hand, and of finished gradients

aten = torch.ops.aten


class Ledger(TorchDispatchMode):
    """Inside the ``with`` it counts ``operations``, multiplications and additions each one, and the bytes that are held
    beside the weights of ``model`` and the tensors ``given`` to it. It sees its own thread alone.

    torch's FlopCounterMode counts by the same rules and follows modules by hooks that all threads share: the forward
    passes of everybody else run into them and fail.
    """

    def __init__(self, model: nn.Module, given: Iterable[Tensor] = ()) -> None:
        super().__init__()
        self.operations = 0
        self.written = 0  # bytes of everything that was made
        self.hidden = 0  # bytes that kernels keep for the way back without showing them
        self._formulas = {**flop_registry, **_kernels(self)}
        self._old = [tensor.untyped_storage() for tensor in (*model.parameters(), *model.buffers(), *given)]
        self._known = {storage._cdata for storage in self._old}
        self._fresh: dict[int, tuple[int, Any]] = {}  # what was made since and is still there
        self._at_hand = self._gradients = 0
        self.fullest: Moment = (0, 0)  # when most was at hand
        self.last: Moment = (0, 0)  # when the last gradients were made
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(self._settle)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.prim.device.default:  # two of three calls: a fake tensor is asked where it would be
            return args[0].fake_device
        kwargs = kwargs or {}
        formula = self._formulas.get(func._overloadpacket)
        if formula is None and func.has_kernel_for_dispatch_key(torch.DispatchKey.CompositeImplicitAutograd):
            with self:  # an operation that is made of others is counted as those
                return func.decompose(*args, **kwargs)
        made = func(*args, **kwargs)
        self.operations += formula(*args, **kwargs, out_val=made) if formula else 0
        for leaf in tree_leaves(made):
            if isinstance(leaf, Tensor):
                self._take(leaf.untyped_storage())
        return made

    def _take(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key in self._known or key in self._fresh:
            return
        size = storage.nbytes()
        self._fresh[key] = size, weakref.ref(storage, lambda _: self._drop(key))
        self._at_hand += size
        self.written += size
        self._mark()

    def _drop(self, key: int) -> None:
        self._at_hand -= self._fresh.pop(key, (0, None))[0]

    def _settle(self, parameter: Tensor) -> None:
        """A finished gradient stays until the optimizer has used it, and is as large whatever the number of rows."""
        assert parameter.grad is not None
        self._drop(parameter.grad.untyped_storage()._cdata)
        self._gradients += parameter.grad.numel() * parameter.grad.element_size()
        self._mark()

    def _mark(self) -> None:
        now = self._at_hand + self.hidden, self._gradients
        self.fullest = max(self.fullest, now)
        self.last = max(self.last, now, key=lambda moment: (moment[1], moment[0]))


class Saved:
    """The tensors that a forward pass saves for the way back, each storage once and parameters not at all."""

    def __init__(self, model: nn.Module) -> None:
        self._weights = {tensor.untyped_storage()._cdata for tensor in model.parameters()}
        self._held: dict[int, torch.UntypedStorage] = {}  # held, so that no other takes its place in memory

    def keep(self, tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in self._weights:
            self._held[storage._cdata] = storage
        return tensor

    @property
    def bytes(self) -> int:
        return sum(storage.nbytes() for storage in self._held.values())


def _kernels(ledger: Ledger) -> dict[Any, Callable[..., int]]:
    """How many operations the kernels of a CPU take that torch does not count itself."""

    def lstm(x: Any, w: Any, u: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
        t, b, width = x
        hidden = w[0] // 4
        ledger.hidden += BYTES * WORKSPACE * t * b * hidden
        return 2 * t * b * 4 * hidden * (width + hidden)

    def lstm_backward(x: Any, w: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
        t, b, width = x
        hidden = w[0] // 4
        return 4 * t * b * 4 * hidden * (width + hidden)

    def attention(q: Any, k: Any, v: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
        return int(sdpa_flop_count(q, k, v))

    def attention_backward(grad: Any, q: Any, k: Any, v: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
        return int(sdpa_backward_flop_count(grad, q, k, v))

    formulas = {
        aten._scaled_dot_product_flash_attention_for_cpu: attention,
        aten._scaled_dot_product_flash_attention_for_cpu_backward: attention_backward,
        aten.mkldnn_rnn_layer: lstm,
        aten.mkldnn_rnn_layer_backward: lstm_backward,
    }
    return {kernel: shape_wrapper(formula) for kernel, formula in formulas.items()}
