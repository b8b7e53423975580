"""A module of torch, run once on an example: what its tensors went through, as a graph.

Every function of torch that is called meanwhile is seen, those of the module's own forward too. One that is not known
is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from maurey.symbolic.errors import InputError, cut

NO_CONSTANT = ": u/|u| has no Lipschitz constant; leave it out, and bound what comes before"
NOT_CONTINUOUS = ": which entries are the largest does not change continuously, and routes in real numbers need that"
REASONS = {"normalize": NO_CONSTANT} | dict.fromkeys(("topk", "argmax", "argsort"), NOT_CONTINUOUS)


@dataclass(eq=False)
class Node:
    """What a function gave: tokens, and their axis; none, where one vector is left of them."""

    op: str
    inputs: tuple[Node, ...] = ()
    axis: int | None = None
    tensors: Mapping[str, Tensor] = field(default_factory=dict)  # parameters, by role
    options: Mapping[str, Any] = field(default_factory=dict)


def recorded(module: nn.Module, example: Tensor) -> Node:
    """The graph behind the output."""
    if any(part.training for part in module.modules()):
        raise InputError("the module is in training mode, where dropout is on: call .eval() first")
    recorder = Recorder(module, example)
    with torch.no_grad(), recorder:
        output = module(example)
    node = recorder.node(output)
    if node is None or output.dim() > 3:
        raise InputError("the module gives no tensor of scores that depends on its input")
    return node


class Recorder(TorchFunctionMode):
    """Keeps a node for each tensor that depends on the input, and the tensor alive, so that its id stays its own."""

    def __init__(self, module: nn.Module, example: Tensor) -> None:
        super().__init__()
        self.known: dict[int, tuple[Node, Tensor]] = {}
        self.buffers = {id(tensor) for tensor in module.buffers()}
        self.fixed = {id(tensor) for tensor in module.parameters()} | self.buffers
        words = not example.is_floating_point()
        if example.dim() not in ((1, 2) if words else (2, 3)):
            raise InputError(f"the example has shape {list(example.shape)}; want one sequence of words or of vectors")
        batched = example.dim() - (0 if words else 1) == 2
        if batched and len(example) != 1:
            raise InputError(f"the example has {len(example)} sequences; want one")
        self.keep(Node("words" if words else "input", axis=1 if batched else 0), example)

    def keep(self, node: Node, tensor: Tensor) -> None:
        self.known[id(tensor)] = node, tensor

    def node(self, value: Any) -> Node | None:
        return self.known[id(value)][0] if id(value) in self.known else None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        found = func(*args, **kwargs)
        first = found[0] if isinstance(found, tuple) and found else found
        name = str(getattr(func, "__name__", func))
        if not isinstance(first, Tensor) or not self._concerns(name, (*args, *kwargs.values())):
            return found
        if name not in FUNCTIONS:
            raise InputError(f"the function {cut(name)} of torch is not known here{REASONS.get(name, '')}")
        self.keep(FUNCTIONS[name](self, first, *args, **kwargs), first)
        return found

    def _concerns(self, name: str, given: tuple[Any, ...]) -> bool:
        """Whether something depends on the input, or rows of a table are taken."""
        flat = [one for value in given for one in (value if isinstance(value, (list, tuple)) else (value,))]
        taken = name in ("embedding", "__getitem__") and any(id(one) in self.fixed for one in flat)
        return taken or any(self.node(one) is not None for one in flat)

    def tokens(self, value: Any) -> Node:
        node = self.node(value)
        if node is None:
            raise InputError("a function takes a tensor that does not depend on the input for its tokens")
        return node

    def table(self, tensor: Tensor) -> Node:
        """Of vectors, one for each position; not trained, if it is a buffer."""
        return Node("offset" if id(tensor) in self.buffers else "table", tensors={"table": tensor})


# --- what is known of functions ---------------------------------------------------------------------------------------


def _embedding(r: Recorder, found: Tensor, ids: Tensor, weight: Tensor, *_: Any, **options: Any) -> Node:
    if options.get("max_norm") is not None:
        raise InputError("an embedding with max_norm changes its table while it runs")
    node = r.node(ids)
    if node is not None:
        return Node("lookup", (node,), node.axis, {"table": weight})
    if ids.flatten().tolist() != list(range(ids.numel())):
        raise InputError("a table is read at numbers that are neither words nor the positions 0, 1, 2, ...")
    return r.table(weight)


def _get(r: Recorder, found: Tensor, x: Tensor, index: Any) -> Node:
    """The first rows of a table, or one token."""
    if id(x) in r.fixed:
        if not torch.equal(found.reshape(-1, x.shape[-1]), x.reshape(-1, x.shape[-1])[: found.shape[-2]]):
            raise InputError("of a table, other rows than the first are taken")
        return r.table(x)
    node = r.tokens(x)
    entries = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in entries:
        raise InputError("a token is read with an index that has an ellipsis")
    whole = [one == slice(None) for one in entries]
    if node.axis is None or all(whole):
        return node
    if len(entries) <= node.axis or whole.count(False) > 1 or whole[node.axis] or entries[node.axis] not in (0, -1):
        raise InputError(f"of the tokens, {cut(str(index))} is read; want the first or the last")
    return Node("first" if entries[node.axis] == 0 else "last", (node,))


def _select(r: Recorder, found: Tensor, x: Tensor, dim: int, index: int) -> Node:
    return _get(r, found, x, (*[slice(None)] * (dim % x.dim()), index))


def _add(r: Recorder, found: Tensor, x: Any, y: Any, alpha: float = 1) -> Node:
    if alpha != 1:
        raise InputError("a sum with a factor alpha")
    nodes = []
    for one in (x, y):
        node = r.node(one)
        if node is None and id(one) in r.fixed:
            node = r.table(one)
        if node is None:
            raise InputError("something is added to the tokens that is no parameter and does not depend on the input")
        nodes.append(node)
    return Node("add", tuple(nodes), next((n.axis for n in nodes if n.axis is not None), None))


def _scaled(r: Recorder, found: Tensor, x: Any, y: Any) -> Node:
    x, factor = (x, y) if isinstance(x, Tensor) else (y, x)
    node = r.tokens(x)
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < float("inf"):
        raise InputError("tokens are multiplied by something that is no positive number")
    return Node("scaled", (node,), node.axis, options={"factor": factor})


def _linear(r: Recorder, found: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Node:
    node = r.tokens(x)
    return Node("linear", (node,), node.axis, {"weight": weight} | ({} if bias is None else {"bias": bias}))


def _layer_norm(
    r: Recorder, found: Tensor, x: Tensor, shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Node:  # fmt: skip
    node = r.tokens(x)
    if len(shape) != 1:
        raise InputError(f"a norm over the axes {list(shape)}; want one over the last")
    tensors = {name: t for name, t in (("gain", weight), ("bias", bias)) if t is not None}
    return Node("norm", (node,), node.axis, tensors, {"eps": eps, "centred": True, "width": shape[0]})


def _rms_norm(
    r: Recorder, found: Tensor, x: Tensor, shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Node:
    node = _layer_norm(r, found, x, shape, weight, eps=torch.finfo(x.dtype).eps if eps is None else eps)
    return Node("norm", node.inputs, node.axis, node.tensors, {**node.options, "centred": False})


def _attention(
    r: Recorder, found: Tensor, query: Tensor, key: Tensor, value: Tensor, d: int, heads: int, weight: Tensor,
    bias: Tensor | None, bias_k: Any, bias_v: Any, zero: bool, dropout: float, out: Tensor, out_bias: Tensor | None,
    **options: Any,
) -> Node:  # fmt: skip
    node = r.tokens(query)
    if not node is r.node(key) is r.node(value):
        raise InputError("attention whose queries, keys and values are not made of the same tokens")
    if node.axis != 0:
        raise InputError("attention over the axis of the batch: its module wants batch_first=True")
    if options.get("use_separate_proj_weight") or bias_k is not None or bias_v is not None or zero:
        raise InputError("attention with kdim, vdim, add_bias_kv or add_zero_attn")
    if options.get("key_padding_mask") is not None:
        raise InputError("attention with a mask for padding: give an example without")
    causal = _is_causal(options.get("attn_mask"), len(query)) or bool(options.get("is_causal"))
    tensors = {"in": weight, "in_bias": bias, "out": out, "out_bias": out_bias}
    given = {name: t for name, t in tensors.items() if t is not None}
    return Node("attention", (node,), 0, given, {"heads": heads, "causal": causal})


def _is_causal(mask: Tensor | None, T: int) -> bool:
    if mask is None:
        return False
    later = torch.ones(T, T).triu(1).bool()
    seen = mask if mask.dtype == torch.bool else mask != 0
    hidden = bool(mask.dtype == torch.bool or torch.isneginf(mask[seen]).all())
    if mask.shape != (T, T) or not hidden or not torch.equal(seen, later):
        raise InputError("attention with a mask that is not the causal one")
    return True


def _same(r: Recorder, found: Tensor, x: Tensor, *_: Any, **options: Any) -> Node:
    """Dropout at evaluation, copies, other types of numbers."""
    if options.get("training") and options.get("p", 0):
        raise InputError("dropout is on")
    return r.tokens(x)


def _shaped(r: Recorder, found: Tensor, x: Tensor, *_: Any, **__: Any) -> Node:
    node = r.tokens(x)
    if node.axis is not None and found.shape != x.shape:
        raise InputError("tokens are given another shape")
    return node


def _transposed(r: Recorder, found: Tensor, x: Tensor, *axes: int) -> Node:
    node = r.tokens(x)
    if sorted(axis % x.dim() for axis in axes) != [0, 1] or x.dim() != 3 or node.axis is None:
        raise InputError("axes are exchanged that are not those of batch and tokens")
    return Node("same", (node,), 1 - node.axis)


def _over_tokens(op: str) -> Callable[..., Node]:
    def read(r: Recorder, found: Tensor, x: Tensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Node:
        node = r.tokens(x)
        dims = [d % x.dim() for d in (dim if isinstance(dim, (list, tuple)) else [dim] if dim is not None else [])]
        if node.axis is None or dims != [node.axis]:
            raise InputError(f"a {op} that is not over the tokens")
        return Node(op, (node,), options={"width": x.shape[-1]})

    return read


def _activation(name: str) -> Callable[..., Node]:
    def act(r: Recorder, found: Tensor, x: Tensor, *_: Any, **options: Any) -> Node:
        node = r.tokens(x)
        kind = "gelu_tanh" if options.get("approximate") == "tanh" else name
        return Node("activation", (node,), node.axis, options={"name": kind, "width": x.shape[-1]})

    return act


ACTIVATIONS = ("relu", "gelu", "tanh", "silu", "sigmoid")
FUNCTIONS: dict[str, Callable[..., Node]] = {
    "embedding": _embedding, "__getitem__": _get, "select": _select, "linear": _linear, "layer_norm": _layer_norm,
    "rms_norm": _rms_norm, "multi_head_attention_forward": _attention, "transpose": _transposed,
    **dict.fromkeys(("add", "__add__", "__radd__", "__iadd__", "add_"), _add),
    **dict.fromkeys(("mul", "__mul__", "__rmul__"), _scaled),
    **dict.fromkeys(("dropout", "contiguous", "clone", "to", "float", "double", "detach"), _same),
    **dict.fromkeys(("reshape", "view", "flatten", "squeeze", "unsqueeze"), _shaped),
    **{name: _activation(name) for name in ACTIVATIONS}, "relu_": _activation("relu"),
    "mean": _over_tokens("mean"), "amax": _over_tokens("largest"), "max": _over_tokens("largest"),
}  # fmt: skip
