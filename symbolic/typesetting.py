"""LaTeX that fits the line of an article: long formulas are broken at their sums and products.

An expression that is too wide is broken at its outermost operation. What stands between parentheses is broken inside
them, and the parentheses are then of a fixed size, for a pair that grows cannot be broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sympy import Add, Expr, Function, Integer, Max, Min, Mul, Piecewise, Pow, Product, Rational, Sum, true

from .expressions import Latex, chain, denominator, is_negative, without_sign

LINE = 44.0  # in widths of a letter: what an article's line holds
AHEAD = 4.0  # what a continued line is moved in by
BREAK = r" \\ &\qquad "

_WIDE = {r"\\(sum|prod|int)": 2.0, r"\\(log|exp|min|max|sup|inf)\b": 2.4, r"\\(quad|qquad)\b": 2.0}


def width(latex: str) -> float:
    """About how wide it is set, in widths of a letter."""
    total, at = 0.0, 0
    while at < len(latex):
        scale = 1.0
        if latex.startswith((r"\frac", r"\tfrac", r"\dfrac"), at):
            above, at = _argument(latex, latex.index("frac", at) + 4)
            below, at = _argument(latex, at)
            total += max(width(above), width(below)) + 0.3
            continue
        if latex[at] in "_^":
            scale, at = 0.65, at + 1
        if at < len(latex) and latex[at] == "{":
            inner, at = _argument(latex, at)
            total += scale * width(inner)
            continue
        text, at = _argument(latex, at)
        total += scale * _letter(text)
    return total


_TOKEN = re.compile(r"\s*(\\[A-Za-z]+\s*|\\.|.)", re.S)


def _argument(latex: str, at: int) -> tuple[str, int]:
    """The group in braces, the command or the letter that comes next, and where it goes on."""
    token = _TOKEN.match(latex, at)
    if token is None:
        return "", len(latex)
    if token.group(1) != "{":
        return token.group(1), token.end()
    depth = 0
    for end in range(token.start(1), len(latex)):
        depth += {"{": 1, "}": -1}.get(latex[end], 0)
        if depth == 0:
            return latex[token.end() : end], end + 1
    return latex[token.end() :], len(latex)


def _letter(text: str) -> float:
    text = text.strip()
    if text in (r"\left", r"\right"):
        return 0.4
    if text in ("", "{", "}", "&", r"\mathrm", r"\mathcal", r"\text", r"\mathbb", r"\hat"):
        return 0.0
    for pattern, wide in _WIDE.items():
        if re.fullmatch(pattern, text):
            return wide
    if text in ("+", "-", "=", r"\le", r"\ge", r"\lesssim", r"\gtrsim", r"\cdot"):
        return 1.7
    return 0.6 if text in "()[],.|!;:/'" or text.startswith((r"\,", r"\;", r"\!")) else 1.0


class Broken:
    """Lines of one expression, as a printer writes it."""

    def __init__(self, printer: Latex) -> None:
        self.printer = printer

    def lines(self, expr: Any, room: float) -> list[str]:
        text = self.printer.doprint(expr)
        if width(text) <= room:
            return [text]
        if isinstance(expr, Add):
            return self._joined(self._terms(expr, room), room)
        if isinstance(expr, Mul):
            return self._joined(self._factors(expr, room), room)
        return self._inside(expr, room) or [text]

    def _terms(self, expr: Expr, room: float) -> Iterator[tuple[str, list[str]]]:
        for n, term in enumerate(chain(expr, Add)):
            negative = is_negative(term)
            term = without_sign(term) if negative else term
            yield ("-" if negative else "+" if n else ""), self._grouped(term, room, negative)

    def _grouped(self, term: Expr, room: float, group: bool) -> list[str]:
        if group and isinstance(term, Add):
            return self._within(r"\Bigl(", self.lines(term, room), r"\Bigr)")
        return self.lines(term, room)

    def _factors(self, expr: Expr, room: float) -> Iterator[tuple[str, list[str]]]:
        """Fractions and factors; of a fraction that is too wide, the denominator first."""
        above: list[Expr] = []
        below: list[Expr] = []
        groups = [(above, below)]
        for factor in (factor for factor in chain(expr, Mul) if not self.printer.is_hidden(factor)):
            under = denominator(factor)
            if under is not None:
                groups[-1][1].append(under)
            elif groups[-1][1]:
                groups.append(([factor], []))
            else:
                groups[-1][0].append(factor)
        for n, (top, bottom) in enumerate(groups):
            whole = self._product([*top, *(Pow(x, -1, evaluate=False) for x in bottom)])
            if width(self.printer.doprint(whole)) <= room:
                yield (r"\cdot" if n else ""), [self.printer.doprint(whole)]
                continue
            if bottom:
                one = self.printer.doprint(self._product([Integer(1), *(Pow(x, -1, evaluate=False) for x in bottom)]))
                yield (r"\cdot" if n else ""), [one]
            for k, factor in enumerate(self._runs(top, room)):
                grouped = isinstance(factor, Add)
                lines = self.lines(factor, room - 2 * grouped)
                yield (
                    (r"\cdot" if n or k or bottom else ""),
                    (self._within(r"\Bigl(", lines, r"\Bigr)") if grouped else lines),
                )

    def _runs(self, factors: list[Expr], room: float) -> list[Expr]:
        """Neighbours as one product, as long as it fits a line."""
        runs: list[list[Expr]] = []
        for factor in factors:
            if runs and width(self.printer.doprint(self._product([*runs[-1], factor]))) <= room:
                runs[-1].append(factor)
            else:
                runs.append([factor])
        return [self._product(run) for run in runs]

    @staticmethod
    def _product(factors: list[Expr]) -> Expr:
        return factors[0] if len(factors) == 1 else Mul(*factors, evaluate=False)

    def _inside(self, expr: Any, room: float) -> list[str]:
        """Parentheses, roots, sums over an index and functions, broken inside."""
        match expr:
            case Pow(base=base, exp=exp) if isinstance(exp, Rational) and exp > 0:
                shown = self.printer.doprint(exp) if isinstance(exp, Integer) else f"{exp.p}/{exp.q}"
                return self._within(r"\Bigl(", self.lines(base, room - 3), rf"\Bigr)^{{{shown}}}")
            case Sum() | Product():
                whole, body = self.printer.doprint(expr), self.printer.doprint(expr.function)
                sign = whole[: whole.rindex(body)].removesuffix(r"\left(").strip()
                left, right = (r"\Bigl(", r"\Bigr)") if isinstance(expr.function, Add) else ("", "")
                return self._within(f"{sign} {left}", self.lines(expr.function, room - 5), right)
            case Min() | Max():
                name = r"\min" if isinstance(expr, Min) else r"\max"
                arguments = [("," if n else "", self.lines(a, room - 5)) for n, a in enumerate(expr.args)]
                return self._within(rf"{name}\Bigl(", self._joined(arguments, room - 5), r"\Bigr)")
            case Piecewise():
                return [
                    r"\begin{cases} "
                    + r" \\ ".join(self._case(case.expr, case.cond, room) for case in expr.args)
                    + r" \end{cases}"
                ]
            case Function():
                return self._call(expr, room)
        return []

    def _call(self, expr: Any, room: float) -> list[str]:
        r"""A function of one argument, as the printer writes it: a name, \left and a delimiter."""
        found = re.match(r"([^{}]*?)\\left(\(|\\lceil)", self.printer.doprint(expr))
        if found is None or len(expr.args) != 1:
            return []
        right = {"(": ")", r"\lceil": r"\rceil"}[found[2]]
        return self._within(rf"{found[1]}\Bigl{found[2]} ", self.lines(expr.args[0], room - 5), rf"\Bigr{right}")

    def _case(self, value: Any, where: Any, room: float) -> str:
        when = r"\text{otherwise}" if where == true else rf"\text{{for}}\: {self.printer.doprint(where)}"
        lines = self.lines(value, room - width(when) - 4)
        shown = lines[0] if len(lines) == 1 else rf"\begin{{aligned}}[t] & {BREAK.join(lines)} \end{{aligned}}"
        return f"{shown} & {when}"

    @staticmethod
    def _within(left: str, lines: list[str], right: str) -> list[str]:
        return [left + lines[0], *lines[1:-1], lines[-1] + right] if len(lines) > 1 else [left + lines[0] + right]

    @staticmethod
    def _joined(pieces: Iterable[tuple[str, list[str]]], room: float) -> list[str]:
        """As many on a line as it holds; an operation stands before what it is followed by, a comma does not."""
        out: list[str] = []
        for sign, lines in pieces:
            if sign == ",":
                out[-1], sign = f"{out[-1]},", ""
            first = f"{sign} {lines[0]}".strip()
            if out and width(out[-1]) + width(first) <= room:
                out[-1] += f" {first}"
            else:
                out.append(first)
            out += lines[1:]
        return out


def rows(printer: Latex, lines: list[tuple[str, str, Any]]) -> list[str]:
    """Rows of an align, one for each left side, relation and expression. A left side that is longer than the others
    has a line of its own, where the right one does not fit beside it."""
    own = [width(left) for left, _, _ in lines]
    column = max(own[1:], default=0.0)
    out = []
    for (left, relation, expr), wide in zip(lines, own, strict=True):
        text = printer.doprint(expr)
        apart = wide > column and max(wide, column) + width(text) + 2 > LINE
        if not apart and wide > column and len(lines) > 1 and wide > LINE / 3:
            apart = True
        room = LINE - AHEAD - (0 if apart else max(column, wide) + 2)
        broken = [text] if width(text) <= room + AHEAD else Broken(printer).lines(expr, room)
        start = rf"& {left} {BREAK}{relation} " if apart else f"{left} &{relation} "
        out.append(start + BREAK.join(broken))
    return out
