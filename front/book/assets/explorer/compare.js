// Curves against a parameter, where the order of two of them changes, and which is the smallest: what `maurey compare`
// does, without its balls. A graph is {evaluate(xs), single}: it gives a number for each x, or takes them one by one.

"use strict";

function maureyCompare(E) {
  const TIE = 1e-10; // logarithms that differ by less, absolutely and relatively, show no order
  const WIDTH = 1e-6; // relative, of a crossover of a real parameter
  const INNER = 31; // points inside a bracket, by which it is narrowed
  const MOST_CROSSOVERS = 200;
  const ROUNDS = 8;

  /** Values evenly spaced by factors, both ends included: short decimals, or the different ones among integers. */
  function spread(low, high, points, integer) {
    const step = Math.log(high / low) / (points - 1);
    const digits = Math.min(17, Math.max(6, 2 - Math.floor(Math.log10(step))));
    const found = new Set();
    for (let i = 1; i < points - 1; i++) {
      const x = low * Math.exp(i * step);
      found.add(integer ? Math.round(x) : Number(x.toPrecision(digits)));
    }
    const between = [...found].filter((x) => low < x && x < high).sort((x, y) => x - y);
    return [low, ...between, high];
  }

  /** A graph whose values are kept, as two lists: logarithms and signs. */
  class Graph {
    constructor(evaluate, single) {
      this.evaluate = evaluate;
      this.single = single;
      this.kept = new Map();
    }

    sweep(xs) {
      const fresh = [...new Set(xs)].filter((x) => !this.kept.has(x));
      if (fresh.length && !this.single) {
        try {
          this.keep(fresh);
        } catch (error) {
          if (!(error instanceof E.Varying)) throw error;
          this.single = true;
        }
      }
      if (this.single) for (const x of fresh) this.keep([x]);
      return { log: xs.map((x) => this.kept.get(x)[0]), sign: xs.map((x) => this.kept.get(x)[1]) };
    }

    keep(xs) {
      const found = this.evaluate(xs);
      xs.forEach((x, i) => {
        const log = E.logAt(found, i);
        this.kept.set(x, [log, log === -Infinity ? 0 : E.signAt(found, i)]);
      });
    }
  }

  /** The sign of a - b, point by point; 0 where doubles do not tell, or where one has no value. */
  function order(a, b) {
    return a.log.map((x, i) => {
      const y = b.log[i], s = a.sign[i], t = b.sign[i];
      if (!(x < Infinity && y < Infinity)) return 0;
      if (s !== t) return Math.sign(s - t);
      const scale = Number.isFinite(x) ? Math.max(1, Math.abs(x)) : 1;
      return x !== y && Math.abs(x - y) > TIE * scale ? Math.sign(x - y) * s : 0;
    });
  }

  /** Neighbours, ties left out, between which the order changes; and the sign before. */
  function flips(xs, signs) {
    const strict = signs.map((s, i) => (s ? i : -1)).filter((i) => i >= 0);
    return strict.slice(1).flatMap((j, n) => {
      const i = strict[n];
      return signs[i] !== signs[j] ? [[xs[i], xs[j], signs[i]]] : [];
    });
  }

  const narrow = (low, high, integer) => high - low <= (integer ? 1 : WIDTH * low);

  /** A bracket's own changes of order, as points inside it show them. */
  function divide(graphs, bracket, integer) {
    const [a, b] = bracket.curves.map((n) => graphs[n]), [low, high] = bracket.at;
    const inside = spread(low, high, (a.single || b.single ? 1 : INNER) + 2, integer).slice(1, -1);
    const signs = [bracket.sign, ...order(a.sweep(inside), b.sweep(inside)), -bracket.sign];
    return flips([low, ...inside, high], signs).map(([x, y, sign]) => ({ ...bracket, at: [x, y], sign }));
  }

  /** Every change of order on the grid, as narrow as sweeps can tell. `below` are the curves that are smaller before
   * and after. */
  function crossovers(graphs, orders, grid, integer) {
    let wide = orders.flatMap(({ curves, signs }) => flips(grid, signs).map(([x, y, sign]) => ({ curves, sign, at: [x, y] })));
    wide = wide.sort((x, y) => x.at[0] - y.at[0]).slice(0, MOST_CROSSOVERS);
    const done = [];
    while (wide.length) {
      const next = [];
      for (const bracket of wide) {
        for (const piece of divide(graphs, bracket, integer)) {
          const stuck = piece.at[0] === bracket.at[0] && piece.at[1] === bracket.at[1];
          (stuck || narrow(...piece.at, integer) ? done : next).push(piece);
        }
      }
      wide = next.slice(0, Math.max(0, MOST_CROSSOVERS - done.length));
    }
    const told = done.map(({ curves: [a, b], sign, at }) => ({ curves: [a, b], at, below: sign < 0 ? [a, b] : [b, a] }));
    return told.sort((x, y) => x.at[0] - y.at[0] || x.at[1] - y.at[1]);
  }

  /** Which of a and b is the smaller, at every x: between crossovers two curves keep their order. */
  function sides(xs, grid, signs, own, a) {
    const place = new Map(xs.map((x, i) => [x, i])), strict = signs.find((s) => s) || 0;
    const whole = xs.map(() => strict);
    for (const { at, below } of own) {
      const [low, high] = at.map((x) => place.get(x));
      for (let i = low + 1; i < high; i++) whole[i] = 0;
      for (let i = high; i < xs.length; i++) whole[i] = below[1] === a ? -1 : 1;
    }
    grid.forEach((x, i) => { if (signs[i]) whole[place.get(x)] = signs[i]; });
    return whole;
  }

  /** The smallest of those that count, in as few intervals as ties allow; and the points where none is that. */
  function winners(graphs, counted, orders, grid, found) {
    const xs = [...new Set([...grid, ...found.flatMap((c) => c.at)])].sort((x, y) => x - y);
    const smallest = graphs.map((graph, n) => {
      const { log } = graph.sweep(xs);
      return xs.map((_, i) => counted[n] && log[i] < Infinity);
    });
    for (const { curves: [a, b], signs } of orders) {
      if (!counted[a] || !counted[b]) continue;
      const own = found.filter((c) => c.curves[0] === a && c.curves[1] === b), whole = sides(xs, grid, signs, own, a);
      xs.forEach((_, i) => {
        const both = smallest[a][i] && smallest[b][i];
        if (both && whole[i] > 0) smallest[a][i] = false;
        if (both && whole[i] < 0) smallest[b][i] = false;
      });
    }
    const told = [], on = (i) => graphs.map((_, n) => n).filter((n) => smallest[n][i]);
    const unclear = xs.filter((x, i) => !on(i).length && graphs.some((g, n) => counted[n] && g.kept.get(x)[0] < Infinity));
    for (let i = 0; i < xs.length; i++) {
      const here = on(i), last = told[told.length - 1];
      if (!here.length) continue;
      const still = last ? last.alive.filter((n) => here.includes(n)) : [];
      if (still.length) Object.assign(last, { alive: still, to: xs[i] });
      else told.push({ alive: here, from: xs[i], to: xs[i] });
    }
    return { told: told.map(({ alive: [curve, ...ties], from, to }) => ({ curve, ties, from, to })), unclear };
  }

  /** Crossovers and winners that agree. Two changes inside one step of the grid may leave points at which no curve is
   * the smallest; those join the grid. */
  function settle(graphs, counted, grid, integer) {
    let found = [], won = { told: [], unclear: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const swept = graphs.map((graph) => graph.sweep(grid)), orders = [];
      for (let a = 0; a < graphs.length; a++) {
        for (let b = a + 1; b < graphs.length; b++) orders.push({ curves: [a, b], signs: order(swept[a], swept[b]) });
      }
      found = crossovers(graphs, orders, grid, integer);
      won = winners(graphs, counted, orders, grid, found);
      if (!won.unclear.length) break;
      grid = [...new Set([...grid, ...won.unclear])].sort((x, y) => x - y);
    }
    return { crossovers: found, winners: won.told };
  }

  return { Graph, spread, order, settle };
}
