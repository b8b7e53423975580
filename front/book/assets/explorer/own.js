// A network of one's own: a file that `claim.export` wrote, dropped on the page. It is read as data, and looked through
// before anything is made of it.

"use strict";

function maureyOwn({ model, words, app, complain }) {
  const { h } = words;
  const MOST_BYTES = 8e6, MOST_NODES = 400000, MOST_DEEP = 200, MOST_FORMS = 12;
  const QUANTITIES = [[/^log_N/, "entropy"], [/^R/, "complexity"], [/^(gap|above)/, "gap"], [/^risk/, "risk"], [/^moved/, "lipschitz"]];
  const LEAVES = { number: "text", symbol: "text", pi: "none", e: "none", true: "none" };
  const BINDING = new Set(["sum", "product", "integral"]);
  const CONDITIONS = new Set(["<=", "<", ">=", ">", "="]);

  class Refused extends Error {}
  const refuse = (text) => { throw new Refused(text); };
  const isText = (x) => typeof x === "string" && x.length > 0 && x.length < 400;

  /** Every node is of a known type, and there are not too many. */
  function check(node, count, depth = 0) {
    count.nodes += 1;
    if (count.nodes > MOST_NODES || depth > MOST_DEEP) refuse("its formulas are too large for this page");
    if (!Array.isArray(node) || !isText(node[0])) refuse("a node of its formulas is no list that begins with its type");
    const [kind, ...rest] = node, into = (children) => children.forEach((child) => check(child, count, depth + 1));
    if (kind === "number" && !model.exact(rest[0])) refuse(`it has a number “${String(rest[0]).slice(0, 30)}”`);
    if (Object.hasOwn(LEAVES, kind)) return rest.every((x) => typeof x === "string" || typeof x === "number") || refuse(`a ${kind} in it is not as it should be`);
    if (kind === "entry") return isText(rest[0]) ? into(rest.slice(1)) : refuse("an entry in it has no name");
    if (BINDING.has(kind)) return isText(rest[0]) && rest.length === 4 ? into(rest.slice(1)) : refuse(`a ${kind} in it is not as it should be`);
    if (!["case", "cases"].includes(kind) && !CONDITIONS.has(kind) && !model.knows(kind)) refuse(`it has a node of type “${kind}”, which this page does not know`);
    return into(rest);
  }

  /** The longest place at which a list is read: so many entries it has. */
  function lengths(steps) {
    const found = {};
    const look = (node) => {
      if (!Array.isArray(node)) return;
      if (node[0] === "entry" && node[2] && node[2][0] === "number") found[node[1]] = Math.max(found[node[1]] || 0, Number(node[2][1]));
      node.forEach(look);
    };
    steps.forEach((step) => look(step.value));
    return found;
  }

  function read(one, count) {
    for (const name of ["key", "part", "form"]) if (!isText(one[name])) refuse(`it has no ${name}; it is what claim.export(...) gives, written with json.dump`);
    if (!Array.isArray(one.steps) || !one.steps.length || !Array.isArray(one.takes)) refuse("it has no steps, or does not say what it takes");
    const steps = one.steps.map((step) => {
      if (!isText(step.name)) refuse("a step of it has no name");
      check(step.value, count);
      if (step.over) check(step.over[1], count);
      return { name: step.name, latex: isText(step.latex) ? step.latex : step.name, over: step.over || null, value: step.value, trivial: /trivial/.test(step.reason) };
    });
    const symbols = one.takes.map(({ name, latex, meaning, domain, index }) => {
      if (!isText(name) || !/^[A-Za-z]\w*$/.test(name) || !Object.hasOwn(model.WORDS, domain)) refuse(`it takes “${String(name).slice(0, 30)}” with the domain “${String(domain).slice(0, 30)}”`);
      const known = model.named(name);
      const said = isText(meaning) ? { meaning, plain: meaning.replace(/[$\\{}]/g, "") } : known || { meaning: "as in your file", plain: "as in your file" };
      const written = isText(latex) ? latex : known ? known.latex : `\\mathrm{${name.replace(/_/g, "\\_")}}`;
      return { name, domain, index: index || "", optional: false, latex: written, meaning: said.meaning, plain: said.plain };
    });
    const constants = Object.entries(one.constants || {}).map(([name, value]) => model.exact(value) && /^\w+$/.test(name)
      ? { name, value: String(value), latex: (model.named(name) || { latex: name.replace(/_(.+)$/, "_{\\mathrm{$1}}") }).latex, meaning: "a constant of your file", plain: "a constant of your file", domain: "positive real", index: "", optional: false }
      : refuse(`its constant ${name} is no number`));
    return { one, steps, symbols, constants };
  }

  const plainKey = (text) => text.replace(/[^\w./-]/g, "-").slice(0, 40);

  /** Known from now on, as a claim of its own; the curves that it makes. */
  function adopt({ one, steps, symbols, constants }) {
    const key = `own/${plainKey(one.key)}`, part = plainKey(one.part).replace(/[./]/g, "-"), form = plainKey(one.form).replace(/[./]/g, "-");
    const places = lengths(steps), fixed = {}, id = `${key}:${part}:${form}`, earlier = model.curve(id);
    const replaced = earlier && JSON.stringify(Object.values(earlier.lists)[0]) !== JSON.stringify(steps);
    for (const p of symbols.filter((q) => q.index)) fixed[p.index] = Math.max(fixed[p.index] || 0, places[p.name] || 0);
    const sizes = Object.keys(fixed).sort().map((name) => fixed[name]);
    model.adopt({ key, title: "your own", own: true, fixed, symbols, constants, assumes: [], unrolled: [], samples: "m", verdict: "" }, {
      key, name: part, lhs: steps[steps.length - 1].latex, meaning: "as your file has it", subject: "From your file", below: [">=", ">~"].includes(one.relation),
      quantity: (QUANTITIES.find(([sign]) => sign.test(one.part)) || ["", "other"])[1],
    }, form, { relation: ["<=", ">=", "=", "<~", ">~"].includes(one.relation) ? one.relation : "<=", state: "own", lists: { [sizes.join(",")]: steps } });
    return { id, replaced };
  }

  async function take(file) {
    try {
      if (file.size > MOST_BYTES) refuse("it is larger than 8 MB");
      let content;
      try {
        content = JSON.parse(await file.text());
      } catch {
        refuse("it is no JSON");
      }
      const all = Array.isArray(content) ? content : [content];
      if (!all.length || all.length > MOST_FORMS || !all.every((one) => one && typeof one === "object")) refuse(`it has one export, or a list of up to ${MOST_FORMS}`);
      const count = { nodes: 0 }, adopted = all.map((one) => read(one, count)).map(adopt), ids = adopted.map(({ id }) => id);
      const quantity = model.curve(ids[0]).part.quantity, replaced = adopted.filter((one) => one.replaced);
      const same = app.chosen().filter((one) => one.part.quantity === quantity).map(({ id }) => id);
      complain(replaced.map(({ id }) => `${id} is now what ${file.name} says; what was there under this name is gone. Give it another key, as derive(..., key="mine/other"), to see both.`));
      app.show([...new Set([...ids.filter((id) => model.curve(id).part.quantity === quantity), ...same])], ids[0]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      complain([`${file.name} is left out: ${error.message}.`]);
    }
  }

  const zone = document.getElementById("drop"), input = h("input", { type: "file", accept: ".json,application/json", class: "hidden", "aria-label": "A file of your own network", onchange: () => { if (input.files[0]) take(input.files[0]); input.value = ""; } });
  zone.append(input);
  zone.querySelector("button").addEventListener("click", () => input.click());
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
  addEventListener("dragover", () => zone.classList.add("over"));
  for (const name of ["dragleave", "drop"]) addEventListener(name, () => zone.classList.remove("over"));
  addEventListener("drop", (event) => { if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); });
}
