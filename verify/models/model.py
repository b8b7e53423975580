"""A model of which bounds are asked: a checkpoint, or a module of torch in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from maurey.numeric.hypotheses import CHECKED, STATED, Hypothesis, loss_rests, network_rests
from maurey.numeric.report import in_a_line, table_of
from maurey.numeric.routes import Subject
from maurey.symbolic.architecture import Loss, Norm

from .checkpoints import Checkpoint, open_folder
from .measured import Source
from .subjects import of_record

ARCHITECTURE = "the architecture, the tokenizer and the maximum length were fixed before the sample was drawn"


class Model(Protocol):
    name: str
    source: Source
    refused: tuple[str, ...]

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
    def subject(self, norms: Mapping[str, Norm], loss: Loss, apart: bool) -> Subject: ...
    def rests(self, loss: Loss) -> Iterator[Hypothesis]: ...
    def with_eps(self, eps: Fraction) -> Model | None: ...


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


def of_folder(folder: Path, head: int = 0) -> FromCheckpoint:
    return FromCheckpoint(open_folder(folder, head))
