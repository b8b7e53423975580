"""The pages of claims: what is claimed, in all its forms, how it is derived, and what is known against it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from maurey.pages.errata import shortened
from maurey.symbolic.claim import HIDES, SOURCES, UNREAD, Claim, Part
from maurey.symbolic.derivation import Step
from maurey.symbolic.displays import WORDS, snippet
from maurey.symbolic.printing import plain, step_latex
from maurey.verify.errata.entries import restates
from maurey.verify.evidence import entry_of, proved_form, stands
from maurey.verify.rungs import BESIDES

from . import cite, formulas, numbers, reports
from .graph import neighbourhood
from .library import Library, Record
from .maths import mathml, named
from .notation import FUNCTIONS
from .page import Page
from .prose import address, inline, prose
from .values import Point, point

DERIVATIONS = ("derived", "sharp")
FEW = 3  # letters of one form that stand again beside another
PASTED = 1500  # characters of LaTeX that a page offers to copy; of more, the command
WORD = re.compile(r"[a-z]{2,}(?=[ ,:;'-])|a(?= )")
SILENT = (
    "a definition: it says what words mean, and there is nothing to check",
    "an overview of the claims that it uses",
)


def pages(library: Library) -> Iterator[Page]:
    yield _index(library)
    for claim in library.claims:
        yield page(claim, library)


def page(claim: Claim, library: Library) -> Page:
    """Of one claim."""
    with named(claim.key):
        context = _claim(claim, library)
    title = f"{claim.key}: {plain(claim.title)}"
    return Page(f"claims/{claim.key}.html", "claim.html", title, "claims", context, plain(claim.statement))


def _index(library: Library) -> Page:
    papers = [
        {"key": paper, "short": cite.short(paper), "title": cite.papers().get(paper, {}).get("title", ""),
         "rows": [_row(claim, library) for claim in library.of_paper(paper)]}
        for paper in library.papers
    ]  # fmt: skip
    kinds = list(dict.fromkeys(claim.kind for claim in library.claims))
    sources = [word for word in SOURCES if any(word in claim.origins for claim in library.claims)]
    return Page(
        "claims/index.html", "claims.html", "Claims", "claims", {"papers": papers, "kinds": kinds, "sources": sources}
    )


def _row(claim: Claim, library: Library) -> dict[str, Any]:
    with named(claim.key):
        return {
            "claim": claim,
            "address": address(claim.key),
            "title": prose(claim.title, claim, links=False),
            "badge": library.badge(claim.key),
            "where": conditions(claim, library.standings[claim.key].where),
        }


def conditions(claim: Claim, where: str) -> list[Any]:
    """Under which a claim holds; relations as they are written in mathematics."""
    exact = reports.relations_of(claim)
    return [exact.get(piece) or prose(piece, claim) for piece in where.split("; ")] if where else []


def _claim(claim: Claim, library: Library) -> dict[str, Any]:
    standing, entry = library.standings[claim.key], entry_of(claim)
    found = library.entries_of(claim)
    verdict = entry["verdict"] if entry and stands(entry) else None
    at, latex = point(claim), {p.name: p.latex for p in claim.names}
    return {
        "claim": claim,
        "paper": cite.short(claim.paper),
        "title": prose(claim.title, claim, links=False),
        "found": library.badge(claim.key),
        "standing": standing,
        "where": conditions(claim, standing.where),
        "use": proved_form(claim) if standing.verdict == "fails" else "",
        "words": WORDS,
        "statement": prose(claim.statement, claim),
        "restated": restates(claim),
        "parts": list(_parts(claim, library, at)),
        "derivations": _derivations(claim),
        "findings": _findings(claim, library),
        "remarks": _remarks(claim, found),
        "verdict": verdict,
        "notes": [prose(_sentence(note), claim) for note in _notes(verdict, found)],
        "sources": _sources(claim),
        "graph": neighbourhood(claim, library),
        "uses": [_link(key, library) for key in claim.uses],
        "users": [_link(key, library) for key in library.users[claim.key]],
        "point": at,
        "bibtex": [cite.of_paper(claim.paper), cite.of_claim(claim)],
        "at": [inline(f"{latex[name]}={reports.value(x)}") for name, x in at.at.items()] if at else [],
        "listed": bool(claim.unrolled or any(p.index for p in claim.symbols)),
        "inline": inline,
        "number": lambda x: inline(numbers.latex_of(f"{x:.3g}", 3)),
        "prose": lambda text: prose(text, claim),
    }  # fmt: skip


def _findings(claim: Claim, library: Library) -> list[dict[str, Any]]:
    """Of a claim that fails, what makes it fail before conditions that are missing besides."""
    found = reports.of_claim(claim, library)
    fails = library.standings[claim.key].verdict == "fails"
    return sorted(found, key=lambda one: one["severity"] == "hypothesis") if fails else found


def _remarks(claim: Claim, found: list[Record]) -> list[dict[str, Any]]:
    """What is remarked of several parts alike is said once."""
    texts: dict[tuple[str, str], list[str]] = {}
    for one in found:
        if one["status"] in ("remark", "undecided") and not one["cause"]:
            texts.setdefault((one["status"], shortened(one["note"])), []).append(one["part"])
    return [{"status": status, "text": prose(note[:1].upper() + note[1:], claim), "parts": [p for p in parts if p]}
            for (status, note), parts in texts.items()]  # fmt: skip


def _link(key: str, library: Library) -> dict[str, Any]:
    title = next(claim.title for claim in library.claims if claim.key == key)
    return {"key": key, "address": address(key), "title": prose(title, links=False), "badge": library.badge(key)}


def _parts(claim: Claim, library: Library, at: Point | None) -> Iterator[dict[str, Any]]:
    """Forms that an earlier part has, too, are only named."""
    shown: dict[Any, str] = {}
    letters: dict[formulas.Formula, str] = {}
    for part in claim.parts:
        own = [form for form in part.forms if getattr(part, form) not in shown]
        shared = [
            (f"{part.name}-{form}", WORDS[form], shown[getattr(part, form)]) for form in part.forms if form not in own
        ]
        shown |= {getattr(part, form): f"{part.name}-{form}" for form in own}
        yield {
            "name": part.name,
            "lhs": mathml(part.lhs, display=True),
            "meaning": prose(part.meaning, claim),
            "hides": prose(part.hides, claim) if part.relation in HIDES and part.hides else "",
            "forms": [_form(claim, part, form, library, at, letters) for form in own],
            "shared": shared,
        }


def _form(
    claim: Claim, part: Part, form: str, library: Library, at: Point | None, letters: dict[formulas.Formula, str]
) -> dict[str, Any]:
    """Its letters are explained below it; many that stand above already, with the form of `letters`, are only named."""
    steps = part.steps(form)
    main, where = formulas.right_side(claim, part, form, steps)
    shown = form not in DERIVATIONS
    where = where if shown else []
    again = [one for one in where if one in letters]
    again = again if len(again) > FEW else []
    for one in where:
        letters.setdefault(one, f"{part.name}-{form}")
    latex = snippet(claim, [form], formulas.TWO, part.name) if shown or len(steps) == 1 else ""
    value = next((v.text for v in at.values if (v.part, v.form) == (part.name, form)), "") if at else ""
    return {
        "form": form,
        "id": f"{part.name}-{form}",
        "word": WORDS[form],
        "tone": _tone(claim, part, form, library),
        "formula": main,
        "where": [one for one in where if one not in again],
        "again": [{"left": one.left, "label": one.left.striptags(), "id": letters[one]} for one in again],
        "steps": 0 if shown else len(steps),
        "value": mathml(reports.value(value)) if value else "",
        "latex": latex if len(latex) <= PASTED else "",
    }


def _tone(claim: Claim, part: Part, form: str, library: Library) -> str:
    """How a form stands: the printed one as the errata have it, others as proved."""
    if form != "printed":
        return "proved"
    if claim.origin_of(part.name) in UNREAD:
        return "none"
    own = {entry["severity"] for entry in library.entries_of(claim) if entry["part"] == part.name and entry["cause"]}
    if not own - {None}:
        return "none"
    return "bad" if "false" in own else "partly"


def _derivations(claim: Claim) -> list[dict[str, Any]]:
    """Each once: parts that differ in print alone share what is derived, and steps that stand above are only named."""
    out: list[dict[str, Any]] = []
    known: dict[Step, dict[str, Any]] = {}
    for form in DERIVATIONS:
        found = [part for part in claim.parts if form in part.forms]
        once = {getattr(part, form): part for part in reversed(found)}
        for part in (part for part in found if once[getattr(part, form)] is part):
            steps = part.steps(form)
            same = [p.name for p in found if p is not part and getattr(p, form) is getattr(part, form)]
            out.append({
                "id": f"{part.name}-{form}",
                "form": form,
                "part": part.name,
                "meaning": prose(part.meaning, claim),
                "others": same,
                "count": len(steps),
                "departs": sum(bool(claim.departure(step, form)) for step in steps),
                "steps": _steps(claim, part, form, [f"{name}-{form}" for name in same], known),
            })  # fmt: skip
    return out


def _steps(
    claim: Claim, part: Part, form: str, same: list[str], known: dict[Step, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Of those that an earlier derivation has, names alone; they are addressed where they stand."""
    told: dict[str, int] = {}
    out: list[dict[str, Any]] = []
    steps = part.steps(form)
    for n, step in enumerate(steps, 1):
        ids = [f"{one}-{step.name}" for one in (f"{part.name}-{form}", *same)]
        if step in known and step is not steps[-1]:
            known[step]["same"] += ids
            before = out[-1]["before"] if out and "before" in out[-1] else []
            if not before:
                out.append({"n": n, "before": before})
            before.append({"id": known[step]["id"], "name": step.name, "left": mathml(step_latex(step))})
            out[-1]["last"] = n
            continue
        departs = claim.departure(step, form)
        first = told.setdefault(departs, n) if departs else n
        known[step] = {
            "n": n,
            "id": ids[0],
            "same": ids[1:],
            "formula": formulas.derived(claim, part, form, steps, step),
            "reason": prose(step.reason, claim),
            "key": step.key if step.key != claim.key else "",
            "address": address(step.key) if step.key else "",
            "departs": prose(departs, claim) if departs and first == n else "",
            "as": first if departs and first != n else 0,
        }
        out.append(known[step])
    return out


def _notes(verdict: Any, found: list[Record]) -> list[str]:
    """What every check found, but for what the errata and the remarks say already."""
    if verdict is None:
        return []
    said = {_plainly(one["note"]) for one in found} | set(SILENT)
    trained = [verdict["trained"]["note"]] if verdict["trained"] else []
    notes = dict.fromkeys([*verdict["notes"], *trained])
    return [note for note in notes if _plainly(note) not in said and not _is_remark(note)]


def _sentence(note: str) -> str:
    """A note of a check, from its capital to its full stop; a formula stays as it begins."""
    word = WORD.match(note)
    text = note[:1].upper() + note[1:] if word and word[0] not in FUNCTIONS else note
    return text if text.endswith((".", "!", "?")) else text + "."


def _is_remark(note: str) -> bool:
    """What the comparison remarked, or a check besides, stands among the remarks."""
    place = note.partition(" ")[0]
    return note.startswith(BESIDES) or (":" in place and place.rstrip(":").partition(":")[0].count("/") == 1)


def _plainly(note: str) -> str:
    return note.rstrip(".").casefold()


def _sources(claim: Claim) -> list[dict[str, Any]]:
    """Where its printed forms come from, if they were not simply read."""
    named = {part.name: claim.source_of(part.name) for part in claim.parts} or {"": claim.source}
    out = []
    for source in dict.fromkeys(named.values()):
        word, _, more = source.partition(": ")
        own = [name for name, one in named.items() if one == source]
        if word != "printed":
            out.append({"word": word, "says": SOURCES[word], "more": prose(more, claim),
                        "parts": own if len(own) < len(named) else []})  # fmt: skip
    return out
