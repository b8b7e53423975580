"""maurey certify, check-certificate."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from maurey.symbolic.errors import InputError, cut

from .options import Json, patience

METHOD = "holdout, prequential, occam or pac-bayes."


def register(app: typer.Typer) -> None:
    app.command("certify", epilog="$ maurey certify holdout --losses predictions.csv --delta 1/20")(certify)
    app.command("check-certificate", epilog="$ maurey check-certificate certificate.json")(check_certificate)


def certify(
    method: Annotated[str, typer.Argument(metavar="METHOD", help=METHOD)],
    losses: Annotated[Path | None, typer.Option("--losses", help="Losses in [0, 1]: .npy, .csv or .jsonl.")] = None,
    delta: Annotated[str, typer.Option("--delta", help="Probability of failure.")] = "1/20",
    out: Annotated[Path, typer.Option("--out", help="Where the certificate goes.")] = Path("certificate.json"),
    pool: Annotated[int | None, typer.Option("--pool", help="Drawn without replacement from so many.")] = None,
    window: Annotated[str, typer.Option("--window", help="Samples A..B, named before (prequential).")] = "",
    message: Annotated[
        Path | None, typer.Option("--message", help="What the hypothesis is decoded from (occam).")
    ] = None,
    decoded: Annotated[Path | None, typer.Option("--decoded", help="The integers that it decodes to (occam).")] = None,
    kl: Annotated[str, typer.Option("--kl", help="Divergence of the posterior from the prior (pac-bayes).")] = "",
    prior: Annotated[Path | None, typer.Option("--prior", help="Means and deviations (pac-bayes).")] = None,
    posterior: Annotated[Path | None, typer.Option("--posterior", help="Means and deviations (pac-bayes).")] = None,
    heldout: Annotated[Path | None, typer.Option("--heldout", help="The held-out data, known by their hash.")] = None,
    hypothesis: Annotated[Path | None, typer.Option("--hypothesis", help="The file of what is certified.")] = None,
    hypotheses: Annotated[
        Path | None, typer.Option("--hypotheses", help="Hashes of all hypotheses, listed before the first use.")
    ] = None,
    every_execution: Annotated[
        bool, typer.Option("--every-execution", help="Losses of an encoder (.npz), right in every execution (holdout).")
    ] = False,
    as_json: Json = False,
) -> None:
    """A bound for one trained network, from its losses, as a file that anyone can check again."""
    if losses is None:
        raise InputError("missing option --losses: a file of losses in [0, 1], .npy, .csv or .jsonl")
    from maurey.pages.certificates import page
    from maurey.verify.certificates import making
    from maurey.verify.certificates.certificate import check_unused, write
    from maurey.verify.certificates.losses import File

    given = {"losses": losses, "message": message, "decoded": decoded, "prior": prior, "posterior": posterior,
             "heldout": heldout, "hypothesis": hypothesis, "hypotheses": hypotheses}  # fmt: skip
    if message and not decoded:
        raise InputError("a message comes with the integers that it decodes to: --decoded FILE")
    with patience(f"reading {losses.name}") as tell:
        files: dict[str, Any] = {name: File.at(path) for name, path in given.items() if path}
        asked = making.Request(
            method=method, delta=making.number(delta, "--delta"), pool=pool,
            window=making.window(window) if window else None, KL=making.number(kl, "--kl") if kl else None,
            every_execution=every_execution, **files,
        )  # fmt: skip
        found = making.certificate(asked, tell)
        check_unused(found, out)
        write(found, out)
    apart = [path.name for path in given.values() if path and path.resolve().parent != out.resolve().parent]
    notes = [f"{name} is to lie beside the certificate when that is checked" for name in apart]
    print(json.dumps(found, indent=1) if as_json else page(found, str(out), notes))


def check_certificate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate, beside its inputs.")],
    as_json: Json = False,
) -> int:
    """Verify a certificate again, with code of its own: exit 1 if it does not stand, 2 if an input is missing."""
    if not os.path.isfile(file):
        raise InputError(f"no file {cut(str(file))}: a certificate as `maurey certify` writes it")
    from maurey.pages.certificates import checked
    from maurey.verify.certificates.checker.check import check
    from maurey.verify.certificates.checker.reading import Unsound

    reason, found = "", None
    try:
        with patience(f"checking {file.name}"):
            found = check(file)
    except Unsound as fault:
        reason = str(fault)
    if as_json:
        told = {"hypotheses": found.certificate["hypotheses"], "absent": found.absent} if found else {}
        statement = found.certificate["statement"] if found else None
        print(json.dumps({"stands": not reason, "reason": reason or None, "statement": statement} | told, indent=1))
    else:
        print(checked(found) if found else f"{file.name} does not stand: {reason}")
    return 1 if reason else 0
