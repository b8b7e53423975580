// Claims, forms and values: from what a user gives to curves. Nothing here knows of the page.

"use strict";

function maureyModel(E, C, data) {
  // --- the table of forms --------------------------------------------------------------------------------------------

  const nodes = [];
  for (const row of data.nodes) nodes.push(row.map((child) => (typeof child === "number" ? nodes[child] : child)));

  const steps = data.steps.map(([name, latex, over, node, trivial]) => ({
    name, latex, trivial, value: nodes[node], over: over ? [over[0], nodes[over[1]]] : null,
  }));

  const symbol = ([name, latex, meaning, domain, index = "", optional = 0, plain = ""]) =>
    ({ name, latex, meaning, domain, index, optional: Boolean(optional), plain: plain || meaning });

  const claims = new Map();
  for (const [key, claim] of Object.entries(data.claims)) {
    const constants = claim.constants.map(([name, latex, meaning, value, plain = ""]) =>
      ({ ...symbol([name, latex, meaning, "positive real", "", 0, plain]), value }));
    const assumes = claim.assumes.map(([node, text]) => ({ relation: nodes[node], text }));
    const symbols = claim.symbols.map(symbol), lengths = new Set([...claim.unrolled, ...symbols.map((p) => p.index)]);
    for (const p of symbols) if (lengths.has(p.name)) p.most = data.most[p.name] || data.most[""]; // how long its lists are
    claims.set(key, { ...claim, key, symbols, constants, assumes });
  }

  const parts = new Map(data.parts.map((part) => [`${part.key}:${part.name}`, part]));
  const written = (list) => (typeof list === "number" ? data.lists[list].map((n) => steps[n]) : list);

  /** A curve is a form of a part, called KEY:PART:FORM. */
  function curve(id) {
    const [key, name, form] = id.split(":"), part = parts.get(`${key}:${name}`);
    return part && Object.hasOwn(part.forms, form) ? { id, part, form, claim: claims.get(key), ...part.forms[form] } : null;
  }

  // --- what is given -------------------------------------------------------------------------------------------------

  const WORDS = {
    "positive integer": "a positive integer", "positive real": "a positive number", "nonnegative real": "a number from 0 on",
    "nonnegative integer": "an integer from 0 on", "in [-1, 1]": "a number from -1 to 1",
    "in [0, 1]": "a number from 0 to 1", "in (0, 1)": "a number between 0 and 1", "in (0, 1]": "a number above 0, up to 1",
  };
  const INSIDE = {
    "positive integer": ([p, q]) => p > 0n && p % q === 0n, "positive real": ([p]) => p > 0n,
    "nonnegative integer": ([p, q]) => p >= 0n && p % q === 0n, "in [-1, 1]": ([p, q]) => p >= -q && p <= q,
    "nonnegative real": ([p]) => p >= 0n, "in [0, 1]": ([p, q]) => p >= 0n && p <= q,
    "in (0, 1)": ([p, q]) => p > 0n && p < q, "in (0, 1]": ([p, q]) => p > 0n && p <= q,
  };

  const LARGE = /^[+-]?[\d.]+[eE][+-]?\d{4,}$|^\d{1001,}$/; // numbers, but larger or smaller than any that is read
  const largest = (items) => items.reduce((x, y) => (E.logAt(E.read(x), 0) < E.logAt(E.read(y), 0) ? y : x)).trim();

  /** What is wrong with a text as a value of the symbol, in words; "" where nothing is. */
  function wrong(p, text) {
    const items = String(text).split(",");
    const listed = p.index ? `, or one for each ${{ L: "layer", H: "head" }[p.index] || p.index} with commas between` : "";
    const bad = items.find((item) => !(E.exact(item) && INSIDE[p.domain](E.exact(item))));
    if (items.length > 1 && !p.index) return `${p.name} is ${WORDS[p.domain]}, not a list${bad === undefined && p.name.startsWith("B_") ? `: one bound for all, as the largest, ${largest(items)}` : ""}`;
    const size = bad !== undefined && LARGE.test(bad.trim()) ? "; exponents go up to 999, numbers to 1000 characters" : "";
    return bad === undefined ? "" : `${p.name} is ${WORDS[p.domain]}${listed}; got “${bad.trim().slice(0, 30)}”${size}`;
  }

  class Problem extends Error {}

  /** Lists have these lengths: by their own symbol, or as many as are given. */
  function sizes(claim, given, values) {
    const listed = claim.symbols.filter((p) => p.index && (!p.optional || given.has(p.name)));
    const names = [...new Set([...listed.map((p) => p.index), ...claim.unrolled])].sort();
    return names.map((name) => {
      const lists = listed.filter((p) => p.index === name).map((p) => [p.name, String(values[p.name]).split(",").length]);
      const longest = lists.find(([, n]) => n > 1), fixed = claim.fixed && claim.fixed[name]; // of a file, whatever else has layers
      if (fixed && claim.symbols.some((p) => p.name === name) && Number(values[name]) !== fixed) throw new Problem(`your file is written out for ${name} = ${fixed}`);
      const size = fixed || (name in values ? Number(values[name]) : longest ? longest[1] : 2);
      const odd = lists.find(([, n]) => n > 1 && n !== size);
      if (odd) throw new Problem(`${odd[0]} has ${odd[1]} values, ${name} is ${size}: give one value, or ${size}`);
      return [name, size];
    });
  }

  /** The form written out for what is given: its steps, and which of the optional symbols stand in them. */
  function stepsOf({ claim, lists }, values) {
    const given = new Set(claim.symbols.filter((p) => p.optional && values[p.name]).map((p) => p.name));
    const fits = Object.keys(lists).filter((key) => key.split(" ").slice(1).every((name) => given.has(name)));
    const wide = Math.max(...fits.map((key) => key.split(" ").length));
    const own = fits.find((key) => key.split(" ").length === wide).split(" ").slice(1);
    const found = sizes(claim, new Set(own), values), key = [found.map(([, n]) => n).join(","), ...own].join(" ");
    if (!Object.hasOwn(lists, key)) {
      const told = found.map(([name, n]) => `${name} = ${n}`).join(", ");
      throw new Problem(`not written out for ${told}: lists have up to ${data.most[found[0] && found[0][0]] || data.most[""]} entries here`);
    }
    return { steps: written(lists[key]), sizes: Object.fromEntries(found), optional: own };
  }

  /** Names that a list of steps takes from outside. */
  function taken(list) {
    const found = new Set(), made = new Set(list.map((step) => step.name));
    const look = ([kind, ...rest], bound) => {
      if (kind === "symbol" || kind === "entry") {
        if (!bound.includes(rest[0]) && !made.has(rest[0])) found.add(rest[0]);
      }
      const own = ["sum", "product", "integral"].includes(kind) ? [...bound, rest[0]] : bound;
      for (const one of rest) if (Array.isArray(one)) look(one, own);
    };
    for (const step of list) {
      if (step.over) look(step.over[1], []);
      look(step.value, step.over ? [step.over[0]] : []);
    }
    return found;
  }

  /** A curve with numbers for its symbols; what is wrong is a Problem that says what would be right. */
  function bind(one, values) {
    const { claim } = one, names = [...claim.constants, ...claim.symbols]; // in this order shares are taken
    for (const p of names) {
      const bad = values[p.name] ? wrong(p, values[p.name]) : "";
      if (bad) throw new Problem(bad);
    }
    const found = stepsOf(one, values), uses = taken(found.steps), env = {};
    for (const p of names) {
      const text = values[p.name] || p.value;
      if (!text || (p.optional && !uses.has(p.name))) {
        if (uses.has(p.name)) throw new Problem(`${p.name} is missing: ${WORDS[p.domain]}`);
        continue;
      }
      const numbers = String(text).split(",").map(E.read), size = found.sizes[p.index];
      env[p.name] = !p.index ? numbers[0] : numbers.length > 1 ? numbers : Array(size || 1).fill(numbers[0]);
    }
    return { ...found, uses, env };
  }

  /** Where the claim's assumptions that speak of single values hold: the first that fails somewhere, and a mask. */
  function assumed(claim, env, points) {
    const mask = Array(points).fill(true);
    let broken = null;
    for (const assumption of claim.assumes) {
      const names = [...taken([{ name: "", value: assumption.relation, over: null }])];
      if (!names.every((name) => env[name] && !Array.isArray(env[name]))) continue;
      const holds = E.condition(assumption.relation, env, new Map());
      for (let i = 0; i < points; i++) {
        if (holds.at(i)) continue;
        mask[i] = false;
        broken = broken || assumption.text;
      }
    }
    return { mask, broken };
  }

  // --- curves --------------------------------------------------------------------------------------------------------

  /** The value where things are: a number, its steps' values, or a problem. */
  function at(one, values) {
    try {
      const bound = bind(one, values), { broken } = assumed(one.claim, bound.env, 1);
      if (broken) throw new Problem(`${one.claim.key} assumes that ${broken}`);
      const env = E.run(bound.steps, bound.env), last = bound.steps[bound.steps.length - 1].name;
      return { ...bound, env, value: { sign: E.signAt(env[last], 0), log: E.logAt(env[last], 0) }, problem: "" };
    } catch (error) {
      if (!(error instanceof Problem || error instanceof E.NoValue)) throw error;
      return { problem: error.message };
    }
  }

  /** Over many values of one symbol at once; not a number where the claim does not allow them. */
  function many(one, values, over, xs) {
    const known = [...one.claim.symbols, ...one.claim.constants].find((p) => p.name === over);
    const bound = bind(one, known ? { ...values, [over]: String(xs[0]) } : values), env = { ...bound.env };
    if (known) {
      const moved = E.positive(Float64Array.from(xs, Math.log));
      env[over] = Array.isArray(env[over]) ? env[over].map(() => moved) : moved;
    }
    const { mask } = assumed(one.claim, env, xs.length), found = E.evaluate(bound.steps, env);
    const log = Float64Array.from(xs, (_, i) => (mask[i] ? E.logAt(found, i) : NaN));
    return { log, sign: Float64Array.from(xs, (_, i) => E.signAt(found, i)) };
  }

  function graph(one, values, over) {
    const { claim } = one;
    const single = claim.unrolled.includes(over) || claim.symbols.some((p) => p.index === over);
    const nothing = (xs) => ({ log: xs.map(() => NaN), sign: xs.map(() => 1) });
    const found = new C.Graph((xs) => {
      try {
        return many(one, values, over, xs);
      } catch (error) {
        if (error instanceof E.Varying || !(error instanceof Problem || error instanceof E.NoValue)) throw error;
        return nothing(xs);
      }
    }, single);
    return found;
  }

  const integer = (chosen, name) =>
    chosen.some(({ claim }) => claim.symbols.some((p) => p.name === name && p.domain.endsWith("integer")));

  // --- what is to be said --------------------------------------------------------------------------------------------

  const GIVEN = (text) => (text && text.length < 12 ? text : Number(text).toPrecision(4));

  /** From which height on a bound on a gap or a probability says nothing. */
  function ceiling({ part }, values) {
    if (part.lhs.includes("\\mathbb P") && !part.below) return { log: 0, says: "a probability is at most 1" };
    const b = claims.get(part.key).symbols.find((p) => p.name === "b");
    if (part.quantity !== "gap" || !b || !values.b) return null;
    const log = E.logAt(E.read(values.b), 0), told = GIVEN(values.b);
    return b.meaning.includes("interval") ? { log, says: `losses lie in an interval of length b = ${told}, and no gap is above b` }
      : { log: log + Math.LN2, says: `losses are at most b = ${told}, and no gap is above 2b` };
  }

  /** Whether a value says more than what is true anyway. */
  function remarks(one, found, values) {
    if (found.problem || one.part.below) return [];
    const { sign, log } = found.value, top = ceiling(one, values);
    if (top && sign > 0 && log >= top.log) return [`says nothing: ${top.says}`];
    if (sign < 0) return [`is negative: as a bound on the ${one.part.meaning} it cannot be right here`];
    return [...new Set(found.steps.flatMap((step) => trivial(step, found, one.claim.samples)))];
  }

  /** A step that is the smaller of something and a bound that no samples improve, and here is the latter. */
  function trivial(step, { steps: list, env }, samples) {
    if (!step.trivial || step.value[0] !== "min") return [];
    const moved = new Set([samples]);
    const speaks = (node) => Array.isArray(node) && (((node[0] === "symbol" || node[0] === "entry") && moved.has(node[1])) || node.some(speaks));
    for (const other of list.slice(0, list.indexOf(step))) if (speaks(other.value)) moved.add(other.name);
    const bare = step.value.slice(1).filter((argument) => !speaks(argument));
    if (bare.length !== 1) return [];
    const logs = step.value.slice(1).map((argument) => E.logAt(E.value(argument, env, new Map()), 0));
    const own = E.logAt(E.value(bare[0], env, new Map()), 0);
    return logs.every((log) => own <= log) ? ["is trivial here: the size of the class plays no part in it"] : [];
  }

  const ABOVE = { _inf: ["", "_F", "_21", "_11"], "": ["_F", "_21", "_11"], _F: ["_21", "_11"], _21: ["_11"], _1inf: ["_11"] };
  const LARGER = {};
  for (const M of ["V", "QK", "C", "W"]) {
    for (const [suffix, above] of Object.entries(ABOVE)) LARGER[`B_${M}${suffix}`] = above.map((other) => `B_${M}${other}`);
  }
  Object.assign(LARGER, { B_X: ["B_X_1"], B_w: ["B_w_1"] });
  for (const name of ["B_V", "B_QK", "B_C", "B_w"]) LARGER[name].push("B_W_21", "B_W_11");

  /** Norm bounds that others make slack, one line for each. */
  function slack(values, names) {
    const numbers = (name) => String(values[name]).split(",").map((text) => E.logAt(E.read(text), 0));
    const usable = (name) => names.has(name) && values[name] && String(values[name]).split(",").every((text) => E.exact(text));
    return Object.keys(LARGER).filter(usable).flatMap((name) => {
      const bounds = numbers(name), others = LARGER[name].filter(usable);
      for (let i = 0; i < Math.max(bounds.length, ...others.map((other) => numbers(other).length)); i++) {
        const entry = (list) => list[list.length > 1 ? i : 0];
        const least = others.sort((x, y) => entry(numbers(x)) - entry(numbers(y)) || (x < y ? -1 : 1))[0];
        if (least && entry(bounds) > entry(numbers(least)) + 1e-12) {
          return [{ name, least, text: `${name} = ${entry(String(values[name]).split(","))} is slack: that norm is never above ${least} = ${entry(String(values[least]).split(","))}` }];
        }
      }
      return [];
    });
  }

  // --- one's own -----------------------------------------------------------------------------------------------------

  const every = new Map(); // what a name means, in one claim or another
  const learn = (p) => every.set(p.name, [...(every.get(p.name) || []), p]);
  for (const claim of claims.values()) [...claim.symbols, ...claim.constants].forEach(learn);
  const named = (name) => (every.get(name) || [])[0];

  /** What is wrong with a text for every claim that knows the name, as these claims say it if they do. */
  function nowhere(name, text, ones) {
    const own = ones.flatMap(({ claim }) => [...claim.symbols, ...claim.constants]).filter((p) => p.name === name);
    const all = own.length ? own : every.get(name);
    return all.some((p) => !wrong(p, text)) ? "" : wrong(all[0], text);
  }
  const knows = (kind) => Object.hasOwn(E.functions, kind);

  /** A claim that a file brings: its parts and forms are added to what there is of it. */
  function adopt(claim, part, form, found) {
    const id = `${part.key}:${part.name}`, known = parts.get(id), earlier = claims.get(claim.key);
    const joined = (kind) => {
      const all = [...claim[kind], ...(earlier ? earlier[kind] : [])];
      return all.filter((p, n) => all.findIndex((q) => q.name === p.name) === n);
    };
    claims.set(claim.key, { ...claim, symbols: joined("symbols"), constants: joined("constants") });
    parts.set(id, { ...part, forms: { ...(known ? known.forms : {}), [form]: found } });
    claim.symbols.forEach(learn);
  }

  return { exact: E.exact, named, nowhere, knows, adopt, claims, parts, curve, wrong, bind, at, many, graph, integer, remarks, ceiling, slack, stepsOf, taken, Problem, WORDS };
}
