// The four questions, answered for what is drawn: what does it say, which is the smallest, what makes it large, when does
// it say anything. And the formula with the numbers put in.

"use strict";

function maureyAnswers({ E, model, words, formula, plot, samples, app, STATES }) {
  const { h, told, plain, math, prose } = words;
  const MOST_ROWS = 9;

  const letter = (n) => h("span", { class: `tag c${n}` }, plot.LETTERS[n]);
  const title = ({ part, form }) => `${part.key}${app.only(part) ? "" : `:${part.name}`} ${form}`; // as `maurey compare` calls it
  const link = (one) => (one.claim.own ? h("span", { class: "key" }, title(one))
    : h("a", { class: "key", href: `../claims/${one.part.key}.html#${one.part.name}-${one.form}` }, title(one)));

  // --- what does it say ----------------------------------------------------------------------------------------------

  /** One row for each bound: what it comes to, what stands behind it, and what is to be said of the value. */
  function values(box, found, certified) {
    const least = app.smallest(found), smallest = least.length ? found[least[0]].at.value : null;
    const times = ({ value }) => (value && smallest && value.sign > 0 && smallest.sign > 0 && Math.abs(value.log - smallest.log) > 1e-6
      ? h("span", { class: "quiet" }, ` ${told(1, value.log - smallest.log, 3)} times the smallest`) : null);
    box.replaceChildren(h("table", { class: "values" },
      h("thead", {}, h("tr", {}, ["letter", "bound", "known", app.where()].map((text, n) => h("th", { scope: "col" }, n ? text : h("span", { class: "hidden" }, text))))),
      h("tbody", {}, found.map(({ one, at, remarks }, n) => {
        const [mark, says] = STATES[one.state], exact = certified.get(one.id);
        const value = at.problem ? h("span", { class: "wrong" }, at.problem) : h("strong", {}, told(at.value.sign, at.value.log));
        return h("tr", { class: least.includes(n) ? "least" : "" },
          h("td", {}, letter(n)), h("th", { scope: "row" }, link(one), " ", h("span", { class: "quiet" }, prose(one.part.meaning))),
          h("td", { class: one.state }, h("span", { class: "mark", "aria-hidden": "true" }, mark), " ", says),
          h("td", { class: "value" }, value, least.includes(n) ? h("span", { class: "crown" }, " smallest proved") : times(at),
            exact ? h("span", { class: "exact" }, exact) : null, remarks.map((text) => h("span", { class: "remark" }, prose(text)))));
      }))));
  }

  // --- which is the smallest -----------------------------------------------------------------------------------------

  /** Where on the grid nothing that is proved says more than what is true anyway: at its ends, or all along. */
  function nothing(found, grid, all) {
    const [over] = app.state.over, own = found.filter(({ one }) => one.state === "proved" && model.ceiling(one, all));
    const tells = grid.map((_, i) => own.some(({ one, swept }) => swept.sign[i] <= 0 || swept.log[i] < model.ceiling(one, all).log));
    const first = tells.indexOf(true), last = tells.lastIndexOf(true);
    if (!own.length || (first === 0 && last === grid.length - 1)) return "";
    if (first < 0) return "None of these says anything in this range.";
    const ends = [first > 0 ? `up to ${over} = ${plain(grid[first - 1], 3)}` : "", last < grid.length - 1 ? `from ${over} = ${plain(grid[last + 1], 3)} on` : ""];
    return `None of these says anything ${ends.filter(Boolean).join(", and ")}.`;
  }

  function smallest(box, found, settled, certify, grid, all) {
    const named = (n) => [letter(n), " ", title(found[n].one)], over = app.state.over[0];
    const lines = settled.winners.map(({ curve, ties, from, to }) => h("li", {}, named(curve), ties.map((n) => [" and ", named(n)]),
      ties.length ? " (a tie)" : "", from === to ? ` at ${over} = ${plain(from)}` : ` from ${over} = ${plain(from)} to ${plain(to)}`));
    const best = app.lowest(found);
    const parts = [lines.length ? h("p", {}, "Of the bounds that are proved, the smallest is:") : h("p", {}, "None of the bounds drawn here is known to hold, with a value; none is called the smallest."),
      h("ul", { class: "winners" }, lines), nothing(found, grid, all) ? h("p", { class: "note" }, nothing(found, grid, all)) : null];
    if (best !== null && found[best].one.state !== "proved") {
      const why = { fails: "it fails as printed", hides: "it hides a constant", open: "it is not verified", own: "it comes from your file, which is not checked here" };
      parts.push(h("p", { class: "note" }, named(best), ` is lower at ${app.where()}, and does not count: ${why[found[best].one.state]}.`));
    }
    if (settled.crossovers.length) {
      parts.push(h("h3", {}, "Crossovers", h("span", { class: "quiet" }, ", in double precision")), h("ul", { class: "crossovers" }, settled.crossovers.slice(0, 12).map((c) => {
        const out = h("span", { class: "exact" });
        return h("li", {}, named(c.below[1]), " falls below ", named(c.below[0]), ` between ${over} = ${plain(c.at[0], 8)} and ${plain(c.at[1], 8)} `,
          certify(c, out), out);
      })), settled.crossovers.length > 12 ? h("p", { class: "quiet" }, `and ${settled.crossovers.length - 12} more`) : null);
    } else if (found.length > 1) parts.push(h("p", { class: "quiet" }, "No two of them cross in this range."));
    box.replaceChildren(...parts.filter(Boolean));
  }

  // --- when does it say anything -------------------------------------------------------------------------------------

  /** Whether it becomes small with more samples. */
  const sampled = ({ claim, part }) => part.quantity !== "entropy" && !part.below && claim.symbols.some((p) => p.name === claim.samples && p.domain === "positive integer");

  /** From how many samples on the bounds stay at or below the gap. */
  function enough(box, found, all, certify) {
    const { gap } = app.state, lines = found.flatMap(({ one, at }, n) => {
      if (!sampled(one)) return [];
      const name = one.claim.samples, out = h("span", { class: "exact" }), called = [letter(n), " ", title(one)];
      let m = null;
      try {
        m = samples.smallest((ms) => model.many(one, all, name, ms), gap);
      } catch (error) {
        if (!(error instanceof E.NoValue || error instanceof model.Problem)) throw error;
        return [h("li", {}, called, ": ", at.problem || error.message)];
      }
      return [m === null ? h("li", {}, called, `: no ${name} brings it to ${gap}`)
        : h("li", {}, called, ": from ", h("strong", {}, `${name} = ${plain(m, 8)}`), " on ", certify.samples(one, out), out)];
    });
    if (lines.length) return box.replaceChildren(h("ul", {}, lines));
    const entropies = found.filter(({ one }) => one.part.quantity === "entropy");
    const gaps = [...model.parts.values()].filter((part) => part.quantity === "gap" && entropies.some(({ one }) => one.part.key === part.key));
    const more = gaps.length ? h("button", { type: "button", class: "plain-button", onclick: () => app.show(gaps.map((part) => app.best(part))) }, "show the gaps of these networks") : null;
    return box.replaceChildren(h("p", { class: "quiet" }, entropies.length
      ? "A log covering number says nothing by itself: it becomes a bound on the gap, and that says something once there are enough samples. " : "These bounds do not speak of a number of samples. ", more));
  }

  // --- what makes it large -------------------------------------------------------------------------------------------

  const factor = (share) => `× ${told(1, share, 3)}`;

  /** Bars of shares of the logarithm; entries of a list are one bar, unless layers are asked for. */
  function blame(box, found, by) {
    if (found.problem) return box.replaceChildren(h("p", { class: "note" }, found.problem));
    const sums = new Map();
    for (const { name, i, share, halved } of found.rows) {
      const index = i === null ? "" : app.index(name), key = by === "layer" ? (i === null ? "the rest" : `${{ L: "layer", H: "head" }[index] || index} ${i + 1}`) : name;
      const sum = sums.get(key) || { share: 0, halved: i === null && by !== "layer" ? halved : null, count: 0 };
      sums.set(key, { ...sum, share: sum.share + share, count: sum.count + 1 });
    }
    const all = [...sums].sort(([, x], [, y]) => Math.abs(y.share) - Math.abs(x.share)), most = Math.max(...all.map(([, x]) => Math.abs(x.share)), 1e-9);
    const rows = all.filter(([, { share }]) => Math.abs(share) > 1e-9), idle = all.filter(([, { share }]) => Math.abs(share) <= 1e-9);
    box.replaceChildren(h("table", { class: "blame" }, h("tbody", {}, rows.slice(0, 14).map(([name, { share, halved, count }]) => {
      const p = app.named(name), bar = h("span", { class: `bar${share < 0 ? " down" : ""}` });
      bar.style.width = `${(100 * Math.abs(share)) / most}%`;
      const half = halved === null || !Number.isFinite(halved) || name === "constants" ? "" : `halving it: × ${told(1, Math.log(halved), 3)}`;
      return h("tr", {}, h("th", { scope: "row" }, p ? math(p.latex) : name, p ? h("span", { class: "hidden" }, ` ${name}`) : null, count > 1 && by !== "layer" ? h("span", { class: "quiet" }, ` ${count} of them`) : null),
        h("td", { class: "track" }, bar), h("td", { class: "factor" }, factor(share)), h("td", { class: "quiet" }, half));
    }))), h("p", { class: "quiet" }, `The bound, ${told(1, found.log)}, is the product of these factors: what it gains while each quantity moves from 1 to where it is.`,
      idle.length ? [" One is the factor of ", idle.map(([name], n) => [n ? ", " : "", app.named(name) ? math(app.named(name).latex) : name]), "."] : null));
    return undefined;
  }

  // --- the formula ---------------------------------------------------------------------------------------------------

  const RELATIONS = { "<=": "\\le", ">=": "\\ge", "=": "=", "<~": "\\lesssim", ">~": "\\gtrsim" };

  /** LaTeX printers of a curve: with its letters, and with numbers in their place. */
  function printers(one, at) {
    const names = new Map([...one.claim.symbols, ...one.claim.constants].map((p) => [p.name, p.latex]));
    for (const step of at.steps) names.set(step.name, step.latex);
    const marks = new Map(one.claim.symbols.map((p) => [p.name, p.index]));
    const name = (symbol) => names.get(symbol) || symbol, hidden = one.relation.includes("~") ? "C0" : "";
    const entry = (symbol, place, show) => formula.placed(name(symbol), marks.get(symbol), show(place));
    const number = (x) => formula.number(E.signAt(x, 0), E.logAt(x, 0));
    const numbers = {
      name: (symbol) => (at.env[symbol] && !Array.isArray(at.env[symbol]) ? number(at.env[symbol]) : name(symbol)),
      entry: (symbol, place, show) => {
        const list = at.env[symbol], i = place[0] === "number" ? Number(place[1]) - 1 : -1;
        return Array.isArray(list) && list[i] ? number(list[i]) : formula.placed(name(symbol), marks.get(symbol), show(place));
      },
    };
    const value = (x) => (Array.isArray(x) ? x.map(number).join(",\\; ") : number(x));
    return { letters: formula.printer({ name, entry, hidden }), numbers: formula.printer({ ...numbers, hidden }), value };
  }

  /** As LaTeX, to be taken away: the formula, what its letters stand for, and the numbers. */
  function latex(one, at) {
    const { letters, numbers, value } = printers(one, at), last = at.steps[at.steps.length - 1], before = at.steps.slice(0, -1);
    const left = (step) => (step.over ? `${step.latex}_{${step.over[0]}}` : step.latex);
    const rows = [`${one.part.lhs} &${RELATIONS[one.relation]} ${letters(last.value)}`, `&= ${numbers(last.value)}`, `&= ${value(at.env[last.name])}`];
    before.forEach((step, n) => rows.push(`${n ? "" : "\\text{where}\\quad "}${left(step)} &= ${letters(step.value)} = ${value(at.env[step.name])}`));
    return `\\begin{aligned} ${rows.join(" \\\\\n")} \\end{aligned}`;
  }

  const MOST_STEPS = 60;

  function shown(box, one, at) {
    if (at.problem) return box.replaceChildren(h("p", { class: "note" }, at.problem));
    const { letters, numbers, value } = printers(one, at), last = at.steps[at.steps.length - 1], before = at.steps.slice(0, -1);
    const line = (left, right) => h("div", { class: "line" }, h("span", { class: "lhs" }, left ? math(left, true) : ""), h("span", { class: "rhs" }, right.map((text) => math(text, true))));
    const fold = h("details", { class: "before" }, h("summary", {}, `where ${before.length} step${before.length > 1 ? "s" : ""} come before`));
    fold.open = box.querySelector("details")?.open ?? before.length <= 4;
    const unfold = () => {
      if (!fold.open || fold.children.length > 1) return;
      fold.append(...before.slice(0, MOST_STEPS).map((step) => line(step.over ? `${step.latex}_{${step.over[0]}}` : step.latex, [`= ${letters(step.value)}`, `= ${value(at.env[step.name])}`])));
      if (before.length > MOST_STEPS) fold.append(h("p", { class: "quiet" }, `and ${before.length - MOST_STEPS} more; maurey trace ${one.part.key} has all of them.`));
    };
    fold.addEventListener("toggle", unfold);
    unfold();
    return box.replaceChildren(line(one.part.lhs, [`${RELATIONS[one.relation]} ${letters(last.value)}`, `= ${numbers(last.value)}`, `= ${value(at.env[last.name])}`]),
      ...(before.length ? [fold] : []));
  }

  // --- a table instead of the picture --------------------------------------------------------------------------------

  function table(box, found, grid) {
    const [name] = app.state.over, wanted = Array.from({ length: MOST_ROWS }, (_, i) => Math.round((i * (grid.length - 1)) / (MOST_ROWS - 1)));
    const rows = [...new Set(wanted)];
    box.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Values" }, h("table", { class: "data" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, name), found.map(({ one }, n) => h("th", { scope: "col" }, letter(n), " ", title(one))))),
      h("tbody", {}, rows.map((i) => h("tr", {}, h("th", { scope: "row" }, plain(grid[i], 4)),
        found.map(({ swept }) => h("td", {}, told(swept.sign[i], swept.log[i])))))))));
  }

  return { values, smallest, sampled, enough, blame, shown, latex, table, letter, title };
}
