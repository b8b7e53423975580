"""The explorer's scripts, run without a browser: functions of theirs that take and give JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import quickjs

ASSETS = Path(__file__).parents[1] / "front" / "book" / "assets" / "explorer"
START = """
var window = this;
const E = maureyEvaluator();
const C = typeof maureyCompare === "undefined" ? null : maureyCompare(E);
const numbers = (values) =>
  Object.fromEntries(Object.entries(values).map(([n, x]) => [n, Array.isArray(x) ? x.map(E.read) : E.read(String(x))]));
const told = (x) => (Number.isFinite(x) ? x : String(x));
"""


def engine(*names: str) -> quickjs.Context:
    context = quickjs.Context()
    for name in ("tails", "evaluator", *names):
        context.eval((ASSETS / f"{name}.js").read_text())
    context.eval(START)
    return context


def function(context: quickjs.Context, source: str) -> Callable[..., Any]:
    """Of arguments as they stand in JSON; infinities come as text."""
    call = context.eval(f"(text) => JSON.stringify(({source})(...JSON.parse(text)))")
    return lambda *given: json.loads(call(json.dumps(given)))
