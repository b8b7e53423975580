// Which quantity makes a bound large: shares of its logarithm, as `maurey blame` takes them. Every quantity x is moved
// from 1 to where it is, along x^s with s from 0 to 1, in small steps, one after the other; what the logarithm of the
// bound gains meanwhile is its share. In one function, for a worker takes it as a text.

"use strict";

function maureyBlame(E) {
  const STEPS = 400;
  const MOST_HELD = 1 << 12; // points at which the bound is taken at once

  /** The names in a node, but for the indices of its own sums. */
  function names([kind, ...rest], found = new Set(), bound = []) {
    if (kind === "symbol" || kind === "entry") {
      if (!bound.includes(rest[0])) found.add(rest[0]);
      if (kind === "entry") names(rest[1], found, bound);
      return found;
    }
    const own = ["sum", "product", "integral"].includes(kind) ? [...bound, rest[0]] : bound;
    for (const one of rest) if (Array.isArray(one)) names(one, found, own);
    return found;
  }

  /** Names that say how long sums and lists are: no numbers between 1 and what they are. */
  function lengths(steps) {
    const found = new Set();
    const look = (node) => {
      if (!Array.isArray(node)) return;
      if (["sum", "product"].includes(node[0])) for (const end of [node[2], node[3]]) names(end, found);
      node.forEach(look);
    };
    for (const { value, over } of steps) {
      look(value);
      if (over) names(over[1], found);
    }
    return [...found];
  }

  /** The quantities that move: [name, place in its list or null], and the logarithm of each. */
  function movable(steps, values, still) {
    const used = new Set();
    for (const step of steps) names(step.value, used);
    const rows = Object.entries(values).filter(([name]) => used.has(name) && !still.includes(name)).flatMap(([name, v]) =>
      Array.isArray(v) ? v.map((x, i) => [name, i, x]) : [[name, null, v]]);
    return rows.filter(([, , x]) => E.logAt(x, 0) > -Infinity).map(([name, i, x]) => ({ name, i, log: E.logAt(x, 0) }));
  }

  /** The logarithm of the bound at many points; `at(q, p)` is the logarithm of quantity q there. NaN where it has none. */
  function logs(steps, values, moved, points, at) {
    const env = Object.fromEntries(Object.entries(values).map(([n, v]) => [n, Array.isArray(v) ? [...v] : v]));
    moved.forEach(({ name, i }, q) => {
      const x = E.positive(Float64Array.from({ length: points }, (_, p) => at(q, p)));
      if (i === null) env[name] = x;
      else env[name][i] = x;
    });
    const found = E.evaluate(steps, env);
    return Float64Array.from({ length: points }, (_, p) => (E.signAt(found, p) > 0 ? E.logAt(found, p) : NaN));
  }

  /** Steps and values as for `evaluate`; `still` names the lengths of lists, which stay. */
  function shares(steps, values, still = [], tell = () => {}) {
    const moved = movable(steps, values, still), n = moved.length;
    const bound = (points, at) => logs(steps, values, moved, points, at);
    const end = bound(1, (q) => moved[q].log)[0];
    if (!Number.isFinite(end)) throw new E.NoValue("it is zero or negative here: there is nothing to share");
    let start = 0; // a kept logarithm vanishes where everything is 1
    while (start < STEPS && !Number.isFinite(bound(1, (q) => (moved[q].log * start) / STEPS)[0])) start++;
    const path = [], block = Math.max(1, Math.floor(MOST_HELD / Math.max(1, n)));
    for (let first = start; first < STEPS; first += block) {
      const size = Math.min(block, STEPS - first);
      tell((first - start) / (STEPS - start));
      // after k full steps the quantities move once more, one after the other: those before have moved
      path.push(...bound(size * n, (q, p) => (moved[q].log * (first + Math.floor(p / n) + (q < p % n ? 1 : 0))) / STEPS));
    }
    path.push(end);
    const share = new Float64Array(n);
    for (let p = 0; p + 1 < path.length; p++) share[p % n] += path[p + 1] - path[p];
    const halved = n ? bound(n, (q, p) => moved[q].log - (q === p ? Math.LN2 : 0)) : [];
    const rows = moved.map(({ name, i }, q) => ({ name, i, share: share[q], halved: Math.exp(halved[q] - end) }));
    rows.push({ name: "constants", i: null, share: end - share.reduce((x, y) => x + y, 0), halved: null });
    return { log: end, rows: rows.sort((x, y) => Math.abs(y.share) - Math.abs(x.share)) };
  }

  return { shares, names, lengths };
}
