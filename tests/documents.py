"""The README and the guides in docs/, made from the thing itself. Run as a script (make docs) to write them anew, or
those that are named: `tests/documents.py README.md docs/claims.md` has all that is counted and listed.

In a page, a block in `sh` or `python` is run; a block in `text` right after it is what it prints. There are no others.
"""

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from unittest import mock

import repairs

import maurey
from maurey import cli
from maurey.pages.claims import source_mark
from maurey.pages.errata import by_cause
from maurey.paper_tables import exhibits, trained
from maurey.symbolic import papers, registry
from maurey.verify.evidence import Standing
from maurey.verify.files import replace

ROOT = Path(__file__).parents[1]
README, DOCS = ROOT / "README.md", ROOT / "docs"
CLAIMS, REPAIRED = DOCS / "claims.md", DOCS / "repaired.md"
PAGES = [README, *sorted({*DOCS.rglob("*.md"), CLAIMS, REPAIRED})]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.S | re.M)
FAMILIES = re.compile(r"(<!-- families -->\n).*?(<!-- end of families -->)", re.S)
COUNTS = re.compile(r"(<!-- counts -->\n).*?(<!-- end of counts -->)", re.S)
PLANS = {"make tables": "maurey tables", "make test": "pytest", "make book": "maurey book"}  # what each would start


def fresh(page: Path, folder: Path) -> str:
    """The page as it should be; its commands run in that folder."""
    if page == CLAIMS:
        return claims_page()
    if page == REPAIRED:
        return repairs.page()
    text = COUNTS.sub(lambda match: match.group(1) + counts() + match.group(2), page.read_text())
    text = FAMILIES.sub(lambda match: match.group(1) + families() + match.group(2), text)
    return with_outputs(text, folder)


def with_outputs(text: str, folder: Path) -> str:
    def block(match: re.Match[str]) -> str:
        language, source, shown = match.groups()
        made = RUN[language](source, folder)
        return match.group() if shown is None else f"```{language}\n{source}```\n\n```text\n{made}```\n"

    return BLOCK.sub(block, text)


def run_python(code: str, folder: Path) -> str:
    out = io.StringIO()
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out):
            exec(compile(code, "a guide", "exec"), {})
    finally:
        registry.forget()  # claims of a guide's own
    return out.getvalue()


def run_commands(block: str, folder: Path) -> str:
    return "".join(run_command(line, folder) for line in block.splitlines())


def run_command(line: str, folder: Path) -> str:
    """What it prints, with the line on which it ends if it fails; it must end as its comment says (`# exit 2`)."""
    command, _, comment = line.partition("#")
    expected = re.search(r"exit (\d+)", comment)
    if command.startswith("make"):
        return _plan(command.strip())
    code, out, errors = _called(command.split(), folder)
    if code != int(expected.group(1) if expected else 0) or not out + errors:
        raise RuntimeError(f"{command.strip()}: exit {code}: {out + errors}")
    return out + errors


def _called(words: list[str], folder: Path) -> tuple[int, str, str]:
    """In this process: loading SymPy for each takes longer than most of them."""
    assert words[0] == "maurey"
    out, errors, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
        mock.patch.object(sys, "argv", words),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue(), errors.getvalue() if code else ""


def _plan(command: str) -> str:
    """The tests are this very run, and the exhibits have tests of their own: see that it would start them."""
    plan = subprocess.run(["make", "-n", *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert PLANS[command] in plan.stdout
    return plan.stdout


RUN = {"sh": run_commands, "python": run_python}


def families() -> str:
    """The models that are read, as the tests have them."""
    sys.path.append(str(ROOT / "tests" / "verify" / "models"))
    references = importlib.import_module("references")
    lines = ["| `model_type` | `architectures` | scores |", "| --- | --- | --- |"]
    for name, (config, *_) in references.MODELS.items():
        lines.append(f"| {config['model_type']} | {config['architectures'][0]} | {name.partition(', ')[2]} |")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def claims_page() -> str:
    """The table of all claims, a section for each paper."""
    lines = [
        "# All claims",
        "",
        "This page is generated. What the columns mean is said in [forms and verdicts](verdicts.md). Of a claim whose "
        "formulas are lost in the paper's text, the word in brackets says where the printed form comes from.",
    ]
    for paper, found in groupby(maurey.claims(), key=lambda claim: claim.paper):
        about = (importlib.import_module(f"{papers.__name__}.{paper}").__doc__ or "").partition("\n\n")[0]
        lines += ["", f"## {paper}", "", " ".join(about.split()), "", *_table(found)]
    return "\n".join(lines) + "\n"


def _table(found: Iterator[maurey.ClaimView]) -> Iterator[str]:
    yield "| key | result | forms | as printed | evidence |"
    yield "| --- | --- | --- | --- | --- |"
    for claim in found:
        title = claim.title.replace(r"\|", r"\Vert ").replace("Vert _", "Vert_")  # a bar would end the cell
        cells = [f"`{claim.key}`", title, ", ".join(claim.forms) or "-", _verdict(claim), _evidence(claim)]
        yield f"| {' | '.join(cells)} |"


def _verdict(claim: maurey.ClaimView) -> str:
    found = claim.standing
    if not found.verdict or _silent(found):
        return found.problem or "-"
    where = f" where {found.where}" if found.where else ""
    return _words(found) + where + source_mark(claim)


def _silent(found: Standing) -> bool:
    """There is nothing to check."""
    return found.verdict == "holds" and not found.evidence


def _words(found: Standing) -> str:
    return found.verdict or found.problem


def _evidence(claim: maurey.ClaimView) -> str:
    return claim.standing.evidence or claim.standing.problem or "-"


def counts() -> str:
    """What there is, in numbers."""
    claims, errata, names = maurey.claims(), maurey.errata(), exhibits.names()
    taken, own = sum(bool(claim.reference) for claim in claims), sum(claim.paper == "maurey" for claim in claims)
    forms = Counter(form for claim in claims for part in claim.parts for form in part.forms)
    standings = [claim.standing for claim in claims]
    verdicts = Counter(_words(found) for found in standings if not _silent(found))
    shown = sum(trained.is_trained(name) for name in names)
    found = [entry for entry in errata if entry["severity"]]
    refuted = sum(entry["status"] == "refuted" for entry in found)
    findings = by_cause(list(errata))
    grave = Counter(one["severity"] for one in findings)
    rows = {
        "what": "how many",
        "---": "---",
        "claims": f"{len(claims)}: {len(claims) - taken - own} of the four papers, {taken} that they take from the "
        f"literature, {own} proved here",
        "forms": ", ".join(f"{number} {form}" for form, number in forms.items()) + ", counted quantity by quantity",
        "as printed": ", ".join(f"{number} {_plural(verdict)}" for verdict, number in verdicts.most_common())
        + f"; the other {len(claims) - verdicts.total()} have nothing to check",
        "errata": f"{len(findings)} findings ({', '.join(f'{n} {one}' for one, n in grave.items() if one)}) in "
        f"{len(found)} entries on {len({entry['key'] for entry in found})} claims; in {refuted} of them an object "
        "violates the print",
        "exhibits": f"{len(names)}; {shown} show networks that were trained",
    }
    return "".join(f"| {name} | {text} |\n" for name, text in rows.items())


def _plural(verdict: str) -> str:
    return verdict.replace("holds", "hold").replace("fails", "fail")


def main(names: list[str]) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the networks are small: threads would wait for each other
    for page in [ROOT / name for name in names] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            replace(page, fresh(page, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
