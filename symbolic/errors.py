"""What goes wrong by what a user gave, and the words for it: one line, never long."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """What a user gave does not fit; the message is one line that says what would.

    >>> import maurey
    >>> try:
    ...     maurey.claim("edelman2022/4.44")
    ... except maurey.InputError as error:
    ...     print(error)
    no claim 'edelman2022/4.44'; the nearest are edelman2022/4.4, edelman2022/B.4, edelman2022/A.4, edelman2022/4.7
    """


def cut(text: str, most: int = 60) -> str:
    """On one line, of so many characters."""
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= most else text[: most - 3] + "..."


def perhaps(name: str, names: Iterable[str]) -> str:
    """The nearest of the names, to be put behind a wrong one: those that begin so, or look alike, in either case."""
    lower, wrong = {known.lower(): known for known in names}, str(name)[:60].lower()
    near = [known for known in lower if wrong and known.startswith(wrong)][:2]
    near = near or difflib.get_close_matches(wrong, lower, n=2, cutoff=0.6)
    return f", perhaps {' or '.join(lower[one] for one in near)}" if near else ""
