"""The graph of a module of torch as a composition of modules of the calculus, with the module's own names.

A sum of tokens and of what was made of them is a residual, a sum of what was looked up an embedding. The composition is
run on the example, and must say what the module said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import torch
from sympy import Integer, Rational, Symbol
from torch import Tensor, nn

from maurey.symbolic.architecture import SUFFIXES
from maurey.symbolic.errors import InputError
from maurey.symbolic.modules import (
    Activation,
    Embedding,
    Fixed,
    Heads,
    LargestToken,
    LayerNorm,
    Linear,
    MeanToken,
    Module,
    MultiHead,
    Offset,
    ReadToken,
    Residual,
    Sequence,
    Unembedding,
)
from maurey.symbolic.norms import Matrix
from maurey.verify.attack.forwards import forward

from ..files.state_dicts import stored
from ..numbers.norms import norms
from ..numbers.tensors import Stored
from .composition import Compiled, running_weights
from .recording import Node, recorded

CLOSE = 1e-4  # relative to the largest score: modules compute in single precision
Step: TypeAlias = "Node | Words | Added | Beside | Branch"
Path: TypeAlias = "tuple[Step, ...]"


def compiled(module: nn.Module, example: Tensor) -> Compiled:
    output = recorded(module, example)
    with torch.no_grad():
        said = module(example)
    if said.shape[-1] < 1 or said.dim() < 1:
        raise InputError("the module gives no scores")
    path = _Graph().path(output)
    if not path:
        raise InputError("the module is no composition of known modules: a sum is neither a residual nor an embedding")
    first, words = path[0], 0
    if isinstance(first, Words):
        words = len(first.words.tensors["table"])
    found = Compiled(
        title=type(module).__name__,
        network=Sequence(()),
        tokens=example.shape[-1] if words else example.shape[-2],
        words=words,
        classes=said.shape[-1],
        every_token=output.axis is not None,
    )
    found.network = _Builder(module, found).sequence(path, ends=True)
    _check(found, example, said)
    return found


def _check(found: Compiled, example: Tensor, said: Tensor) -> None:
    X = example.double() if not found.words else torch.nn.functional.one_hot(example, found.words).double()
    with torch.no_grad():
        ours = forward(found.network, running_weights(found), X, {"": X.new_zeros(())}, sigma="identity")
    scale = max(1.0, float(said.abs().max()))
    if float((ours.reshape(said.shape) - said).abs().max()) > CLOSE * scale:
        raise InputError("what was compiled of the module computes something else than the module")


@dataclass(frozen=True)
class Words:
    """What is looked up, and a trained table of positions that is added."""

    words: Node
    tables: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Added:
    """Fixed vectors, one for each position."""

    table: Node


@dataclass(frozen=True)
class Beside:
    """What was made of the same tokens in two ways, in one sum."""

    sides: tuple[Path, Path]


@dataclass(frozen=True)
class Branch:
    """The tokens and what was made of them, in one sum."""

    path: Path


class _Graph:
    """Paths through the graph, found once each."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, int], Path | None] = {}

    def path(self, node: Node, stop: Node | None = None) -> Path | None:
        """From one node to another, or from the input; none if there is no such path."""
        key = id(node), id(stop)
        if key not in self.found:
            self.found[key] = self._path(node, stop)
        return self.found[key]

    def _path(self, node: Node, stop: Node | None) -> Path | None:
        if node is stop:
            return ()
        if node.op == "add":
            return self._looked_up(node, stop) or self._shifted(node, stop) or self._sum(node, stop)
        if node.op == "lookup":
            return (Words(node),) if stop is None else None
        if node.op == "input":
            return () if stop is None else None
        before = self.path(node.inputs[0], stop) if node.inputs else None
        return before if before is None or node.op == "same" else (*before, node)

    def _looked_up(self, node: Node, stop: Node | None) -> Path | None:
        leaves = _leaves(node)
        words, tables = ([leaf for leaf in leaves if leaf.op == op] for op in ("lookup", "table"))
        if stop is not None or len(words) != 1 or len(words) + len(tables) < len(leaves):
            return None
        return (Words(words[0], tuple(tables)),)

    def _shifted(self, node: Node, stop: Node | None) -> Path | None:
        for x, table in (node.inputs, node.inputs[::-1]):
            if table.op == "offset" and (before := self.path(x, stop)) is not None:
                return (*before, Added(table))
        return None

    def _sum(self, node: Node, stop: Node | None) -> Path | None:
        for x, fx in (node.inputs, node.inputs[::-1]):
            before = self.path(x, stop)
            if before is not None and (inner := self.path(fx, x)):
                return (*before, Branch(inner))
            if x.op == "add":  # x + f(x) + h(x)
                for start, other in (x.inputs, x.inputs[::-1]):
                    sides, root = (self.path(other, start), self.path(fx, start)), self.path(start, stop)
                    if root is not None and sides[0] and sides[1]:
                        return (*root, Branch(_beside(sides[0], sides[1])))
        return None


def _beside(one: Path, other: Path) -> Path:
    """With what both begin with once."""
    same = 0
    while same < min(len(one), len(other)) - 1 and one[same] is other[same]:
        same += 1
    return (*one[:same], Beside((one[same:], other[same:])))


def _leaves(node: Node) -> list[Node]:
    return [leaf for one in node.inputs for leaf in _leaves(one)] if node.op == "add" else [node]


class _Builder:
    def __init__(self, module: nn.Module, found: Compiled) -> None:
        self.names = {id(tensor): name for name, tensor in (*module.named_parameters(), *module.named_buffers())}
        self.found, self.tables = found, dict[int, Matrix]()

    def sequence(self, path: Path, ends: bool = False) -> Sequence:
        """With `ends`, the last of it gives the scores."""
        return Sequence(tuple(self._module(step, ends and step is path[-1]) for step in path))

    def _module(self, step: Step, last: bool) -> Module:
        if isinstance(step, Words):
            positions = [self.table(one.tensors["table"]) for one in step.tables]
            if len(positions) > 1:
                raise InputError("more than one table of positions")
            return Embedding(self.table(step.words.tensors["table"]), next(iter(positions), None))
        if isinstance(step, Added):
            return self._offset(step.table.tensors["table"])
        if isinstance(step, Beside):
            return Heads(tuple(self.sequence(side) for side in step.sides))
        if isinstance(step, Branch):
            return Residual(self.sequence(step.path))
        t, options = step.tensors, step.options
        match step.op:
            case "linear" if id(t["weight"]) in self.tables:
                return Unembedding(self.table(t["weight"]), self._bias(t, last))
            case "linear":
                largest = last and len(t["weight"]) > 1
                return Linear(self.matrix(t["weight"]), largest, self._bias(t, largest))
            case "norm":
                eps = Fraction(repr(options["eps"]))
                gain, bias = (self.matrix(t[kind], kind) if kind in t else None for kind in ("gain", "bias"))
                width, small = Integer(options["width"]), Rational(eps.numerator, eps.denominator)
                return LayerNorm(width, small, gain, bias, options["centred"])
            case "activation":
                return Activation(options["name"], Integer(options["width"]))
            case "attention":
                return self._attention(t, options)
            case "mean":
                return MeanToken()
            case "scaled":
                factor = Fraction(options["factor"])
                return Fixed(Rational(factor.numerator, factor.denominator))
            case "first" | "last":
                return ReadToken(last=step.op == "last")
        return LargestToken(Integer(options["width"]))

    def _bias(self, t: Mapping[str, Tensor], largest: bool) -> Matrix | None:
        return self.matrix(t["bias"], "bias of scores" if largest else "bias") if "bias" in t else None

    def _attention(self, t: Mapping[str, Tensor], options: Mapping[str, Any]) -> MultiHead:
        d, heads = t["out"].shape[0], options["heads"]
        found: dict[str, Matrix | None] = {}
        for i, part in enumerate(("query", "key", "value")):
            own, letter = slice(i * d, (i + 1) * d), part[0].upper()
            found[part] = self.matrix(t["in"], "map", own, letter)
            found[f"{part}_bias"] = self.matrix(t["in_bias"], "bias", own, letter) if "in_bias" in t else None
        found["output"] = self.matrix(t["out"])
        found["output_bias"] = self.matrix(t["out_bias"], "bias") if "out_bias" in t else None
        return MultiHead(**found, heads=Integer(heads), width=Integer(d // heads), causal=options["causal"])  # type: ignore[arg-type]

    def _offset(self, tensor: Tensor) -> Offset:
        """Known numbers: the longest of them."""
        if self.found.offset is not None:
            raise InputError("fixed vectors are added twice")
        name = self.names[id(tensor)]
        own = stored(name, tensor)
        self.found.offset = replace(own, array=own.array.reshape(-1, own.shape[-1]))
        longest = norms(self.found.offset).rows.upper
        return Offset(Rational(longest.numerator, longest.denominator))

    # --- matrices -----------------------------------------------------------------------------------------------------

    def table(self, tensor: Tensor) -> Matrix:
        """One column for each of its vectors; used twice, it is one matrix."""
        if id(tensor) not in self.tables:
            self.tables[id(tensor)] = self.matrix(tensor, "table")
        return self.tables[id(tensor)]

    def matrix(self, tensor: Tensor, kind: str = "map", rows: slice = slice(None), part: str = "") -> Matrix:
        """`part`: the letter of one of those that share a tensor."""
        name = self.names.get(id(tensor))
        if name is None:
            raise InputError("a weight that is no parameter of the module")
        own = stored(name, tensor)
        array = own.array.reshape(-1, own.shape[-1]).T if kind == "table" else own.array.reshape(own.shape[0], -1)[rows]
        called = name.removesuffix(".weight")
        if part:
            called = f"{name.rpartition('.')[0]}.{part}{'_bias' if kind == 'bias' else ''}".lstrip(".")
        label = called.replace(".", "_")
        if label in self.found.tensors:
            raise InputError(f"{name} is used twice, and is no table of words")
        said = f"{name} ({part})" if part else name
        self.found.tensors[label], self.found.kinds[label] = Stored(said, own.kind, array), kind
        bounds = {f: Symbol(f"B_{label}_{s}" if s else f"B_{label}") for s, f in SUFFIXES[kind].items()}
        plain = called.replace("_", r"\_")
        return Matrix(label, rf"\mathrm{{{plain}}}", Integer(array.shape[0]), Integer(array.shape[1]), **bounds)
