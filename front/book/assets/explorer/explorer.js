// The page: its state, and everything made again when that changes. The picture comes at once; crossovers, formula and
// shares a little later.

"use strict";

(function () {
  const data = maureyData, E = maureyEvaluator(), C = maureyCompare(E), model = maureyModel(E, C, data);
  const words = maureyWords(), address = maureyAddress(E, model, data), plot = maureyPlot(), formula = maureyFormula();
  const samples = maureySamples(E), { h, told, plain, later, copy, prose } = words;
  const POINTS = 160;
  const box = (id) => document.getElementById(id);

  const FRESH = { curves: [], gap: "0.1", view: "picture", focus: "" };
  const state = { ...FRESH, values: {}, over: [] };
  const certified = new Map(); // by curve: its digits, for the values that are set
  let found = [], grid = [], settled = { winners: [], crossovers: [] }, shares = null, by = "quantity", picked = "entropy";

  // --- the state, asked ----------------------------------------------------------------------------------------------

  const chosen = () => state.curves.map(model.curve).filter(Boolean);
  const symbolsOf = (ones) => {
    const all = new Map(), used = new Set();
    for (const one of ones) {
      for (const p of [...one.claim.symbols, ...one.claim.constants]) if (!all.has(p.name)) all.set(p.name, p);
      try {
        const { steps, sizes } = model.stepsOf(one, values());
        for (const name of [...model.taken(steps), ...Object.keys(sizes), ...one.claim.unrolled]) used.add(name);
      } catch (error) {
        if (!(error instanceof model.Problem)) throw error;
        one.claim.symbols.forEach((p) => used.add(p.name));
      }
      one.claim.symbols.filter((p) => p.optional || p.name === "b").forEach((p) => used.add(p.name));
    }
    return [...all.values()].filter((p) => used.has(p.name));
  };

  let base = {}; // values of the network that was started from

  /** What was set, or what the network has that was started from if it fits, or where the slider stands at first. */
  function valueOf(p) {
    if (state.values[p.name] !== undefined) return state.values[p.name];
    const text = base[p.name], fits = text && !model.wrong(p, text) && !(p.most && Number(text) > p.most);
    return fits ? text : p.optional ? "" : address.range(p)[2];
  }

  /** Every symbol of the chosen claims with its text. */
  function values() {
    const all = {};
    for (const { claim } of chosen()) {
      for (const p of [...claim.symbols, ...claim.constants]) {
        const text = valueOf(p);
        if (text) all[p.name] = text;
      }
    }
    return all;
  }

  const app = {
    state, chosen,
    symbols: () => symbolsOf(chosen()),
    value: valueOf,
    named: (name) => chosen().flatMap(({ claim }) => [...claim.symbols, ...claim.constants]).find((p) => p.name === name),
    index: (name) => app.named(name)?.index || "",
    size: (index) => Number(values()[index] || chosen().map(({ claim }) => claim.fixed?.[index]).find(Boolean) || 1),
    quantity: () => picked,
    focus: () => chosen().find(({ id }) => id === state.focus) || (found[app.smallest(found)[0]] || { one: chosen()[0] }).one,
    only: (part) => [...model.parts.values()].filter((other) => other.key === part.key && other.quantity === part.quantity).length === 1,
    where: () => `${state.over[0]} = ${told(...here())}`,
    given: (ones) => symbolsOf(ones).filter((p) => app.value(p) && !(p.value && state.values[p.name] === undefined)).map((p) => [p.name, app.value(p)]),
    smallest: (rows) => {
      const counted = rows.map((row, n) => n).filter((n) => rows[n].one.state === "proved" && rows[n].at.value && !rows[n].one.part.below);
      return lowestOf(rows, counted);
    },
    lowest: (rows) => lowestOf(rows, rows.map((_, n) => n).filter((n) => rows[n].at.value && !rows[n].one.part.below))[0] ?? null,
    certified,
    model, E, words, data,
  };

  function lowestOf(rows, counted) {
    const key = (n) => rows[n].at.value.sign * (rows[n].at.value.sign > 0 ? 1 : -1), at = (n) => rows[n].at.value;
    const less = (m, n) => (at(m).sign !== at(n).sign ? at(m).sign < at(n).sign : at(m).sign * at(m).log < at(n).sign * at(n).log - 1e-10);
    const usable = counted.filter((n) => Number.isFinite(at(n).log) || at(n).log === -Infinity);
    return usable.filter((n) => !usable.some((m) => less(m, n))).sort((m, n) => key(m) - key(n));
  }

  const here = () => {
    const x = E.read(app.value(app.named(state.over[0]) || address.first.get(state.over[0])).split(",")[0]);
    return [E.signAt(x, 0), E.logAt(x, 0)];
  };

  // --- the picture ---------------------------------------------------------------------------------------------------

  function evaluate() {
    const [name, low, high] = state.over, whole = model.integer(chosen(), name), all = values();
    const [a, b] = [Number(low), Number(high)].map((x, n) => (whole ? Math[n ? "floor" : "ceil"](x) : x));
    grid = C.spread(a, Math.max(b, a + (whole ? 1 : a * 1e-6)), POINTS, whole);
    found = chosen().map((one) => {
      const at = model.at(one, all), graph = model.graph(one, all, name), swept = graph.sweep(grid);
      return { one, at, graph, swept, remarks: model.remarks(one, at, all) };
    });
  }

  const LN10 = Math.LN10;
  let drawn = null;

  function draw() {
    const figure = box("figure"), all = values(), [name] = state.over, log10 = grid.map(Math.log10);
    const curves = found.map(({ one, swept }) => ({
      proved: one.state === "proved" || one.state === "own",
      points: log10.map((x, i) => [x, swept.sign[i] > 0 ? swept.log[i] / LN10 : NaN]),
    }));
    const tops = found.map(({ one }) => model.ceiling(one, all)).filter(Boolean), limit = tops.length ? Math.min(...tops.map((top) => top.log)) / LN10 : null;
    const symbol = app.named(name), heights = found.map(({ at }) => (at.value && at.value.sign > 0 ? at.value.log / LN10 : NaN));
    const crossed = settled.crossovers.map((c) => {
      const x = Math.log10((c.at[0] + c.at[1]) / 2), n = log10.findIndex((v) => v >= x), { points } = curves[c.curves[0]];
      const [p, q] = [points[Math.max(0, n - 1)], points[Math.max(0, n)]];
      return [x, q[0] === p[0] ? q[1] : p[1] + ((q[1] - p[1]) * (x - p[0])) / (q[0] - p[0])];
    }).filter(([, y]) => Number.isFinite(y));
    const width = Math.max(280, figure.clientWidth), height = Math.round(Math.min(430, Math.max(innerHeight * (width < 600 ? 0.36 : 0.48), 230)));
    drawn = plot.draw({
      width, height, curves, range: [grid[0], grid[grid.length - 1]], limit, heights, here: here()[1] / LN10,
      where: plot.escape(app.where()), whole: model.integer(chosen(), name), name: `${name}${symbol ? `, ${symbol.plain}` : ""}`, winners: settled.winners,
      words: limit === null ? "" : width < 500 ? "says nothing" : `says nothing: ${tops[0].says}`, crossovers: crossed,
      label: `${found.length} bounds against ${name}, from ${plain(grid[0])} to ${plain(grid[grid.length - 1])}`,
    });
    figure.innerHTML = drawn.svg;
    for (const [word, x] of [["min", grid[0]], ["max", grid[grid.length - 1]], ["now", Math.exp(here()[1])]]) figure.setAttribute(`aria-value${word}`, String(x));
    figure.setAttribute("aria-valuetext", app.where());
  }

  function legend() {
    const least = app.smallest(found);
    box("legend").replaceChildren(...found.map(({ one, at }, n) => h("span", { class: `item${one.state === "proved" || one.state === "own" ? "" : " dashed"}` },
      answers.letter(n), h("span", { class: "name" }, ` ${answers.title(one)} `),
      h("b", {}, at.value ? told(at.value.sign, at.value.log, 3) : "—"), least.includes(n) ? h("span", { class: "crown" }, " smallest proved") : null)));
  }

  // --- what comes a little later -------------------------------------------------------------------------------------

  const settle = () => {
    const counted = found.map(({ one, at }) => one.state === "proved" && !one.part.below && (Boolean(at.value) || one.claim.unrolled.length > 0));
    settled = C.settle(found.map(({ graph }) => graph), counted, grid, model.integer(chosen(), state.over[0]));
    if (!counted.some(Boolean)) settled.winners = [];
  };

  function speak() {
    answers.values(box("values"), found, certified);
    const row = found.find(({ one }) => one.id === (app.focus() || {}).id), all = values();
    answers.smallest(box("smallest"), found, settled, certify.crossover, grid, all);
    box("focus").replaceChildren(...chosen().map((one) => h("option", { value: one.id, selected: one.id === (app.focus() || {}).id }, answers.title(one))));
    if (row) answers.shown(box("formula"), row.one, row.at);
    if (state.view === "table") answers.table(box("table"), found, grid);
    const names = new Set(app.symbols().map((p) => p.name));
    box("slack").replaceChildren(...model.slack(all, names).map(({ text }) => h("p", { class: "note" }, text)));
    answers.enough(box("enough"), found, all, certify);
    blamed();
    takes();
    window.maureyRoots?.(box("formula")); // it comes last, with the page
  }

  /** What can be taken away: no command knows a bound from a file, and samples are asked of what becomes small with them. */
  function takes() {
    const ones = chosen(), one = app.focus(), known = Boolean(one && !one.claim.own);
    const shown = { command: ones.some(({ claim }) => !claim.own), eval: known, blame: known, samples: known && answers.sampled(one) };
    for (const [word, fits] of Object.entries({ ...shown, python: shown.command })) document.querySelector(`[data-take=${word}]`).hidden = !fits;
    box("take-own").hidden = !one || known;
  }

  const blamer = maureyWorker(maureyTails, maureyEvaluator, maureyBlame), { lengths } = maureyBlame(E);

  function blamed() {
    const row = found.find(({ one }) => one.id === (app.focus() || {}).id), out = box("blame");
    if (!row || row.at.problem) return answers.blame(out, { problem: row ? row.at.problem : "No bound is drawn." }, by);
    const still = [...Object.keys(row.at.sizes), ...(row.one.claim.own ? lengths(row.at.steps) : [])];
    const inputs = Object.fromEntries(Object.entries(row.at.env).filter(([name]) => row.at.uses.has(name) || still.includes(name)));
    out.setAttribute("aria-busy", "true");
    blamer.ask({ steps: row.at.steps, values: inputs, still }, (answer) => {
      out.removeAttribute("aria-busy");
      shares = answer;
      answers.blame(out, answer, by);
    });
    return undefined;
  }

  const after = later(60, () => { settle(); draw(); legend(); speak(); keep(); });
  const keep = later(250, () => {
    const names = app.symbols().filter((p) => app.value(p) && !(p.value && state.values[p.name] === undefined)).map((p) => p.name);
    const all = { ...values(), ...Object.fromEntries(names.map((name) => [name, app.value(app.named(name))])) };
    history.replaceState(null, "", address.write({ ...state, values: all }, names));
    box("explorer").dataset.kept = "";
  });

  /** Everything that values decide. */
  function refresh() {
    delete box("explorer").dataset.kept;
    certified.clear();
    settled = { winners: [], crossovers: [] };
    evaluate();
    draw();
    legend();
    after();
  }

  // --- the state, changed --------------------------------------------------------------------------------------------

  Object.assign(app, {
    set(name, text) {
      if (text) state.values[name] = text;
      else delete state.values[name];
      const p = app.named(name);
      if (p && p.domain === "positive integer" && chosen().some(({ claim }) => claim.symbols.some((q) => q.index === name))) fitLists(name);
      refresh();
    },
    toggle(id) {
      const { part } = model.curve(id), other = picked === "other" ? state.curves.filter((one) => one.startsWith(`${part.key}:${part.name}:`)) : state.curves;
      state.curves = state.curves.includes(id) ? state.curves.filter((one) => one !== id) : [...other, id].slice(-address.MOST_CURVES);
      structure();
    },
    show(ids, focus = "") {
      state.focus = focus;
      state.curves = ids.slice(0, address.MOST_CURVES);
      picked = model.curve(ids[0]).part.quantity;
      structure();
    },
    /** Of a part the form that says most and is proved. */
    best: (part) => `${part.key}:${part.name}:${["sharp", "derived", "repaired", "printed"].find((form) => part.forms[form]?.state === "proved") || Object.keys(part.forms)[0]}`,
    chooseQuantity(name) {
      picked = name;
      const subjects = new Set(chosen().map(({ part }) => part.subject));
      const own = [...model.parts.values()].filter((part) => part.quantity === name), near = own.filter((part) => subjects.has(part.subject));
      const few = (near.length ? near : own).slice(0, name === "other" ? 1 : 3);
      state.curves = name === "other" || few.length === 1 ? Object.keys(few[0].forms).map((form) => `${few[0].key}:${few[0].name}:${form}`) : few.map(app.best);
      structure();
    },
    move(name) {
      const p = app.named(name) || address.first.get(name), [low, high] = address.range(p);
      state.over = [name, low, high];
      structure();
    },
    range(over) {
      state.over = over;
      refresh();
    },
    controls: () => structure(),
  });

  /** Lists grow and shrink with the number of their layers; the last value is repeated. */
  function fitLists(index) {
    const size = Number(state.values[index]);
    for (const p of app.symbols().filter((q) => q.index === index && (state.values[q.name] || "").includes(","))) {
      const items = state.values[p.name].split(",");
      state.values[p.name] = Array.from({ length: size }, (_, i) => items[Math.min(i, items.length - 1)]).join(",");
    }
    listed();
  }

  const listed = later(150, () => {
    const focus = document.activeElement && document.activeElement.id;
    controls.sliders(box("sliders"));
    if (focus) document.getElementById(focus)?.focus();
  });

  function structure() {
    const names = app.symbols().filter((p) => !p.optional).map((p) => p.name);
    if (names.length && !names.includes(state.over[0])) {
      const name = ["T", "m", "n", "N", "eps", "d"].find((one) => names.includes(one)) || names[0], [low, high] = address.range(app.named(name));
      state.over = [name, low, high];
    }
    controls.quantities(box("quantities"));
    controls.bounds(box("bounds"), box("filter").value);
    controls.over(box("against"));
    controls.sliders(box("sliders"));
    box("empty").hidden = state.curves.length > 0;
    refresh();
  }

  function preset(name) {
    const one = data.presets.find((item) => item.name === name);
    state.values = {};
    base = one.values;
    state.over = [...one.over];
    box("about").replaceChildren(...prose(one.about));
    app.show(one.bounds.filter((id) => model.curve(id)));
  }

  // --- the parts of the page -----------------------------------------------------------------------------------------

  const controls = maureyControls({ E, model, address, words, data, app });
  const answers = maureyAnswers({ E, model, words, formula, plot, samples, app, STATES: controls.STATES });
  const taking = maureyTaking({ model, app });
  const certify = maureyCertify({ model, words, app, shown: () => answers.values(box("values"), found, certified) });

  function complain(problems) {
    box("problems").replaceChildren(...problems.map((text) => h("p", {}, text)), problems.length ? h("button", { type: "button", class: "plain-button", onclick: () => complain([]) }, "close") : "");
  }

  function start() {
    const { found: wanted, problems } = address.read(location.hash), first = data.presets[0];
    const one = data.presets.find((item) => item.name === wanted.preset) || first;
    base = one.values;
    Object.assign(state, FRESH, { ...wanted, over: wanted.over || [...one.over] });
    state.curves = wanted.curves?.length ? wanted.curves : one.bounds.filter((id) => model.curve(id));
    const quantities = new Set(chosen().map(({ part }) => part.quantity));
    picked = chosen()[0].part.quantity;
    if (quantities.size > 1) {
      problems.push("Bounds on different quantities cannot be held against each other; those on the first one's quantity are drawn.");
      state.curves = chosen().filter(({ part }) => part.quantity === picked).map(({ id }) => id);
    }
    const names = new Set(app.symbols().map((p) => p.name));
    if (wanted.over && !names.has(wanted.over[0])) problems.push(`None of these bounds speaks of ${wanted.over[0]}; another symbol moves.`);
    complain(problems);
    box("presets").value = one.name;
    box("about").replaceChildren(...prose(one.about));
    box("gap").value = state.gap;
    view(state.view);
    structure();
  }

  function view(name) {
    state.view = name;
    box("table").hidden = name !== "table";
    box("figure").hidden = name === "table";
    for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === name));
  }

  /** The line where things are is moved by pointer and by keyboard. */
  function moved() {
    const figure = box("figure"), set = (x) => {
      const p = app.named(state.over[0]), text = p.domain.endsWith("integer") ? String(Math.max(1, Math.round(x))) : String(Number(x.toPrecision(4)));
      if (model.wrong(p, text)) return;
      const field = box(`field-${p.name}`);
      if (field) { field.value = text; field.parentElement.querySelector("input[type=range]")?.show(text); }
      app.set(p.name, text);
    };
    const at = (event) => set(drawn.place(((event.clientX - figure.getBoundingClientRect().left) / figure.clientWidth) * figure.querySelector("svg").viewBox.baseVal.width));
    figure.addEventListener("pointerdown", (event) => { figure.setPointerCapture(event.pointerId); at(event); });
    figure.addEventListener("pointermove", (event) => { if (figure.hasPointerCapture(event.pointerId)) at(event); });
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key], x = Math.exp(here()[1]);
      if (!step && event.key !== "Home" && event.key !== "End") return;
      event.preventDefault();
      if (event.key === "Home") set(grid[0]);
      else if (event.key === "End") set(grid[grid.length - 1]);
      else {
        const n = grid.findIndex((v) => v >= x * (1 - 1e-9));
        set(grid[Math.max(0, Math.min(grid.length - 1, (n < 0 ? grid.length - 1 : n) + step))]);
      }
    });
  }

  function wire() {
    box("presets").append(...data.presets.map((one) => h("option", { value: one.name }, one.title)));
    box("presets").addEventListener("change", (event) => preset(event.target.value));
    box("filter").addEventListener("input", () => controls.bounds(box("bounds"), box("filter").value));
    box("focus").addEventListener("change", (event) => { state.focus = event.target.value; speak(); keep(); });
    box("gap").addEventListener("input", (event) => {
      const text = event.target.value.trim(), fits = address.number(text);
      event.target.toggleAttribute("aria-invalid", !fits);
      box("gap-wrong").textContent = fits ? "" : "a gap is a positive number, as 0.1 or 1/10";
      if (fits) { state.gap = text; answers.enough(box("enough"), found, values(), certify); keep(); }
    });
    for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => { view(button.dataset.view); speak(); keep(); });
    for (const button of document.querySelectorAll("[data-by]")) {
      button.addEventListener("click", () => {
        by = button.dataset.by;
        document.querySelectorAll("[data-by]").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        if (shares) answers.blame(box("blame"), shares, by);
      });
    }
    const TEXTS = {
      command: taking.command, python: taking.python, svg: () => taking.svg(box("figure").querySelector("svg")), link: () => location.href,
      latex: () => { const row = found.find(({ one }) => one.id === app.focus().id); return row.at.problem || answers.latex(row.one, row.at); },
      eval: () => taking.one("eval"), blame: () => taking.one("blame"), samples: () => taking.one("samples", ` --gap ${state.gap}`),
    };
    for (const button of document.querySelectorAll("[data-take]")) {
      button.addEventListener("click", async () => {
        const word = button.textContent;
        await copy(TEXTS[button.dataset.take]());
        button.textContent = "copied";
        setTimeout(() => { button.textContent = word; }, 1200);
      });
    }
    const narrow = matchMedia("(max-width: 900px)").matches;
    box("chooser").open = !narrow; // there the bounds would stand between the setting and the picture
    new IntersectionObserver(([one]) => box("stick").classList.toggle("past", one.isIntersecting || one.boundingClientRect.top < 0),
      { rootMargin: "0px 0px -45% 0px" }).observe(box("answers"));
    new ResizeObserver(later(80, () => { if (found.length) draw(); })).observe(box("figure"));
    moved();
    addEventListener("hashchange", start);
  }

  window.maurey = { app, model, address, evaluator: E, compare: C, samples, formula, plot, taking, answers, refresh, found: () => found, settled: () => settled, shares: () => shares,
    latex: () => { const row = found.find(({ one }) => one.id === app.focus().id); return answers.latex(row.one, row.at); } };
  maureyOwn({ model, words, app, complain });
  maureyTour(words);
  wire();
  start();
  performance.mark("drawn");
})();
