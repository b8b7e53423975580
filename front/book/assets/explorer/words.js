// Small things that all of the page uses: elements, numbers as they are read, formulas.

"use strict";

function maureyWords() {
  /** An element: h("p", {class: "note"}, "text", child, ...). */
  function h(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
    return made;
  }

  const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const raised = (power) => [...String(power)].map((c) => RAISED[c]).join("");

  /** A number of any size, by its sign and the logarithm of its size: 256, 0.02, 3.864·10⁸. */
  function told(sign, log, digits = 4) {
    if (Number.isNaN(log) || log === Infinity) return "no value";
    if (log === -Infinity || sign === 0) return "0";
    const below = sign < 0 ? "−" : "", log10 = log / Math.LN10;
    if (Math.abs(log10) > 1e9) return `${below}10^${Number(log10.toPrecision(9))}`;
    if (log10 > -3 && log10 < 5) return below + String(Number(Math.exp(log).toPrecision(digits)));
    let power = Math.floor(log10), mantissa = (10 ** (log10 - power)).toFixed(digits - 1);
    if (mantissa.startsWith("10")) [mantissa, power] = ["1", power + 1];
    return `${below}${Number(mantissa) === 1 ? "" : `${Number(mantissa)}·`}10${raised(power)}`;
  }

  /** A double as it stands in a sentence; integers with their thousands apart. */
  function plain(x, digits = 6) {
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return x.toLocaleString("en");
    return Math.abs(x) >= 1e15 || Math.abs(x) < 1e-3 ? told(Math.sign(x), Math.log(Math.abs(x)), digits) : String(Number(x.toPrecision(digits)));
  }

  /** LaTeX as MathML, in an element of its own; what cannot be set is shown as it is. */
  function math(latex, display = false) {
    const box = h("span", { class: display ? "math display" : "math" });
    try {
      temml.render(latex, box, { displayMode: display, throwOnError: true, annotate: false, trust: false, wrap: display ? "tex" : "none" });
    } catch {
      box.replaceChildren(h("code", {}, latex));
    }
    return box;
  }

  /** A sentence with formulas between dollar signs. */
  const prose = (text) => text.split("$").map((piece, n, all) => {
    if (n % 2 === 0) return n ? piece.replace(/^[,.;:)]+/, "") : piece;
    const [after] = /^[,.;:)]*/.exec(all[n + 1]); // which stays with its formula
    return after ? h("span", { class: "tie" }, math(piece), after) : math(piece);
  });

  /** Something to be done a little later, once: the last call counts. */
  function later(wait, action) {
    let timer = 0;
    return (...given) => {
      clearTimeout(timer);
      timer = setTimeout(() => action(...given), wait);
    };
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // from disk some browsers want the old way
      const area = h("textarea", { class: "hidden" });
      document.body.append(area);
      area.value = text;
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  return { h, told, plain, math, prose, later, copy, raised };
}
