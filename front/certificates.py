"""Certificates in Python: of predictions, of a run that is watched, of a message."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maurey.symbolic.errors import InputError, cut, perhaps

if TYPE_CHECKING:
    from maurey.verify.certificates.losses import File

LOSSES = {"0-1": lambda predictions, labels: predictions != labels}
OPTIONS = ("pool", "window", "KL", "prior", "posterior", "heldout", "hypothesis", "hypotheses", "train", "indices",
           "train_indices", "seeds", "out")  # fmt: skip


class Certificate(dict[str, Any]):
    """A certificate, and the files that it is made of; a dictionary with the fields of the JSON file.

    >>> import maurey
    >>> found = maurey.certify([1, 0, 1, 1] * 50, (None, [1, 0, 1, 1] * 50))
    >>> found
    <holdout: at most 0.014867039232 with probability 0.95, on 200 samples>
    """

    def __init__(self, record: Mapping[str, Any], files: Sequence[File]) -> None:
        super().__init__(record)
        self.files = list(files)

    @property
    def bound(self) -> float:
        """The least double that is not below."""
        from math import inf, nextafter

        nearest = float(self["bound"])
        return nearest if Fraction(nearest) >= Fraction(self["bound"]) else nextafter(nearest, inf)

    def save(self, path: str | Path) -> None:
        """Into that file, and what it is made of beside it; a second use of the same data is refused."""
        from maurey.verify.certificates.certificate import check_unused, write
        from maurey.verify.files import replace

        path = Path(path)
        check_unused(self, path)
        write(dict(self), path)
        for file in self.files:
            replace(path.with_name(file.name), file.content)

    def __repr__(self) -> str:
        sure = float(1 - Fraction(self["delta"]))
        return f"<{self['method']}: at most {self['bound']} with probability {sure:g}, on {self['n']} samples>"

    def __str__(self) -> str:
        return str(self["statement"])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from html import escape

        stated = "".join(f"<br>{escape(one['text'])} <i>({one['status']})</i>" for one in self["hypotheses"])
        return {"text/plain": repr(self), "text/html": f"<div><p><b>{escape(str(self))}</b>{stated}</p></div>"}


class Coded:
    """What a message decodes to; it predicts as that does."""

    def __init__(self, message: bytes, integers: list[list[int]] | None, hypothesis: Any) -> None:
        self.message, self.integers, self.hypothesis = message, integers, hypothesis

    @property
    def bits(self) -> int:
        """Of the word that carries the message."""
        from maurey.verify.certificates.messages import bits_of

        return bits_of(self.message)

    def __call__(self, *inputs: Any) -> Any:
        return self.hypothesis(*inputs)


def occam(message: bytes | Sequence[Sequence[int]], decode: Callable[[Any], Any]) -> Coded:
    """The hypothesis that `decode` makes of a message, to be certified with the message's length for a price.

    A message is bytes, which only `decode` understands, or blocks of integers: these are coded as docs/certify.md
    says, decoded again, and given to `decode`, so that anyone can check the message bit for bit. What was chosen
    after the data were seen, scales and seeds included, belongs into the message.

    >>> import maurey
    >>> import numpy as np
    >>> x = np.arange(1000) % 10
    >>> rule = maurey.occam([[3]], lambda blocks: lambda inputs: inputs > blocks[0][0])
    >>> rule.bits
    45
    >>> maurey.certify(rule, (x, x > 3), method="occam")
    <occam: at most 0.033609570789 with probability 0.95, on 1000 samples>
    """
    from maurey.verify.certificates import messages

    if isinstance(message, bytes | bytearray):
        return Coded(bytes(message), None, decode(bytes(message)))
    try:
        blocks = [[_index(x, "what a message has") for x in block] for block in message]
    except TypeError:
        raise InputError(f"a message is bytes, or blocks of integers, got {cut(repr(message))}") from None
    coded = messages.encode(blocks)
    return Coded(coded, messages.decode(coded), decode(messages.decode(coded)))


def certify(
    predict: Any,
    data: Any,
    loss: str | Callable[[Any, Any], Any] = "0-1",
    method: str = "holdout",
    delta: Any = "1/20",
    **options: Any,
) -> Certificate:
    """A bound on the risk of one predictor, from data that it has not seen (or, for a message, has).

    `predict` is a function of the inputs or the predictions themselves; `data` are inputs and labels, a pair; `loss`
    is "0-1" or a function of predictions and labels with values in [0, 1], one for each sample. Method "holdout" is
    for data that nothing depends on, "prequential" for predictions each made before its sample was used, "occam" for
    what `maurey.occam` gives, "pac-bayes" for a list of predictors drawn from a posterior, with KL=... for its
    divergence, or prior= and posterior= for arrays of means and deviations.

    Options: pool (drawn without replacement from so many), window ((first, last), named before), train (inputs and
    labels of training: equal contents are counted), indices and train_indices (which may not overlap), heldout,
    hypothesis and hypotheses (files), seeds, and out, the file into which it is saved.

    >>> import maurey
    >>> import numpy as np
    >>> x = np.arange(2000)
    >>> found = maurey.certify(lambda x: x % 200 != 7, (x, np.ones(2000)))
    >>> found["bound"], found["empirical"]
    ('0.008466348206', '0.005')
    """
    import numpy as np

    from maurey.verify.certificates.making import Request, certificate

    if unknown := [name for name in options if name not in OPTIONS]:
        raise InputError(f"certify has no option {unknown[0]!r}{perhaps(unknown[0], OPTIONS)}")
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise InputError("data are a pair: inputs, and labels")
    if (method == "occam") != isinstance(predict, Coded):
        raise InputError("the method occam, and it alone, takes what maurey.occam(message, decode) gives")
    inputs, labels = data
    values = _losses(predict, inputs, labels, loss, many=method == "pac-bayes")
    if hasattr(labels, "__len__") and np.shape(values)[-1:] != (len(labels),):
        raise InputError(f"a loss for each of the {len(labels)} labels, got an array of shape {np.shape(values)}")
    losses = _named("losses", values, options.get("indices"))
    asked: dict[str, Any] = {
        "method": method,
        "losses": losses,
        "delta": _number(delta),
        "seeds": {str(name): _index(seed, "a seed") for name, seed in (options.get("seeds") or {}).items()},
    }
    if options.get("pool") is not None:
        asked["pool"] = _index(options["pool"], "the size of a pool")
    if options.get("window") is not None:
        ends = options["window"] if isinstance(options["window"], Sequence) else ()
        if len(ends) != 2:
            raise InputError(f"a window is its first and its last sample, got {cut(repr(options['window']))}")
        asked["window"] = tuple(_index(end, "an end of a window") for end in ends)
    if options.get("KL") is not None:
        asked["KL"] = _number(options["KL"])
    files = [losses]
    for name in ("prior", "posterior"):
        if options.get(name) is not None:
            asked[name] = _named(name, options[name])
            files.append(asked[name])
    if isinstance(predict, Coded):
        asked |= _message(predict)
        files += [asked[name] for name in ("message", "decoded") if name in asked]
    asked |= _split(inputs, labels, options)
    files += [asked[name] for name in ("hypothesis", "hypotheses") if name in asked]
    found = Certificate(certificate(Request(**asked)), files)
    if options.get("out") is not None:
        found.save(options["out"])
    return found


class Prequential:
    """Losses of networks on samples that they have not yet seen, one batch after the other; then they may learn from
    it.

    Certified is the mean risk of the networks from sample `first` on, which is named before. It may be looked at
    whenever one likes: it holds for all ends at once.

    >>> import maurey
    >>> run = maurey.Prequential(first=101)
    >>> for step in range(100):
    ...     run.observe([step < 5] * 10)
    >>> run.n, run.certificate()
    (1000, <prequential: at most 0.005004937405 with probability 0.95, on 900 samples>)
    """

    def __init__(self, delta: Any = "1/20", first: int = 1) -> None:
        if isinstance(first, bool) or not isinstance(first, int) or first < 1:
            raise InputError(
                f"samples are counted from 1, and the first that is certified is one of them, got {first!r}"
            )
        self.delta, self.first = _number(delta), first
        self._losses: list[Any] = []

    @property
    def n(self) -> int:
        """Samples so far."""
        return sum(len(part) for part in self._losses)

    def observe(self, losses: Any) -> None:
        """Losses in [0, 1] of the next samples, of a network that has not learnt from any of them."""
        import numpy as np

        from maurey.verify.certificates.losses import of_array

        found = np.atleast_1d(_floats(losses, "losses"))
        of_array(found, f"losses after sample {self.n}")
        self._losses.append(found)

    def certificate(self, **options: Any) -> Certificate:
        """Of all samples so far; options as in `certify`."""
        import numpy as np

        if self.n < self.first:
            raise InputError(f"sample {self.first} has not been observed yet; there are {self.n}")
        values = np.concatenate(self._losses)
        given: dict[str, Any] = {"loss": lambda found, _: found, "method": "prequential", "delta": self.delta}
        return certify(values, (None, values), window=(self.first, self.n), **given | options)


# --- what is given ----------------------------------------------------------------------------------------------------


def _plain(x: Any) -> Any:
    """Of torch and pandas, an array."""
    return x.detach().cpu().numpy() if hasattr(x, "detach") else x.to_numpy() if hasattr(x, "to_numpy") else x


def _number(x: Any) -> Fraction:
    from maurey.verify.certificates.making import number

    return x if isinstance(x, Fraction) else number(str(x), "delta, or a divergence,")


def _floats(x: Any, what: str) -> Any:
    """An array of its own: whoever gave x may write into it later."""
    import numpy as np

    try:
        return np.array(_plain(x), dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} are numbers, got {cut(repr(x))}") from None


def _losses(predict: Any, inputs: Any, labels: Any, loss: Any, many: bool) -> Any:
    """(n,), or a row for each of several predictors."""
    import numpy as np

    if not callable(loss) and loss not in LOSSES:
        raise InputError(f"no loss {cut(repr(loss))}; there is 0-1, or a function of predictions and labels")
    if many:
        if not isinstance(predict, Sequence) or not predict:
            raise InputError("pac-bayes takes a list of predictors that were drawn from the posterior")
        return np.stack([_losses(one, inputs, labels, loss, many=False) for one in predict])
    answers = predict(inputs) if callable(predict) else predict
    if callable(loss):
        return _floats(loss(answers, labels), "losses")
    found, true = np.asarray(_plain(answers)), np.asarray(_plain(labels))
    for x in (found, true):
        if x.dtype.kind in "Of" and any(one is None or one != one for one in x.ravel().tolist()):
            raise InputError("a label or a prediction is missing")
    kinds = {kind if kind in "SU" else "number" for kind in (found.dtype.kind, true.dtype.kind) if kind != "O"}
    if len(kinds) > 1:
        raise InputError(f"predictions and labels are of one kind, got arrays of {found.dtype} and {true.dtype}")
    if found.shape != true.shape or found.ndim != 1:
        raise InputError(f"a prediction for each label, got arrays of shape {found.shape} and {true.shape}")
    return LOSSES["0-1"](found, true).astype(float)


def _named(role: str, values: Any, indices: Any = None) -> File:
    """An array as a file whose name says what it holds."""
    import numpy as np

    from maurey.verify.certificates.losses import File

    if indices is not None:
        if len(own := _whole(indices)) != len(values):
            raise InputError(f"an index for each of the {len(values)} samples, got {len(own)}")
        rows = (f"{i},{float(x)!r}\n" for i, x in zip(own, values, strict=True))
        content, kind = ("index,loss\n" + "".join(rows)).encode(), "csv"
    else:
        written = BytesIO()
        np.save(written, _floats(values, role), allow_pickle=False)
        content, kind = written.getvalue(), "npy"
    return File(f"{role}-{hashlib.sha256(content).hexdigest()[:12]}.{kind}", content)


def _index(x: Any, what: str) -> int:
    """A whole number, of Python or of an array."""
    from operator import index

    try:
        return index(x)
    except TypeError:
        raise InputError(f"{what} is a whole number, got {cut(repr(x))}") from None


def _whole(indices: Any) -> list[int]:
    import numpy as np

    given = np.asarray(_plain(indices)).ravel().tolist()
    if bad := [i for i in given if isinstance(i, bool) or not isinstance(i, int | float) or i != int(i) or i < 0]:
        raise InputError(f"indices are whole numbers from 0 on, got {cut(repr(bad[0]))}")
    return list(map(int, given))


def _message(coded: Coded) -> dict[str, File]:
    from maurey.verify.certificates.losses import File

    mark = hashlib.sha256(coded.message).hexdigest()[:12]
    found = {"message": File(f"message-{mark}.bin", coded.message)}
    if coded.integers is not None:
        text = "integer\n" + "".join(f"{x}\n" for block in coded.integers for x in block)
        found["decoded"] = File(f"integers-{mark}.csv", text.encode())
    return found


def _split(inputs: Any, labels: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of held-out data and of the split."""
    from maurey.verify.certificates.losses import File

    found: dict[str, Any] = {}
    for name in ("heldout", "hypothesis", "hypotheses"):
        if options.get(name) is not None:
            found[name] = File.at(Path(options[name]))
    if "heldout" not in found and inputs is not None:
        content = b"".join([*_rows(inputs), *_rows(labels)])
        found["heldout"] = File(f"data-{hashlib.sha256(content).hexdigest()[:12]}", content)
    if options.get("train_indices") is not None:
        if options.get("indices") is None:
            raise InputError("train_indices come with indices: those of the samples that are certified on")
        both = set(_whole(options["indices"])) & set(_whole(options["train_indices"]))
        if both:
            raise InputError(f"{len(both)} samples are both in training and held out, e.g. {min(both)}")
    if options.get("train") is not None:
        seen = set(_rows(options["train"][0]))
        found["same"] = sum(row in seen for row in _rows(inputs))
    return found


def _rows(x: Any) -> list[bytes]:
    """The content of each sample."""
    import numpy as np

    if hasattr(x, "tocsr"):  # sparse
        return [np.ascontiguousarray(row.toarray()).tobytes() for row in x.tocsr()]
    x = _plain(x)
    if hasattr(x, "dtype") and x.dtype.kind != "O":
        return [np.ascontiguousarray(row).tobytes() for row in x]
    return [repr(row).encode() for row in x]
