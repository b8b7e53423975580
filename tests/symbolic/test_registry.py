"""Contract tests over the whole registry, and over the shape of the code."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import maurey
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, InputError, Part

ROOT = Path(__file__).parents[2]
CLAIMS = maurey.claims()
KEYS = {claim.key for claim in CLAIMS}
WITH_FORMS = [claim for claim in CLAIMS if claim.forms]
WHOLE_PAPER = [
    *("2.1", "sec2-linear-cover", "2.2", "3.1", "3.2", "4.1", "4.2", "4.2-scalar", "4.3", "4.4", "4.5", "4.5-stronger"),
    *("4.6", "4.7"),
    *("A.1", "A.2", "A.3", "A.4", "A.5", "A.6", "A.7", "A.8", "A.9", "A.10", "A.11", "A.12", "A.12-equal-heads"),
    *("A.13", "A.14", "A.15", "A.16", "A.17"),
    *("B.1", "B.2", "B.3", "B.4", "B.5", "B.6", "B.7", "B.8"),
]


def test_the_whole_paper_is_there_in_its_order():
    assert [claim.number for claim in maurey.claims("edelman2022") if claim.number in WHOLE_PAPER] == WHOLE_PAPER
    assert {"edelman2022icml/4.6", "zhang2002/4", "maurey/online"} <= KEYS


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_records_are_whole(claim):
    assert claim.title
    assert claim.statement
    assert set(claim.uses) <= KEYS
    assert all(part.hides for part in claim.parts if part.relation == "<~")
    assert "printed" in claim.forms or not claim.parts
    if claim.kind in ("definition", "assumption"):
        assert not claim.parts
    for part in claim.parts:
        for form in part.forms:
            steps = part.steps(form)
            assert {step.key for step in steps if step.key} <= KEYS
            assert all(step.reason and step.latex for step in steps[:-1])
            assert len({step.name for step in steps}) == len(steps)


@pytest.mark.parametrize("claim", WITH_FORMS, ids=lambda claim: claim.key)
def test_steps_speak_only_of_declared_names(claim):
    declared = {p.name for p in claim.names}
    for part in claim.parts:
        for form in part.forms:
            known = set(declared)
            for step in part.steps(form):
                index = {step.over[0].name} if step.over else set()
                assert {s.name for s in step.expr.free_symbols if s.is_Symbol} <= known | index
                known.add(step.name)


def ancestors(key):
    """Everything a claim rests on, through what it uses."""
    found, waiting = set(), [key]
    while waiting:
        for parent in maurey.claim(waiting.pop()).uses:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


@pytest.mark.parametrize("claim", WITH_FORMS, ids=lambda claim: claim.key)
def test_steps_cite_what_the_claim_rests_on(claim):
    keys = {step.key for part in claim.parts for form in part.forms for step in part.steps(form) if step.key}
    assert keys - {claim.key} <= ancestors(claim.key)
    assert claim.key not in ancestors(claim.key)


def test_forms_are_lazy():
    def never(setting):
        raise AssertionError("built although nobody asked")

    Claim("x/1", "t", "covering", "s", parts=(Part("p", "p", "m", printed=never),))


def test_unknown_kinds_relations_and_domains_are_refused():
    with pytest.raises(ValueError, match="kind"):
        Claim("x/1", "t", "nonsense", "s")
    with pytest.raises(ValueError, match="relation"):
        Claim("x/1", "t", "covering", "s", parts=(Part("p", "p", "m", relation="<"),))


def test_unknown_keys_get_the_nearest():
    with pytest.raises(InputError, match=r"edelman2022/A\.7"):
        maurey.claim("edelman2022/A.71")
    with pytest.raises(InputError, match="no claim 'nothing like it'"):
        maurey.claim("nothing like it")


def test_one_paper_at_a_time():
    code = "import sys, maurey; maurey.claim('zhang2002/4'); print([m for m in sys.modules if '.papers.' in m])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "zhang2002" in out
    assert "edelman2022" not in out


def test_a_paper_is_found_by_walking_the_package(tmp_path, monkeypatch):
    """Adding a result touches one file: a new package is found without any list being edited."""
    (tmp_path / "someone2030").mkdir()
    (tmp_path / "someone2030" / "__init__.py").write_text("")
    (tmp_path / "someone2030" / "section_1.py").write_text(
        "from maurey.symbolic.claim import Claim\nlemma = Claim('someone2030/1', 'A lemma', 'covering', 'Words.')\n"
    )
    monkeypatch.setattr(registry.papers, "__path__", [*registry.papers.__path__, str(tmp_path)])
    registry.paper_names.cache_clear()
    try:
        assert maurey.claim("someone2030/1").title == "A lemma"
    finally:
        registry.paper_names.cache_clear()


ROOMS = ["symbolic", "numeric", "verify", "paper_tables", "front"]
ALLOWED = {
    "symbolic": {"symbolic"},
    "numeric": {"symbolic", "numeric"},
    "verify": {"symbolic", "numeric", "verify"},
    "paper_tables": {"symbolic", "numeric", "verify", "paper_tables"},
    "front": set(ROOMS),
}


def imports(path):
    """Absolute names of everything a file imports, function bodies included."""
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    package = ["maurey"] if room == "front" else ["maurey", room]
    package += inner if path.name == "__init__.py" and inner[-1:] != ["__init__"] else inner[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            yield ".".join(x for x in (base, node.module) if x)


@pytest.mark.parametrize("room", ROOMS)
def test_dependencies_point_down(room):
    for path in (ROOT / room).rglob("*.py"):
        points_down(path, room)


def points_down(path, room):
    for name in imports(path):
        top, _, rest = name.partition(".")
        assert top not in ROOMS, f"bare import of {name}"
        if top == "maurey":
            target = rest.split(".")[0]
            target = target if target in ROOMS else "front"
            if room == "numeric" and target == "front":
                raise AssertionError(f"{path} imports {name}")
            assert target in ALLOWED[room], f"{path} imports {name}"
    if "papers" not in path.parts and room == "symbolic":
        assert not any(".papers." in name for name in imports(path)), "the calculus knows no paper"


def test_importing_maurey_is_light(tmp_path):
    """torch is never imported, and nothing slow is before it is needed."""
    for name in ("torch", "matplotlib", "hypothesis", "z3"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported too early')")
    code = "import maurey, maurey.cli; maurey.claim('edelman2022/4.4').latex()"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(tmp_path), "PATH": ""})


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.differs], ids=lambda claim: claim.key)
def test_departures_name_a_step_of_the_derivation(claim):
    names = [step.name for part in claim.parts if part.derived for step in part.steps("derived")]
    for prefix in claim.differs:
        assert any(name.startswith(prefix) for name in names)


@pytest.mark.parametrize("claim", WITH_FORMS, ids=lambda claim: claim.key)
def test_no_step_takes_the_name_of_a_parameter(claim):
    for part in claim.parts:
        for form in part.forms:
            assert not {step.name for step in part.steps(form)[:-1]} & {p.name for p in claim.names}
