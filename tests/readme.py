"""What the README shows, made from the thing itself. Run as a script (make readme) to write it anew."""

import contextlib
import io
import re
import sys
from itertools import pairwise
from pathlib import Path
from unittest import mock

import maurey
from maurey import cli
from maurey.verify.evidence import verdict_of

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
CLAIMS = re.compile(r"(<!-- claims -->\n).*?(<!-- end of claims -->)", re.S)


def table() -> str:
    rows = ["| key | result | forms | as printed | evidence |", "| --- | --- | --- | --- | --- |"]
    for claim in maurey.claims():
        verdict = verdict_of(claim.record) if claim.evidence else "-"
        cells = [f"`{claim.key}`", claim.title, ", ".join(claim.forms) or "-", verdict, claim.evidence or "-"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def commands(block: str) -> list[str]:
    return [line.split("#")[0].strip() for line in block.splitlines() if line.strip()]


def run_python(code: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    return out.getvalue()


def run_command(command: str, folder: Path) -> str:
    """In this process: loading SymPy for each takes longer than most of them."""
    assert command.startswith("maurey ")
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), mock.patch.object(sys, "argv", command.split()):
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{command}: exit {end.code}") from end
    return out.getvalue()


def shown_pairs(text: str) -> list[tuple[str, str, str]]:
    """(language, source, output) for every block that is followed by its output."""
    blocks = BLOCK.findall(text)
    return [(*a, b[1]) for a, b in pairwise(blocks) if b[0] == "text"]


def fresh(text: str) -> str:
    text = CLAIMS.sub(lambda m: m.group(1) + table() + m.group(2), text)
    for language, source, output in shown_pairs(text):
        made = run_python(source) if language == "python" else run_command(commands(source)[0], ROOT)
        block = f"```{language}\n{source}```\n\n```text\n"
        text = text.replace(f"{block}{output}```", f"{block}{made}```")
    return text


if __name__ == "__main__":
    README.write_text(fresh(README.read_text()))
