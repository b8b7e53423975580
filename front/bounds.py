"""maurey.bound: every bound that applies to a model, as an object."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maurey.symbolic.errors import InputError, cut

if TYPE_CHECKING:
    from maurey.numeric.report import Report

COLUMNS = ("name", "shape", "spectral", "frobenius", "rows", "stable_rank", "coefficient_log10", "share")


def bound(
    model: Any,
    *,
    samples: int | None = None,
    delta: Any = "1/20",
    loss: str = "",
    head: int = 0,
    frozen: Sequence[str] = (),
    bits: int = 0,
    base: Any = None,
    sigma: Any = "",
    losses: Any = None,
    data: Any = (),
    example: Any = None,
    radius: Any = 1,
    one_pass: bool | None = None,
) -> BoundReport:
    """Every bound that applies to a model: the file of an architecture, a folder with config.json and safetensors, a
    file that describes a state dict, or a module of torch in memory.

    Each is a bound, in another way than heuristics for the same layers: risk less empirical risk, with probability at
    least 1 - delta, for all networks of a class at once; `hypotheses` says what each rests on. The options are those
    of `maurey bound`. A module in memory needs an `example`, one sequence of words' numbers or of vectors; vectors are
    at most as long as `radius`. `data` are sequences at which derivatives are measured.

    >>> import maurey
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> mlp = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
    >>> report = maurey.bound(mlp, example=torch.zeros(1, 3, 4), samples=10**6)
    >>> report
    <Sequential: 58 numbers; the gap is at most 0.0185 at m = 1,000,000 (net)>
    >>> [row["name"] for row in report.layers]
    ['0.weight', '0.bias', '2.weight', '2.bias']
    """
    from maurey.commands.bound import _probability, named_loss, of_paths

    if not isinstance(loss, str):
        raise InputError(f"loss is 0-1, ramp:MARGIN or cross-entropy:CAP, got {cut(repr(loss))}")
    found_loss = named_loss(loss) if loss else None
    given: dict[str, Any] = {
        "samples": _number(samples),
        "delta": _probability(str(delta)),
        "frozen": _patterns(frozen),
    }
    if hasattr(model, "state_dict") and hasattr(model, "parameters"):
        opened = _in_memory(model, example, radius, head, base)
    elif isinstance(model, (str, Path)):
        if example is not None:
            raise InputError("an example is for modules in memory")
        opened = of_paths(Path(model), head)
    else:
        raise InputError(f"want a path or a module of torch, got {cut(repr(model))}")
    if opened is None:  # the file of an architecture
        given |= {"of_models": (head, bits, base, sigma, losses, data)}
        return _of_architecture(str(model), found_loss, **given)
    from maurey.verify.models.report import Options, report

    options = Options(
        **given,
        loss=found_loss or opened.loss,
        bits=bits,
        base=None if base is None else Path(base),
        sigma=str(sigma),
        losses=None if losses is None else Path(losses),
        data=[_array(one) for one in data],
        one_pass=one_pass,
    )
    return BoundReport(report(opened, options), str(model) if isinstance(model, (str, Path)) else "")


def _number(samples: Any) -> int | None:
    from maurey.numeric.binding import read_exact
    from maurey.symbolic.claim import Parameter

    if samples is None:
        return None
    found = read_exact(Parameter("samples", "", "", "positive integer"), samples)
    assert not isinstance(found, list)
    return int(found)


def _patterns(frozen: Any) -> tuple[str, ...]:
    """One of them may stand alone."""
    found = (frozen,) if isinstance(frozen, str) else tuple(frozen) if isinstance(frozen, (list, tuple, set)) else (0,)
    if not all(isinstance(pattern, str) for pattern in found):
        raise InputError(f"frozen names what is not trained, e.g. ['E', 'N*'], got {cut(repr(frozen))}")
    return found


def _in_memory(module: Any, example: Any, radius: Any, head: int, base: Any) -> Any:
    from maurey.numeric.binding import read_exact
    from maurey.symbolic.claim import Parameter
    from maurey.verify.models.memory.graphs import compiled
    from maurey.verify.models.model import FromMemory

    if head or base is not None:
        raise InputError("head and base are for folders: a module in memory has its head, and no base")
    if not hasattr(example, "is_floating_point"):
        raise InputError("a module in memory needs an example: a tensor with one sequence of words or of vectors")
    longest = read_exact(Parameter("radius", "", "radius"), radius)
    assert isinstance(longest, Fraction)
    return FromMemory(compiled(module, example), longest)


def _of_architecture(
    file: str, loss: Any, samples: int | None, delta: Any, frozen: tuple[str, ...], of_models: tuple[Any, ...]
) -> BoundReport:
    from dataclasses import replace

    from maurey.commands.bound import architecture
    from maurey.numeric.report import report

    if any(x is not None and len(str(x)) and x not in (0, (), "") for x in of_models):
        raise InputError(
            "head, bits, base, sigma, losses and data are for checkpoints, and this file describes no weights"
        )
    read = architecture(file)
    read = read if loss is None else replace(read, loss=loss)
    return BoundReport(report(read, samples, delta, frozen), file)


def _array(one: Any) -> Any:
    import numpy as np

    return np.asarray(one.tolist() if hasattr(one, "tolist") else one)


class BoundReport:
    """Every bound that applies to a model.

    `routes` ranks the bounds, `layers` has one row for each matrix with its certified norms (the ends between which
    they lie), `hypotheses` what all of it rests on; `record` is the JSON of `maurey bound`.

    >>> import maurey
    >>> import torch
    >>> report = maurey.bound(torch.nn.Linear(4, 2).eval(), example=torch.zeros(1, 3, 4))
    >>> report.hypotheses[0]["text"]
    'the samples are drawn independently from one distribution'
    >>> {row["refused"] for row in report.routes}
    {None}
    """

    def __init__(self, found: Report, file: str = "") -> None:
        self._found, self._file = found, file
        self.record = self._pages().record(found, {"file": file} if file else {})

    def _pages(self) -> Any:
        from maurey.pages import bound as plain
        from maurey.pages import model as measured

        return measured if hasattr(self._found, "layers") else plain

    @property
    def routes(self) -> list[dict[str, Any]]:
        """The bounds, the one that asks for the fewest samples first; refused ones last."""
        least = {row.route: row.m_least for row in self._found.rows}
        return sorted(
            self.record["bounds"], key=lambda row: (row["refused"] is not None, least[row["route"]] or 10**99999)
        )

    @property
    def layers(self) -> list[dict[str, Any]]:
        """A row for each matrix: name, shape, norms, stable rank, coefficient (as a power of ten) and share."""
        rows = self.record.get("layers", [])
        return [{name: x for name, x in row.items() if name != "norms"} | row["norms"] for row in rows]

    @property
    def hypotheses(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.record["hypotheses"]
        return found

    @property
    def lipschitz(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.record["lipschitz"]
        return found

    def to_pandas(self) -> Any:
        """The layers as a data frame; norms are their certified upper ends."""
        try:
            import pandas
        except ImportError:
            raise InputError("data frames need pandas: pip install pandas") from None
        return pandas.DataFrame([_plain(row) for row in self.layers], columns=list(COLUMNS))

    def plot(self) -> Any:
        """A matplotlib figure: the Lipschitz constant layer by layer, and what was measured beside it."""
        from maurey.numeric.profile_figure import figure_of

        return figure_of(self.lipschitz)

    def html(self, file: Any) -> None:
        """The report as one page that needs no network."""
        from maurey.commands.bound import Shown, check_html, write_html

        check_html(str(file))
        write_html(str(file), Shown(self._found, self.record, lambda width: str(self)))

    def __str__(self) -> str:
        return str(self._pages().page(self._found))

    def __repr__(self) -> str:
        found, name = self._found, getattr(self._found, "name", "") or self._file or "architecture"
        from maurey.pages.bound import brief

        if found.samples:
            gaps = [(row.gap.upper, row.route) for row in found.rows if row.gap is not None]
            told = (
                f"the gap is at most {float(min(gaps)[0]):.3g} at m = {brief(found.samples)} ({min(gaps)[1]})"
                if gaps
                else "nothing applies"
            )
        else:
            least = [(row.m_least, row.route) for row in found.rows if row.m_least]
            told = f"from m = {brief(min(least)[0])} samples on ({min(least)[1]})" if least else "nothing applies"
        return f"<{Path(name).name}: {found.parameters:,} numbers; {told}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from .notebook import bundle

        return bundle(self)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    norms = {name: float(row[name][1]) for name in ("spectral", "frobenius", "rows")}
    numbers = {name: None if row[name] is None else float(row[name]) for name in ("coefficient_log10", "share")}
    return {"name": row["name"], "shape": tuple(row["shape"]), "stable_rank": row["stable_rank"], **norms, **numbers}
