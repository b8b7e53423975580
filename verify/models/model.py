"""A model of which bounds are asked: a checkpoint, or a module of torch in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from maurey.numeric.exact import plain_number
from maurey.numeric.hypotheses import CHECKED, STATED, Hypothesis, loss_rests, network_rests
from maurey.numeric.report import in_a_line, table_of
from maurey.numeric.routes import Subject
from maurey.symbolic.architecture import Loss, Norm
from maurey.symbolic.modules.words import in_words

from . import running
from .checkpoints import Checkpoint, open_folder
from .described import open_described
from .measured import Source, whole_of
from .memory.composition import Compiled
from .running import Running, of_checkpoint
from .subjects import of_memory, of_record

ARCHITECTURE = "the architecture, the tokenizer and the maximum length were fixed before the sample was drawn"


class Model(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> Source: ...
    @property
    def refused(self) -> tuple[str, ...]: ...
    @property
    def words(self) -> str: ...
    @property
    def table(self) -> dict[str, Any]: ...
    @property
    def numbers(self) -> int: ...
    @property
    def new_head(self) -> int: ...
    @property
    def tensors(self) -> list[str]: ...
    @property
    def buffers(self) -> tuple[str, ...]: ...
    @property
    def loss(self) -> Loss: ...
    def subject(self, norms: Mapping[str, Norm], loss: Loss, apart: bool) -> Subject: ...
    def rests(self, loss: Loss) -> Iterator[Hypothesis]: ...
    def with_eps(self, eps: Fraction) -> Model | None: ...
    def running(self) -> Running: ...


@dataclass(frozen=True)
class FromCheckpoint:
    """A folder; its record may be changed to ask what would help."""

    source: Checkpoint
    eps: Fraction | None = None

    @property
    def architecture(self) -> Any:
        a = self.source.architecture
        return a if self.eps is None else replace(a, norm_eps=self.eps)

    @property
    def loss(self) -> Loss:
        return self.source.architecture.loss

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def refused(self) -> tuple[str, ...]:
        return self.source.refused

    @property
    def words(self) -> str:
        return in_a_line(self.architecture)

    @property
    def table(self) -> dict[str, Any]:
        return {"family": self.source.reading.family, **table_of(self.architecture)}

    @property
    def numbers(self) -> int:
        return self.source.numbers

    @property
    def new_head(self) -> int:
        """Numbers of a head that the checkpoint lacks."""
        a = self.architecture
        there = any(place.slot == "head" for places in self.source.reading.places.values() for place in places)
        return 0 if there or a.tied else a.outputs * a.width

    @property
    def tensors(self) -> list[str]:
        return list(self.source.tensors)

    @property
    def buffers(self) -> tuple[str, ...]:
        return self.source.buffers

    def subject(self, norms: Mapping[str, Norm], loss: Loss, apart: bool) -> Subject:
        return of_record(self.architecture, norms, loss, apart)

    def rests(self, loss: Loss) -> Iterator[Hypothesis]:
        a = replace(self.architecture, loss=loss)
        yield Hypothesis(ARCHITECTURE, STATED)
        if a.vocabulary:
            yield Hypothesis("an input is a sequence of at most so many words; padding is masked", STATED,
                             str(a.context))  # fmt: skip
        yield Hypothesis("the network is evaluated, not in training: there is no dropout", STATED)
        yield from loss_rests(a)
        yield from network_rests(a)
        yield from (Hypothesis(text, STATED) for text in self.source.stated)
        if self.new_head:
            yield Hypothesis("the head is not in the checkpoint: rows of norm at most so much, without bias", STATED,
                             "1")  # fmt: skip
        yield Hypothesis("every tensor is one weight of the class or one of these buffers", CHECKED,
                         ", ".join(self.buffers) or "none")  # fmt: skip

    def with_eps(self, eps: Fraction) -> FromCheckpoint | None:
        return replace(self, eps=eps) if eps > self.architecture.norm_eps else None

    def running(self) -> Running:
        return of_checkpoint(self.source)


@dataclass(frozen=True)
class FromMemory:
    """A module of torch."""

    source: Compiled
    radius: Fraction = Fraction(1)  # of the vectors that come in
    refused: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    new_head: int = 0
    loss: Loss = field(default_factory=Loss)

    @property
    def name(self) -> str:
        return self.source.title

    @property
    def words(self) -> str:
        c = self.source
        comes = f"{c.words:,} words" if c.words else "vectors"
        reads = "a score for every token" if c.every_token else "one vector of scores"
        return (
            f"{c.title} in memory, {len(c.tensors)} matrices, {comes}, {c.tokens} tokens, {c.classes} classes, {reads}"
        )

    @property
    def table(self) -> dict[str, Any]:
        c = self.source
        return {"class": c.title, "network": in_words(c.network), "tokens": c.tokens, "vocabulary": c.words,
                "outputs": c.classes}  # fmt: skip

    @property
    def numbers(self) -> int:
        return sum(A.array.size for A in self.source.tensors.values())

    @property
    def tensors(self) -> list[str]:
        return list(dict.fromkeys(whole_of(A.name) for A in self.source.tensors.values()))

    def subject(self, norms: Mapping[str, Norm], loss: Loss, apart: bool) -> Subject:
        return of_memory(self.source, norms, loss, self.radius)

    def rests(self, loss: Loss) -> Iterator[Hypothesis]:
        c = self.source
        yield Hypothesis(ARCHITECTURE, STATED)
        yield Hypothesis("an input has at most so many tokens", STATED, str(c.tokens))
        if not c.words:
            yield Hypothesis("the vectors that come in are at most so long", STATED, plain_number(self.radius))
        yield Hypothesis("the module is in evaluation mode: there is no dropout", CHECKED)
        yield Hypothesis("what was compiled computes what the module computed on the example", CHECKED)
        if c.offset is not None:
            yield Hypothesis("vectors that are added from a buffer were fixed before the sample", STATED, c.offset.name)
        cap = loss.cap if loss.kind == "cross-entropy" else Fraction(1)
        yield Hypothesis("the loss lies between 0 and so much", CHECKED, plain_number(cap))
        if c.every_token:
            yield Hypothesis("a sample is a sequence, and its loss the mean over its tokens", STATED)

    def with_eps(self, eps: Fraction) -> None:
        return None

    def running(self) -> Running:
        return running.of_memory(self.source)


def of_folder(folder: Path, head: int = 0) -> FromCheckpoint:
    """With config.json and safetensors."""
    return FromCheckpoint(open_folder(folder, head))


def of_tables(tables: Mapping[str, Any], file: Path) -> FromCheckpoint:
    """A state dict, with the file that describes it."""
    return FromCheckpoint(open_described(tables, file))
