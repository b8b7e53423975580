// The smallest sample size from which a bound stays at or below a gap: as `maurey samples`, looked for with doubles.

"use strict";

function maureySamples(E) {
  const LIMIT = 2 ** 1000;
  const BEYOND = 2 ** 20; // times the answer: how far the bound is looked at
  const LOOKED = 400; // points of a range

  /** Points of a range of integers, evenly spaced by factors. */
  function between(low, high) {
    const xs = Array.from({ length: LOOKED }, (_, i) => Math.round(low * (high / low) ** (i / (LOOKED - 1))));
    return [...new Set(xs)];
  }

  /** `evaluate(ms)` gives the bound at many m at once. The answer is a double: above 2^53 the nearest one. */
  function smallest(evaluate, gap) {
    const target = E.logAt(E.read(gap), 0);
    const above = (ms) => {
      const found = evaluate(ms);
      return ms.map((_, i) => !(E.signAt(found, i) <= 0 || E.logAt(found, i) <= target));
    };
    let top = 1;
    while (above([top, top * 2, top * BEYOND, top * BEYOND ** 2]).some((x) => x)) {
      top *= 16;
      if (top > LIMIT) return null;
    }
    const xs = between(1, top * BEYOND), high = above(xs), last = high.lastIndexOf(true);
    if (last < 0) return 1;
    let [low, up] = [xs[last], xs[last + 1]];
    while (up - low > Math.max(1, up * 2 ** -52)) {
      const middle = Math.round(Math.sqrt(low * up)), inside = middle > low && middle < up ? middle : Math.round((low + up) / 2);
      if (inside <= low || inside >= up) break;
      if (above([inside])[0]) low = inside;
      else up = inside;
    }
    return up;
  }

  return { smallest };
}
