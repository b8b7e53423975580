"""Formulas that stand in prose as they are typed, `2 eps` or `d^2/9`, as LaTeX between dollar signs.

Notes of checks and sentences of the errata are written for a terminal. A piece of such a text is a formula if it can be
read as one and has a symbol, a function, a power or a comparison in it; bare numbers and words stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from maurey.symbolic.names import VOCABULARY

LETTERS = """alpha beta gamma delta eta theta kappa lambda rho sigma tau phi chi omega
Gamma Delta Theta Sigma Omega"""
GREEK = tuple(LETTERS.split())
FUNCTIONS = (
    {name: rf"\{name}" for name in ("log", "ln", "exp", "min", "max", "tanh")}
    | {"Min": r"\min", "Max": r"\max"}
    | {name: rf"\operatorname{{{name}}}" for name in ("floor", "ceil", "kl", "binom", "Tr", "poly")}
)
OPERATORS = {
    "<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "->": r"\to ", "=": "=", "<": "<", ">": ">", "+-": r"\pm ",
    "+": "+", "-": "-", "..": r",\dots,", " x ": r"\times ",
}  # fmt: skip
LOOSE = ("<=", ">=", "!=", "->", "=", "<", ">")
TOKEN = re.compile(
    r"(?P<key>(?:[a-z]+\d{4}[a-z]*|maurey)/[\w.*'+-]*\w|\b[A-Z]\.\d+(?:\.\d+)*(?:-[a-z]\w*)?|[A-Z]\.(?=\s+[A-Z]))"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z](?:\w|_\{[^{}]*\})*)"
    r"|(?P<sign><=|>=|!=|->|\+-|\*\*|\|\||\.\.\.|\.\.|[-+*/^=<>|(){}\[\],'_])"
    r"|(?P<space> )|(?P<rest>.)",
    re.S,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


def latex_of_name(name: str) -> str:
    """Of a name that no claim declares: `W_QK`, `eps_head`, `c_1`."""
    if name in VOCABULARY:
        return VOCABULARY[name].latex
    base, *below = re.sub(r"[{}]", "", name).split("_")
    above = ""
    if below and below[-1] == "inf":
        above, below = r"^{\infty}", below[:-1]
    head = r"\varepsilon" if base == "eps" else rf"\{base}" if base in GREEK else base
    head = rf"\mathit{{{head}}}" if len(base) > 1 and head == base else head
    under = ",".join(x if len(x) <= 2 or x.isdigit() else _below(x) for x in below)
    return f"{head}_{{{under}}}{above}" if under else head + above


def _below(name: str) -> str:
    return r"\varepsilon" if name == "eps" else rf"\{name}" if name in GREEK else rf"\mathrm{{{name}}}"


class Reader:
    """Reads formulas greedily: what cannot be continued is left to the prose."""

    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        self.tokens = [Token(m.lastgroup or "", m.group()) for m in TOKEN.finditer(text)]
        self.names = names
        self.at = 0

    # --- tokens -------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < len(self.tokens) else Token("", "")

    def spaces(self, ahead: int = 0) -> int:
        return int(self.peek(ahead).kind == "space")

    def symbol(self) -> str:
        """The LaTeX of the name that comes next, if it is one of mathematics."""
        token = self.peek()
        if token.kind != "name":
            return ""
        name, before, after = token.text, self.peek(-1).text, self.peek(1).text
        if before == "'" or (after == "'" and self.peek(2).kind == "name"):  # Zhang's, X'Jv
            return ""
        if name in ("a", "A", "I") and not self._operated():  # a symbol only within a sentence
            return self.names.get(name, "") if name == "A" and self.peek(-2).kind == "name" else ""
        if name in self.names or name in VOCABULARY or name in ("eps", *GREEK):
            english = name.isalpha() and name.islower() and len(name) > 2 and name not in ("eps", *GREEK)
            return "" if english and not self._operated() else self.names.get(name, latex_of_name(name))
        if len(name) == 1:
            return name
        if after in ("^", "**") or (after == " " and {self._sign(-1), self._sign(1)} <= {*LOOSE}):  # norm^2, <= loss <=
            return rf"\mathrm{{{name}}}" if name.isalpha() else latex_of_name(name)
        if found := re.fullmatch(r"sum_(\w)|l_?(\d|inf)", name):
            return rf"\sum_{{{found[1]}}}" if found[1] else rf"\ell_{{{found[2].replace('inf', chr(92) + 'infty')}}}"
        if re.fullmatch(r"([A-Za-z]{1,2}|eps|[A-Z]{2,3}|" + "|".join(GREEK) + r")(_(\w+|\{[^{}]*\}))+", name):
            return latex_of_name(name)
        if re.fullmatch(r"[a-z][A-Z]|[A-Z][a-z]?[A-Z]|Ts|Nd|Wx", name) and name not in ("KL", "AM", "PM"):
            return r"\mathit{QK}" if name == "QK" else name
        return ""

    def _sign(self, side: int) -> str:
        """What stands before (-1) or after (1) the next token, but for a space."""
        return self.peek(side + side * self.spaces(side)).text

    def _operated(self) -> bool:
        """An operation or a comparison stands beside it."""
        return bool({self._sign(-1), self._sign(1)} & {*LOOSE, "^", "**", "*", "/", "+", "_"})

    # --- grammar ------------------------------------------------------------------------------------------------------

    def formula(self) -> tuple[str, bool]:
        """As much as can be read as one formula, and whether it has more than numbers in it."""
        found, sure = self.sum()
        while found:
            start = self.at
            space = self.spaces()
            sign = self.peek(space).text
            if sign in LOOSE or (sign == ".." and not space):
                self.at += space + 1
                self.at += self.spaces()
                more, _ = self.sum()
                if more:
                    found, sure = found + OPERATORS[sign] + more, True
                    continue
            if self._dots():
                more, also = self.sum()
                if more and (sure or also):
                    found, sure = rf"{found},\dots,{more}", True
                    continue
            self.at = start
            break
        return found, sure

    def _dots(self) -> bool:
        """`, ..., ` between the first and the last of several."""
        texts = [self.peek(n).text for n in range(5)]
        if texts != [",", " ", "...", ",", " "]:
            return False
        self.at += 5
        return True

    def sum(self) -> tuple[str, bool]:
        start = self.at
        sign = ""
        if self.peek().text in ("-", "+", "+-") and self.peek(1).text not in ("", " ") and self._begins():
            sign = OPERATORS[self.peek().text]
            self.at += 1
        found, sure = self.product()
        if not found:
            self.at = start
            return "", False
        found, sure = sign + found, sure or bool(sign)
        while True:
            start = self.at
            space = self.spaces()
            operator = self.peek(space).text
            if operator in ("+", "-", "+-") and self.spaces(space + 1) == space:
                self.at += 2 * space + 1
                bare = found.replace("{,}", "").isdigit() and not space
                more, also = self.product()
                if more and not (bare and more.isdigit()):  # 1302-1338 are pages
                    found, sure = found + OPERATORS[operator] + more, sure or also or operator != "-"
                    continue
            self.at = start
            return found, sure

    def _begins(self) -> bool:
        """Nothing stands right before that a sign could join."""
        return self.peek(-1).kind not in ("name", "number", "rest") and self.peek(-1).text not in (")", "]")

    def product(self) -> tuple[str, bool]:
        found, sure = self.power()
        while found:
            start = self.at
            space = self.spaces()
            sign = self.peek(space).text
            if sign in ("/", "*") and self.spaces(space + 1) == space:
                self.at += 2 * space + 1
                more, also = self.power()
                if more:
                    cdot = sign == "*" and more[0].isdigit()
                    found, sure = found + ("/" if sign == "/" else r" \cdot " if cdot else " ") + more, True
                    continue
            elif sign == "x" and space and self.spaces(2) and self.peek(3).kind in ("number", "name"):
                self.at += 3
                more, also = self.power()
                if more:
                    found, sure = found + OPERATORS[" x "] + more, True
                    continue
            elif sign == "..." and not space:
                self.at += 1
                more, also = self.power()
                if more and also:
                    found = rf"{found} \cdots {more}"
                    continue
            elif self.peek(space).kind == "name" or (sign in ("(", "|", "||") and (space == 0 or sure)):
                self.at += space
                more, also = self.power()
                if more and also:
                    found, sure = f"{found} {more}", True
                    continue
            self.at = start
            return found, sure
        return found, sure

    def power(self) -> tuple[str, bool]:
        found, sure = self.base()
        if not found:
            return "", False
        if self.peek().text == "_" and self.peek(1).kind in ("name", "number"):  # |x|_1, |W|_inf
            below = self.peek(1).text.replace("inf", r"\infty")
            self.at += 2
            found, sure = f"{found}_{{{below}}}", True
        if self.peek().text in ("^", "**"):
            start = self.at
            self.at += 1
            minus = self.peek().text == "-"
            self.at += minus
            if self.peek().text == "(":
                above = self._inside("(", ")", bare=not minus)
            else:
                above, _ = self.base()
            above = r"\top" if above == "T" and found.startswith(("W", "e_")) else above
            if above:
                found = f"{{{found}}}" if "^" in found or found.endswith("'") else found
                return f"{found}^{{{'-' if minus else ''}{above}}}", True
            self.at = start
        return found, sure

    def base(self) -> tuple[str, bool]:
        token = self.peek()
        if token.kind == "number":
            return self._number(token.text)
        if token.text == "sqrt":
            return self._root()
        if token.text in FUNCTIONS:
            return self._function(FUNCTIONS[token.text])
        if name := self.symbol():
            self.at += 1
            if self.peek().text == "[" and self.peek(1).kind == "number" and self.peek(2).text == "]":
                entry = f"{token.text}[{self.peek(1).text}]"
                name, self.at = self.names.get(entry, rf"{name}\,[{self.peek(1).text}]"), self.at + 3
            if self.peek().text in ("'", "!"):
                name, self.at = name + self.peek().text, self.at + 1
            if self.peek().text == "(" and (called := self._inside("(", ")")):
                name += called
            return name, True
        if token.text in ("(", "["):
            close = {"(": ")", "[": "]"}[token.text]
            return self._inside(token.text, close), self.sure
        if token.text in ("|", "||"):
            return self._norm(token.text)
        return "", False

    sure = False  # of what the last pair of brackets held

    def _number(self, text: str) -> tuple[str, bool]:
        follows = self.peek(1)
        if follows.kind == "name" and not re.fullmatch(r"[A-Za-z]|" + "|".join(GREEK), follows.text):
            return "", False  # 1STR, 2NN
        self.at += 1
        mantissa, e, exponent = re.sub("E", "e", text).partition("e")
        if not e:
            return text.replace(",", "{,}"), False
        power = f"10^{{{int(exponent)}}}"
        return power if float(mantissa) == 1 else rf"{mantissa}\cdot{power}", True

    def _function(self, latex: str) -> tuple[str, bool]:
        """Only before what it is taken of: a log covering number is none."""
        start = self.at
        self.at += 1
        above = ""
        if self.peek().text == "^" and self.peek(1).kind == "number":
            above, self.at = f"^{{{self.peek(1).text}}}", self.at + 2
        if self.peek().text == "(":
            argument = self._inside("(", ")")
        else:
            self.at += self.spaces()
            argument, sure = self.power()
            argument = argument if sure or argument.isdigit() else ""
        if argument or above:
            return f"{latex}{above} {argument}", True
        self.at = start
        return "", False

    def _root(self) -> tuple[str, bool]:
        start = self.at
        self.at += 1
        if self.peek().text == "(":
            inner = self._inside("(", ")", bare=True)
        else:
            self.at += self.spaces()
            inner, _ = self.power()
        if inner:
            return rf"\sqrt{{{inner}}}", True
        self.at = start
        return "", False

    def _inside(self, left: str, right: str, bare: bool = False) -> str:
        """What stands between brackets, if all of it is formulas with commas between them."""
        start, pieces = self.at, []
        self.at += 1
        self.sure = False
        sure = False
        while True:
            found, also = self.formula()
            if not found:
                break
            pieces.append(found)
            sure = sure or also
            if self.peek().text == right:
                self.at += 1
                self.sure = sure or len(pieces) > 1
                inner = r",\,".join(pieces)
                return inner if bare else f"{left}{inner}{right}"
            if self.peek().text != "," or not self.spaces(1):
                break
            self.at += 2
        self.at = start
        return ""

    def _norm(self, mark: str) -> tuple[str, bool]:
        start = self.at
        self.at += 1
        found, _ = self.formula()
        if found and self.peek().text == mark:
            self.at += 1
            bar = r"\|" if mark == "||" else "|"
            return f"{bar}{found}{bar}", True
        self.at = start
        return "", False


@cache
def _typeset(text: str, names: tuple[tuple[str, str], ...]) -> str:
    reader, out = Reader(text, dict(names)), []
    while reader.at < len(reader.tokens):
        token, start = reader.peek(), reader.at
        inside_word = start and reader.peek(-1).kind in ("name", "rest") and token.kind == "number"
        found, sure = ("", False) if token.kind in ("key", "space") or inside_word else reader.formula()
        if found and sure:
            out.append(f"${found}$")
        else:
            reader.at = start + 1
            out.append(token.text)
    return "".join(out)


def typeset(text: str, names: Mapping[str, str] | None = None) -> str:
    """The text with its formulas between dollar signs; what stands between such already is left as it is."""
    known = tuple(sorted((names or {}).items()))
    pieces = text.split("$")
    for n in range(0, len(pieces), 2):
        pieces[n] = _typeset(pieces[n], known)
    return "$".join(pieces)
