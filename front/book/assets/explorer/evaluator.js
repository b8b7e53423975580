// Exported step lists evaluated in double precision, over many points at once; `help(maurey.symbolic.export)` lists the
// nodes. A number is {log, sign}: logarithms of sizes, of which there is one or one for each point, and signs, null
// where all are positive; so nothing overflows. All of it stands in one function, for a worker takes it as a text.

"use strict";

function maureyEvaluator() {
  const NEAR = 1e-12; // relative: what a count forgives
  const LARGE = 36; // the logarithm of what has no fraction in doubles
  const MOST_TERMS = 2000;
  const PANELS = 8;
  const NODES = 20; // of an integral's panel
  const T = maureyTails();

  /** What has no value: the logarithm of zero, a sum that is too long. */
  class NoValue extends Error {}
  /** A sum with more terms at one point than at another: the points must be taken one by one. */
  class Varying extends NoValue {}

  // --- numbers -------------------------------------------------------------------------------------------------------

  const positive = (log) => ({ log, sign: null });
  const one = (log, sign = 1) => ({ log: Float64Array.of(log), sign: sign > 0 ? null : Float64Array.of(sign) });
  const ZERO = one(-Infinity, 0);
  const stride = (x) => (x.log.length > 1 ? 1 : 0);
  const signAt = (x, i) => (x.sign === null ? 1 : x.sign[x.sign.length > 1 ? i : 0]);
  const logAt = (x, i) => x.log[x.log.length > 1 ? i : 0];
  const plainAt = (x, i) => (signAt(x, i) ? signAt(x, i) * Math.exp(logAt(x, i)) : 0);
  const most = (xs) => xs.reduce((n, x) => Math.max(n, x.log.length, x.sign ? x.sign.length : 1), 1);

  /** From plain doubles, point by point. */
  function ofPlain(n, value) {
    const log = new Float64Array(n), sign = new Float64Array(n);
    let above = true;
    for (let i = 0; i < n; i++) {
      const x = value(i);
      log[i] = Math.log(Math.abs(x));
      sign[i] = Math.sign(x);
      above = above && x > 0;
    }
    return { log, sign: above ? null : sign };
  }

  const onPlain = (rule) => (...xs) => ofPlain(most(xs), (i) => rule(...xs.map((x) => plainAt(x, i))));

  const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$|^[+-]?\d+\/\d+$/;

  /** An exact number [p, q] of BigInts, from an integer, a decimal or a fraction; null from anything else. */
  function exact(text) {
    const word = String(text).trim();
    if (word.length > 1000 || !NUMBER.test(word)) return null;
    if (word.includes("/")) {
      const [p, q] = word.replace("+", "").split("/").map(BigInt);
      return q ? [p, q] : null;
    }
    const [, sign, digits, exponent] = /^([+-]?)([\d.]+)(?:[eE]([+-]?\d+))?$/.exec(word);
    const [whole, after = ""] = digits.split(".");
    const power = Number(exponent || 0) - after.length;
    const p = BigInt(whole + after) * (sign === "-" ? -1n : 1n);
    return power < 0 ? [p, 10n ** BigInt(-power)] : [p * 10n ** BigInt(power), 1n];
  }

  function logOfBig(p) {
    const bits = Math.max(0, 4 * (p.toString(16).length - 16));
    return Math.log(Number(p >> BigInt(bits))) + bits * Math.LN2;
  }

  /** The number behind a text. */
  function read(text) {
    const found = exact(text);
    if (found === null) throw new NoValue(`${text} is no number`);
    const [p, q] = found, size = p < 0n ? -p : p;
    if (!p) return ZERO;
    const plain = String(text).includes("/") ? Number(size) / Number(q) : Math.abs(Number(text));
    const fits = plain > 1e-300 && plain < 1e300;
    return one(fits ? Math.log(plain) : logOfBig(size) - logOfBig(q), p < 0n ? -1 : 1);
  }

  // --- arithmetic ----------------------------------------------------------------------------------------------------

  function addTwo(x, y) {
    const n = most([x, y]), log = new Float64Array(n), a = stride(x), b = stride(y);
    for (let i = 0; i < n; i++) {
      const u = x.log[a * i], v = y.log[b * i];
      log[i] = u === v ? u + Math.LN2 : u > v ? u + Math.log1p(Math.exp(v - u)) : v + Math.log1p(Math.exp(u - v));
    }
    return positive(log);
  }

  function add(...terms) {
    const still = terms.filter((t) => t.log.length === 1 && (t.sign === null || t.sign.length === 1));
    if (still.length > 1 && still.length < terms.length) { // constants first, once
      return add(...terms.filter((t) => !still.includes(t)), add(...still));
    }
    if (terms.every((t) => t.sign === null)) return terms.reduce(addTwo);
    const n = most(terms), log = new Float64Array(n), sign = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let top = Math.max(...terms.map((t) => logAt(t, i)));
      top = Number.isFinite(top) ? top : 0;
      const sum = terms.reduce((s, t) => s + signAt(t, i) * Math.exp(logAt(t, i) - top), 0);
      log[i] = Math.log(Math.abs(sum)) + top;
      sign[i] = Math.sign(sum);
    }
    return { log, sign: sign.every((s) => s > 0) ? null : sign };
  }

  function multiply(...factors) {
    const n = most(factors), log = new Float64Array(n);
    for (const f of factors) {
      if (f.log.length === 1) for (let i = 0; i < n; i++) log[i] += f.log[0];
      else for (let i = 0; i < n; i++) log[i] += f.log[i];
    }
    const signed = factors.filter((f) => f.sign !== null);
    if (!signed.length) return positive(log);
    return { log, sign: Float64Array.from(log, (_, i) => signed.reduce((s, f) => s * signAt(f, i), 1)) };
  }

  function power(base, exponent) {
    const n = most([base, exponent]), log = new Float64Array(n), a = stride(base);
    for (let i = 0; i < n; i++) log[i] = base.log[a * i] * plainAt(exponent, i);
    if (base.sign === null) return positive(log);
    const sign = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const p = plainAt(exponent, i), whole = Math.round(p), below = signAt(base, i) < 0;
      if (below && Math.abs(p - whole) > NEAR * Math.abs(p)) log[i] = NaN;
      sign[i] = below && whole % 2 !== 0 ? -1 : p === 0 ? 1 : Math.abs(signAt(base, i));
    }
    return { log, sign };
  }

  const lessAt = (x, y, i) => {
    const s = signAt(x, i), t = signAt(y, i);
    return s < t || (s === t && s * logAt(x, i) < t * logAt(y, i));
  };

  /** The first where the mask is set, the second elsewhere. */
  function choose(n, mask, x, y) {
    const log = new Float64Array(n), sign = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const from = mask(i) ? x : y;
      log[i] = logAt(from, i);
      sign[i] = signAt(from, i);
    }
    return { log, sign: sign.every((s) => s > 0) ? null : sign };
  }

  const best = (better) => (...xs) => xs.reduce((y, x) => choose(most([x, y]), (i) => better(x, y, i), x, y));

  /** An argument less than 1e-12 above an integer counts as that integer; up is 1 for a ceiling, -1 for a floor. */
  const count = (up) => (x) => {
    const value = ofPlain(most([x]), (i) => {
      const s = signAt(x, i), size = Math.exp(Math.min(logAt(x, i), LARGE));
      if (up * s > 0) return s * Math.max(Math.ceil(size * (1 - NEAR)), 1);
      return s * Math.floor(size * (1 + NEAR));
    });
    return choose(most([x]), (i) => logAt(x, i) >= LARGE, x, value);
  };

  const log = (x) => ofPlain(most([x]), (i) => (signAt(x, i) > 0 ? logAt(x, i) : NaN));
  const exp = (x) => positive(Float64Array.from({ length: most([x]) }, (_, i) => plainAt(x, i)));

  function binomial(n, k) {
    const at = (x, i) => Math.round(plainAt(x, i));
    return positive(Float64Array.from({ length: most([n, k]) }, (_, i) => T.logBinomial(at(n, i), at(k, i))));
  }

  /** Of counts, and of a level that may be far below all doubles. */
  const tail = (inverse) => (...xs) => {
    const level = xs[xs.length - 1], counts = xs.slice(0, -1);
    return ofPlain(most(xs), (i) => inverse(...counts.map((x) => Math.round(plainAt(x, i))), Math.min(0, logAt(level, i))));
  };

  const PLAIN = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sign",
    "abs"];

  const functions = {
    add, multiply, power, log, exp, binomial,
    min: best(lessAt),
    max: best((x, y, i) => lessAt(y, x, i)),
    ceiling: count(1),
    floor: count(-1),
    pi: () => one(Math.log(Math.PI)),
    e: () => one(1),
    ceil_log2: onPlain(T.ceilLog2),
    inverse_kl: onPlain(T.inverseKl),
    binomial_inverse: tail(T.binomialInverse),
    hypergeometric_inverse: tail(T.hypergeometricInverse),
    mixture_inverse: tail(T.mixtureInverse),
    erf: onPlain((x) => 1 - T.erfc(x)),
    erfc: onPlain(T.erfc),
    ...Object.fromEntries(PLAIN.map((name) => [name, onPlain(Math[name])])),
  };

  // --- nodes ---------------------------------------------------------------------------------------------------------

  const HOLDS = {
    "<=": (d) => d <= NEAR, "<": (d) => d < -NEAR, ">=": (d) => d >= -NEAR, ">": (d) => d > NEAR,
    "=": (d) => Math.abs(d) <= NEAR,
  };

  /** Where a comparison of numbers that are not negative holds: a function of the point, and how many points there are. */
  function condition([kind, ...sides], env, memo) {
    if (kind === "true") return { n: 1, at: () => true };
    const [x, y] = sides.map((side) => value(side, env, memo)), test = HOLDS[kind];
    if (!test) throw new NoValue(`no condition ${kind}`);
    return { n: most([x, y]), at: (i) => test(logAt(x, i) === logAt(y, i) ? 0 : logAt(x, i) - logAt(y, i)) };
  }

  function cases(rows, env, memo) {
    if (!rows.length) return one(NaN);
    const [[, when, then], ...rest] = rows, holds = condition(when, env, memo);
    if (holds.n === 1) return holds.at(0) ? value(then, env, memo) : cases(rest, env, memo);
    const x = value(then, env, memo), y = cases(rest, env, memo);
    return choose(Math.max(holds.n, most([x, y])), holds.at, x, y);
  }

  function integer(x) {
    if (most([x]) > 1 && x.log.some((v) => v !== x.log[0])) throw new Varying("a sum whose length varies");
    return Math.round(plainAt(x, 0));
  }

  function loop(kind, [index, low, high, term], env, memo) {
    const first = integer(value(low, env, memo)), last = integer(value(high, env, memo));
    if (!(last - first <= MOST_TERMS)) throw new NoValue(`a sum of more than ${MOST_TERMS} terms is too long`);
    const terms = [];
    for (let i = first; i <= last; i++) terms.push(value(term, { ...env, [index]: read(String(i)) }, new Map()));
    if (!terms.length) return kind === "sum" ? ZERO : one(0);
    return functions[kind === "sum" ? "add" : "multiply"](...terms);
  }

  let rule = null; // Gauss and Legendre's: places and weights on [-1, 1]

  function legendre() {
    const places = [];
    for (let k = 0; k < NODES; k++) {
      let x = Math.cos((Math.PI * (k + 0.75)) / (NODES + 0.5)), slope = 1;
      for (let step = 0; step < 30; step++) {
        let [before, now] = [1, x];
        for (let n = 2; n <= NODES; n++) [before, now] = [now, ((2 * n - 1) * x * now - (n - 1) * before) / n];
        slope = (NODES * (x * now - before)) / (x * x - 1);
        x -= now / slope;
      }
      places.push([x, 2 / ((1 - x * x) * slope * slope)]);
    }
    return places;
  }

  /** In the logarithm of the variable: f(x) dx = f(e^t) e^t dt, panel by panel. */
  function integral([variable, low, high, body], env, memo) {
    rule = rule || legendre();
    const a = value(low, env, memo), b = value(high, env, memo), n = most([a, b]), terms = [];
    const make = (f) => Float64Array.from({ length: n }, (_, i) => f(logAt(a, i), logAt(b, i)));
    for (let panel = 0; panel < PANELS; panel++) {
      for (const [x, w] of rule) {
        const t = make((p, q) => p + ((q - p) * (panel + (x + 1) / 2)) / PANELS);
        const found = value(body, { ...env, [variable]: positive(t) }, new Map());
        const width = make((p, q) => Math.log(((q - p) * w) / (2 * PANELS)));
        terms.push(multiply(found, positive(t), positive(width)));
      }
    }
    return functions.add(...terms);
  }

  /** Of a node, with values for the names in it; the memo keeps what nodes that stand in several places are worth. */
  function value(node, env, memo) {
    const [kind, ...rest] = node;
    if (kind === "symbol" || kind === "entry") return named(kind, rest, env, memo);
    const known = memo.get(node);
    if (known) return known;
    const found =
      kind === "number" ? read(rest[0])
      : kind === "sum" || kind === "product" ? loop(kind, rest, env, memo)
      : kind === "integral" ? integral(rest, env, memo)
      : kind === "cases" ? cases(rest, env, memo)
      : called(kind, rest.map((argument) => value(argument, env, memo)));
    memo.set(node, found);
    return found;
  }

  function named(kind, [name, place], env, memo) {
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    const entry = kind === "entry" && found ? found[integer(value(place, env, memo)) - 1] : found;
    if (entry === undefined) throw new NoValue(`no value for ${name}`);
    return entry;
  }

  function called(kind, values) {
    if (!Object.hasOwn(functions, kind)) throw new NoValue(`no function ${kind}`);
    return functions[kind](...values);
  }

  /** Step by step: the environment with the steps' own values in it. The last one is the bound. */
  function run(steps, values) {
    const env = { ...values }, memo = new Map();
    for (const step of steps) {
      if (!step.over) {
        env[step.name] = value(step.value, env, memo);
        continue;
      }
      const [index, size] = step.over, count = integer(value(size, env, memo));
      env[step.name] = []; // an entry may speak of those before it
      for (let i = 1; i <= count; i++) env[step.name].push(value(step.value, { ...env, [index]: read(String(i)) }, new Map()));
    }
    return env;
  }

  const evaluate = (steps, values) => run(steps, values)[steps[steps.length - 1].name];

  return { NoValue, Varying, exact, read, value, run, evaluate, condition, functions, logAt, signAt, plainAt, most, positive };
}
