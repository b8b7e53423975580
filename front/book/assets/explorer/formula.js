// Exported expressions as LaTeX, printed as Maurey prints them (`symbolic/expressions.py`); with numbers in the place of
// names where there are some.

"use strict";

function maureyFormula() {
  const isNode = (node, kind) => Array.isArray(node) && node[0] === kind;
  const rational = (node) => (isNode(node, "number") ? node[1].split("/").map(Number) : null);
  const negative = (node) => isNode(node, "number") && node[1].startsWith("-");
  const minus = (node) => ["number", node[1].startsWith("-") ? node[1].slice(1) : `-${node[1]}`];
  const is = (node, text) => isNode(node, "number") && node[1] === text;

  /** The operands of a chain of one operation: left operands are unfolded, a right one is a group of its own. */
  function chain(kind, operands) {
    const [head, ...rest] = operands;
    const all = [...(isNode(head, kind) ? chain(kind, head.slice(1)) : [head]), ...rest];
    const kept = all.filter((node) => !is(node, kind === "multiply" ? "1" : "0"));
    return kept.length ? kept : [["number", kind === "multiply" ? "1" : "0"]];
  }

  const factors = (node) => (isNode(node, "multiply") ? chain("multiply", node.slice(1)) : [node]);

  /** x for a factor 1/x, x^p for a factor x^-p. */
  function denominator(node) {
    if (!isNode(node, "power") || !negative(node[2])) return null;
    return is(node[2], "-1") ? node[1] : ["power", node[1], minus(node[2])];
  }

  const isNegative = (node) => negative(factors(node)[0]);

  function withoutSign(node) {
    if (isNode(node, "number")) return minus(node);
    const [first, ...rest] = factors(node);
    const left = is(first, "-1") ? rest : [minus(first), ...rest];
    return left.length === 1 ? left[0] : ["multiply", ...left];
  }

  const SIGNS = { "<=": "\\leq", ">=": "\\geq", "<": "<", ">": ">", "=": "=" };
  const LATEX = new Set(["sin", "cos", "tan", "sinh", "cosh", "tanh"]); // that have a command of their own
  const brackets = (text) => `\\left(${text}\\right)`;

  /** `name(symbol)` and `entry(symbol, place)` give LaTeX; `hidden` is the constant that a relation hides. */
  function printer({ name, entry, hidden = "" }) {
    const isHidden = (node) => hidden !== "" && isNode(node, "symbol") && node[1] === hidden;

    const list = (nodes) => nodes.map(show).join(",\\, ");
    const inverse = (name) => (xs) => `\\mathrm{${name}}^{-1}${brackets(list(xs))}`;

    const RULES = {
      number: ([text]) => {
        const [p, q] = text.split("/"), sign = q && p.startsWith("-") ? "- " : "";
        if (q % 1000 === 0 && 1e4 % q === 0) return String(Number((p / q).toPrecision(6))); // rounded to decimals
        return q ? `${sign}\\frac{${p.replace("-", "")}}{${q}}` : p;
      },
      pi: () => "\\pi",
      e: () => "e",
      symbol: ([symbol]) => name(symbol),
      entry: ([symbol, place]) => entry(symbol, place, show),
      add: (terms) => sum(chain("add", terms)),
      multiply: (operands) => product(chain("multiply", operands)),
      power,
      log: ([x]) => `\\log${brackets(show(x))}`,
      exp: ([x]) => `\\exp${brackets(show(x))}`,
      ceiling: ([x]) => `\\left\\lceil ${show(x)} \\right\\rceil`,
      floor: ([x]) => `\\left\\lfloor ${show(x)} \\right\\rfloor`,
      ceil_log2: ([x]) => `\\left\\lceil \\log_2 ${show(x)} \\right\\rceil`,
      inverse_kl: inverse("kl"),
      binomial_inverse: inverse("Bin"),
      hypergeometric_inverse: inverse("Hyp"),
      mixture_inverse: inverse("Mix"),
      min: (xs) => `\\min${brackets(list(xs))}`,
      max: (xs) => `\\max${brackets(list(xs))}`,
      binomial: ([n, k]) => `{\\binom{${show(n)}}{${show(k)}}}`,
      sum: (rest) => loop("\\sum", rest),
      product: (rest) => loop("\\prod", rest),
      integral: ([x, low, high, f]) => `\\int\\limits_{${show(low)}}^{${show(high)}} ${show(f)}\\, d${x}`,
      cases: (rows) => `\\begin{cases} ${rows.map(row).join(" \\\\")} \\end{cases}`,
    };

    const row = ([, when, value]) =>
      `${show(value)} & ${when[0] === "true" ? "\\text{otherwise}" : `\\text{for}\\: ${show(when[1])} ${SIGNS[when[0]]} ${show(when[2])}`}`;

    function show(node) {
      const rule = Object.hasOwn(RULES, node[0]) ? RULES[node[0]] : null;
      const called = LATEX.has(node[0]) ? `\\${node[0]}` : `\\operatorname{${node[0]}}`;
      return rule ? rule(node.slice(1)) : `${called}{\\left(${list(node.slice(1))} \\right)}`;
    }

    function sum(terms) {
      return terms.reduce((out, term) => {
        const below = isNegative(term), bare = below ? withoutSign(term) : term;
        const text = below && isNode(bare, "add") ? brackets(show(bare)) : show(bare);
        return out ? `${out}${below ? " - " : " + "}${text}` : (below ? "-" : "") + text;
      }, "");
    }

    /** A division takes everything to its left in its product into the numerator. */
    function product(operands) {
      const groups = [[[], []]];
      for (const factor of operands.filter((one) => !isHidden(one))) {
        const under = denominator(factor), last = groups[groups.length - 1];
        if (under) last[1].push(under);
        else if (last[1].length) groups.push([[factor], []]);
        else last[0].push(factor);
      }
      return groups.map(([above, below]) => (below.length ? fraction(above, below) : times(above))).join(" \\cdot ");
    }

    function fraction(above, below) {
      const [top, bottom] = [above, below].map((side) => (side.length === 1 ? show(side[0]) : times(side)));
      return `\\frac{${top || "1"}}{${bottom}}`;
    }

    function times(operands) {
      return operands.reduce((out, node) => {
        const text = is(node, "-1") ? "-" : isNode(node, "add") ? brackets(show(node)) : show(node);
        return out + glue(out, text) + text;
      }, "");
    }

    function glue(left, right) {
      if (!left || left === "-") return "";
      const digits = /^\d/.test(right) || (/\d$/.test(left) && right.startsWith("\\frac"));
      const heavy = /^\\(left\(|log|frac|lceil)/.test(right) && /[})]$/.test(left);
      return digits || heavy ? " \\cdot " : " ";
    }

    function power([base, exponent]) {
      const below = denominator(["power", base, exponent]);
      if (below) return `\\frac{1}{${show(below)}}`;
      if (is(exponent, "1/2")) return `\\sqrt{${show(base)}}`;
      const text = show(base), whole = isNode(base, "number") && !base[1].includes("/");
      const bare = (isNode(base, "symbol") || isNode(base, "entry") || whole) && !/['^]/.test(text); // a prime is above
      return `${bare ? text : brackets(text)}^{${raised(exponent)}}`;
    }

    /** A fraction stands on one line: above a letter it would be tiny. */
    function raised(exponent) {
      if (rational(exponent)) return exponent[1];
      const all = factors(exponent), below = all.map(denominator).filter(Boolean), above = all.filter((one) => !denominator(one));
      if (below.length !== 1 || !above.length) return show(exponent);
      const under = show(below[0]);
      return `${times(above)}/${["add", "multiply"].includes(below[0][0]) ? brackets(under) : under}`;
    }

    function loop(sign, [index, low, high, body]) {
      const text = show(body);
      return `${sign}_{${index}=${show(low)}}^{${show(high)}} ${isNode(body, "add") ? brackets(text) : text}`;
    }

    /** What is left beside a hidden constant needs no parentheses. */
    return (node) => {
      const rest = factors(node).filter((factor) => !isHidden(factor));
      return show(isNode(node, "multiply") && rest.length === 1 ? rest[0] : node);
    };
  }

  /** The entry of a list: of heads above in brackets, of layers in parentheses, as where there is an index already. */
  function placed(base, mark, place) {
    if (mark !== "H" && mark !== "L" && !base.includes("_")) return `${base}_{${place}}`;
    const [left, right] = mark === "H" ? "[]" : "()", caret = base.indexOf("^");
    if (caret < 0) return `${base}^{${left}${place}${right}}`;
    const above = base.slice(caret + 1).replace(/^[{}]+|[{}]+$/g, "");
    return `${base.slice(0, caret)}^{${above}${left}${place}${right}}`;
  }

  const SHORT = 1e5; // a number below is written out

  /** A number with so many digits: 256, 0.25, 3.86·10^8. */
  function number(sign, log, digits = 4) {
    if (Number.isNaN(log) || log === Infinity) return "\\text{none}";
    if (log === -Infinity || sign === 0) return "0";
    const below = sign < 0 ? "-" : "", log10 = log / Math.LN10;
    if (Math.abs(log10) > 1e9) return `${below}10^{${Number(log10.toPrecision(9))}}`;
    if (log10 > -3 && log10 < Math.log10(SHORT)) return below + String(Number(Math.exp(log).toPrecision(Math.max(digits, 1))));
    let power = Math.floor(log10), mantissa = (10 ** (log10 - power)).toFixed(digits - 1);
    if (mantissa.startsWith("10")) [mantissa, power] = ["1", power + 1];
    mantissa = mantissa.replace(/\.?0+$/, "");
    return `${below}${mantissa === "1" ? "" : `${mantissa}\\cdot`}10^{${power}}`;
  }

  return { printer, placed, number };
}
