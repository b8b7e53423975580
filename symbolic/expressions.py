"""LaTeX and plain text of expressions, in the order in which they were written.

Expressions are built unevaluated, so `a*b/c*d` is kept as ((a*b)/c)*d and is printed as it reads: a division
takes everything to its left in its product into the numerator; a product in parentheses stays together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Basic, Expr, Indexed, Integer, Mul, Pow, Rational, Symbol, true
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

MOST_DEEP = 100  # levels: SymPy, which calls itself for each of them, is out of room at some 250


def depth(expr: Basic, most: int) -> int:
    """How many levels deep it is, or the most that is of interest."""
    level, found = {id(expr): expr}, 0  # by identity: a hash is taken level by level, too
    while level and found < most:
        level, found = {id(part): part for one in level.values() for part in one.args}, found + 1
    return found


def chain(expr: Expr, kind: type) -> list[Expr]:
    """The operands of a chain of one operation: left operands are unfolded, a right one is a group of its own."""
    head, *rest = expr.args
    operands = [*(chain(head, kind) if isinstance(head, kind) else [head]), *rest]
    neutral = 1 if kind is Mul else 0
    return [operand for operand in operands if operand != neutral] or [Integer(neutral)]


def denominator(factor: Expr) -> Expr | None:
    """x for a factor 1/x, x^p for a factor x^-p."""
    if isinstance(factor, Pow) and isinstance(factor.exp, Rational) and factor.exp < 0:
        return factor.base if factor.exp == -1 else Pow(factor.base, -factor.exp, evaluate=False)
    return None


def _is_fraction(expr: Expr) -> bool:
    return isinstance(expr, Rational) and expr.q != 1


def is_negative(term: Expr) -> bool:
    first = chain(term, Mul)[0] if isinstance(term, Mul) else term
    return isinstance(first, Rational) and first < 0


def without_sign(term: Expr) -> Expr:
    if isinstance(term, Rational):
        return -term
    first, *rest = chain(term, Mul)
    rest = rest if first == -1 else [-first, *rest]
    return rest[0] if len(rest) == 1 else Mul(*rest, evaluate=False)


def _signed_sum(expr: Expr, show: Callable[[Expr], str], group: Callable[[str], str]) -> str:
    out = ""
    for term in chain(expr, Add):
        negative = is_negative(term)
        term = without_sign(term) if negative else term
        text = group(show(term)) if negative and isinstance(term, Add) else show(term)
        out += (" - " if negative else " + ") + text if out else ("-" if negative else "") + text
    return out


EXPONENT = re.compile(r"(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|.)(.*)")  # one group, command or sign; what is behind


def with_index(base: str, index: str, mark: str = "") -> str:
    """One of a list: of heads above in brackets, of layers in parentheses, as where there is an index below already."""
    if mark not in ("H", "L") and "_" not in base:
        return f"{base}_{{{index}}}"
    left, right = ("[", "]") if mark == "H" else ("(", ")")
    head, caret, above = base.partition("^")
    if not caret:
        return f"{base}^{{{left}{index}{right}}}"
    own, rest = EXPONENT.match(above).groups()  # type: ignore[union-attr]
    own = own[1:-1] if own.startswith("{") else own
    return f"{head}^{{{own}{left}{index}{right}}}{rest}"


class Latex(LatexPrinter):
    def __init__(self, names: Mapping[str, str], marks: Mapping[str, str], hidden: str = "") -> None:
        super().__init__({"order": "none"})
        self._names, self._marks, self._hidden = names, marks, hidden

    def doprint(self, expr: Any) -> str:
        """What is left beside a hidden constant needs no parentheses."""
        if isinstance(expr, Mul):
            rest = [factor for factor in chain(expr, Mul) if not self.is_hidden(factor)]
            expr = rest[0] if len(rest) == 1 else expr
        return str(super().doprint(expr))

    def is_hidden(self, factor: Expr) -> bool:
        return isinstance(factor, Symbol) and factor.name == self._hidden

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        return self._names.get(expr.name, expr.name)

    def _print_Rational(self, expr: Any) -> str:
        """What was rounded to decimals is shown so."""
        if expr.q % 1000 == 0 and 10**4 % expr.q == 0:
            return f"{float(expr):g}"
        return str(super()._print_Rational(expr))

    def _print_Indexed(self, expr: Any) -> str:
        name = str(expr.base)
        base, mark = self._names.get(name, name), self._marks.get(name, "")
        return with_index(base, self._print(expr.indices[0]), mark)

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        return _signed_sum(expr, self._print, r"\left({}\right)".format)

    def _print_Mul(self, expr: Any) -> str:
        groups: list[tuple[list[Expr], list[Expr]]] = [([], [])]  # numerator, denominator
        for factor in chain(expr, Mul):
            if self.is_hidden(factor):
                continue
            under = denominator(factor)
            if under is not None:
                groups[-1][1].append(under)
            elif groups[-1][1]:
                groups.append(([factor], []))
            else:
                groups[-1][0].append(factor)
        return r" \cdot ".join(self._fraction(*group) if group[1] else self._product(group[0]) for group in groups)

    def _fraction(self, above: list[Expr], below: list[Expr]) -> str:
        """A sum that is all of a numerator or denominator needs no parentheses."""
        top, bottom = (self._print(side[0]) if len(side) == 1 else self._product(side) for side in (above, below))
        return rf"\frac{{{top or '1'}}}{{{bottom}}}"

    def _product(self, factors: list[Expr]) -> str:
        out = ""
        for factor in factors:
            text = "-" if factor == -1 else self._factor(factor)
            out += self._glue(out, text) + text
        return out

    def _factor(self, factor: Expr) -> str:
        text = self._print(factor)
        return rf"\left({text}\right)" if isinstance(factor, Add) else text

    @staticmethod
    def _glue(left: str, right: str) -> str:
        if not left or left == "-":
            return ""
        digits = right[0].isdigit() or (left[-1].isdigit() and right.startswith(r"\frac"))
        heavy = right.startswith((r"\left(", r"\log", r"\frac", r"\lceil")) and left.endswith(("}", ")"))
        return r" \cdot " if digits or heavy else " "

    def _print_Pow(self, expr: Any) -> str:
        below = denominator(expr)
        if below is not None:
            return rf"\frac{{1}}{{{self._print(below)}}}"
        if expr.exp == Rational(1, 2):
            return rf"\sqrt{{{self._print(expr.base)}}}"
        base = self._print(expr.base)
        plain = isinstance(expr.base, (Symbol, Indexed, Integer)) and not {"^", "'"} & set(base)  # a prime is above
        if not plain:
            base = rf"\left({base}\right)"
        return f"{base}^{{{self._exponent(expr.exp)}}}"

    def _exponent(self, expr: Expr) -> str:
        """A fraction stands on one line: above a letter it would be tiny."""
        if isinstance(expr, Rational):
            return str(expr)
        factors = list(chain(expr, Mul)) if isinstance(expr, Mul) else [expr]
        below = [under for under in map(denominator, factors) if under is not None]
        above = [factor for factor in factors if denominator(factor) is None]
        if len(below) != 1 or not above:
            return str(self._print(expr))
        under = self._print(below[0])
        return f"{self._product(above)}/" + (rf"\left({under}\right)" if isinstance(below[0], (Add, Mul)) else under)

    def _call(self, name: str, argument: Expr) -> str:
        return rf"{name}\left({self._print(argument)}\right)"

    def _print_log(self, expr: Any, exp: Any = None) -> str:
        return self._call(r"\log", expr.args[0])

    def _print_exp(self, expr: Any, exp: Any = None) -> str:
        return self._call(r"\exp", expr.args[0])

    def _print_ceiling(self, expr: Any, exp: Any = None) -> str:
        return rf"\left\lceil {self._print(expr.args[0])} \right\rceil"

    def _print_ceil_log2(self, expr: Any, exp: Any = None) -> str:
        return rf"\left\lceil \log_2 {self._print(expr.args[0])} \right\rceil"

    def _print_inverse_kl(self, expr: Any, exp: Any = None) -> str:
        return self._inverse(r"\mathrm{kl}", expr)

    def _print_binomial_inverse(self, expr: Any, exp: Any = None) -> str:
        return self._inverse(r"\mathrm{Bin}", expr)

    def _print_hypergeometric_inverse(self, expr: Any, exp: Any = None) -> str:
        return self._inverse(r"\mathrm{Hyp}", expr)

    def _print_mixture_inverse(self, expr: Any, exp: Any = None) -> str:
        return self._inverse(r"\mathrm{Mix}", expr)

    def _inverse(self, name: str, expr: Any) -> str:
        return rf"{name}^{{-1}}\left(" + r",\, ".join(self._print(a) for a in expr.args) + r"\right)"

    def _print_Min(self, expr: Any, exp: Any = None) -> str:
        return r"\min\left(" + r",\, ".join(self._print(a) for a in expr.args) + r"\right)"

    def _print_Sum(self, expr: Any, sign: str = r"\sum") -> str:
        (index, low, high), body = expr.limits[0], expr.function
        text = self._print(body)
        if isinstance(body, Add):
            text = rf"\left({text}\right)"
        return rf"{sign}_{{{self._print(index)}={self._print(low)}}}^{{{self._print(high)}}} {text}"

    def _print_Product(self, expr: Any) -> str:
        return self._print_Sum(expr, r"\prod")


class Text(StrPrinter):
    def _print_Add(self, expr: Any, order: Any = None) -> str:
        return _signed_sum(expr, self._print, "({})".format)

    def _print_Mul(self, expr: Any) -> str:
        out = ""
        for factor in chain(expr, Mul):
            below = denominator(factor)
            shown = factor if below is None else below
            text = self._print(shown)
            if isinstance(shown, (Add, Mul)) or (below is not None and _is_fraction(below)):
                text = f"({text})"
            out = (out or "1") + f"/{text}" if below is not None else f"{out}*{text}" if out else text
        return out

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        below = denominator(expr)
        if below is not None:
            text = self._print(below)
            return f"1/({text})" if isinstance(below, (Add, Mul)) or _is_fraction(below) else f"1/{text}"
        if expr.exp == Rational(1, 2):
            return f"sqrt({self._print(expr.base)})"
        base, exponent = self._print(expr.base), self._print(expr.exp)
        if isinstance(expr.base, (Add, Mul, Pow)) or _is_fraction(expr.base):
            base = f"({base})"
        return f"{base}**{exponent}" if expr.exp.is_Symbol or isinstance(expr.exp, Integer) else f"{base}**({exponent})"

    def _print_Piecewise(self, expr: Any) -> str:
        cases = [(self._print(value), condition) for value, condition in expr.args]
        return " else ".join(value if c == true else f"{value} if {self._print(c)}" for value, c in cases)

    def _print_Equality(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} == {self._print(expr.rhs)}"

    def _print_Sum(self, expr: Any, sign: str = "sum") -> str:
        index, low, high = (self._print(x) for x in expr.limits[0])
        return f"{sign}({self._print(expr.function)} for {index} = {low}..{high})"

    def _print_Product(self, expr: Any) -> str:
        return self._print_Sum(expr, "product")


def text_of(expr: Expr) -> str:
    return str(Text().doprint(expr))
