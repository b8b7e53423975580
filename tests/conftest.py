import os
import sys
from functools import cache
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers share the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")
TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))
ATTACKS, PROOFS = ("verify/attack", "verify/packings"), ("verify/prove",)
TRAINING = ("verify/training", "paper_tables/test_trained")
BROWSER = ("browser",)
LONG = """
    benchmarks paper_tables numeric/test_grids.py numeric/test_samples.py
    front/test_compare_cli.py front/test_documents.py front/test_export.py front/test_imports.py front/test_packaging.py
    front/test_recipes.py front/test_tables_cli.py
    verify/certificates verify/complexity verify/covers verify/errata verify/papers
"""
MARKS = {  # of all tests in a folder or file; single tests are marked where they stand
    "attack": ATTACKS,
    "prove": PROOFS,
    "train": TRAINING,
    "browser": BROWSER,
    "slow": (*ATTACKS, *PROOFS, *TRAINING, *BROWSER, *LONG.split()),
}


def pytest_addoption(parser):
    parser.addoption("--claim", metavar="KEY", default="", help="only what is said of every claim, of this one")


def pytest_ignore_collect(collection_path, config):
    """What takes long is not even loaded where it is not wanted."""
    return True if config.getoption("markexpr") == "not slow" and _marks(collection_path) & {"slow"} else None


def pytest_collection_modifyitems(config, items):
    """A test that is made for every claim has its key, the claim itself or an entry of the errata for a parameter."""
    for item in items:
        for mark in _marks(item.path):
            item.add_marker(mark)
    if wanted := config.getoption("--claim"):
        chosen = [item for item in items if _key_of(item) == wanted]
        config.hook.pytest_deselected(items=[item for item in items if _key_of(item) != wanted])
        items[:] = chosen


@cache
def _marks(path):
    """By the folder or file that it is in."""
    inside = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
    return {mark for mark, places in MARKS.items() if inside.startswith(places)}


def _key_of(item):
    given = getattr(getattr(item, "callspec", None), "params", {})
    return given.get("key") or getattr(given.get("claim") or given.get("entry"), "key", "")


@pytest.fixture
def one_thread():
    """torch counts the cores by itself, and the workers share them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
