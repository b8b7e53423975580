// Which bounds are drawn, and a slider with an exact field for every symbol in them.

"use strict";

function maureyControls({ E, model, address, words, data, app }) {
  const { h, math, prose, plain } = words;
  const FINE = 400; // places of a slider, before those with one value are one
  const STATES = {
    proved: ["✓", "proved"], fails: ["✗", "fails as printed"], hides: ["~", "hides a constant"],
    open: ["?", "not verified"], own: ["·", "from your file, not checked here"],
  };

  // --- what is bounded, and by which claims --------------------------------------------------------------------------

  function quantities(box) {
    const chips = Object.entries(data.quantities).map(([name, [title, says]]) =>
      h("label", { class: "choice", title: says }, h("input", { type: "radio", name: "quantity", value: name,
        checked: app.quantity() === name, onchange: () => app.chooseQuantity(name) }), h("span", {}, title)));
    box.replaceChildren(...chips);
  }

  function chip(part, form) {
    const id = `${part.key}:${part.name}:${form}`, [mark, says] = STATES[part.forms[form].state];
    const place = app.state.curves.indexOf(id);
    return h("button", {
      type: "button", class: `chip ${part.forms[form].state}${place < 0 ? "" : ` on c${place}`}`, "aria-pressed": String(place >= 0),
      title: `${form}: ${says}`, "data-curve": id, onclick: () => app.toggle(id),
    }, h("span", { class: "mark", "aria-hidden": "true" }, mark), form, h("span", { class: "hidden" }, `, ${says}`));
  }

  function row(part, alone) {
    const claim = model.claims.get(part.key), paper = part.key.split("/")[0];
    const where = claim.own ? h("span", { class: "key" }, part.key) : h("a", { class: "key", href: `../claims/${part.key}.html#${part.name}` }, part.key.slice(paper.length + 1));
    return h("div", { class: "bound" },
      h("p", {}, where, " ", prose(claim.title), alone ? null : [": ", h("em", {}, prose(part.meaning))], " ", h("span", { class: "paper" }, data.papers[paper] || paper)),
      h("p", { class: "chips" }, Object.keys(part.forms).map((form) => chip(part, form))));
  }

  const text = (part) => `${part.key} ${data.papers[part.key.split("/")[0]] || ""} ${model.claims.get(part.key).title} ${part.meaning}`.toLowerCase();

  /** The claims of the quantity, by subject; groups that have a curve stand open. */
  function bounds(box, filter = "") {
    const own = [...model.parts.values()].filter((part) => part.quantity === app.quantity() && text(part).includes(filter.toLowerCase()));
    const subjects = new Map();
    for (const part of own) {
      const { subject } = part;
      subjects.set(subject, [...(subjects.get(subject) || []), part]);
    }
    const open = new Set([...box.querySelectorAll("details[open]")].map((one) => one.dataset.subject));
    box.replaceChildren(...[...subjects].map(([subject, parts]) => {
      const drawn = parts.some((part) => app.state.curves.some((id) => id.startsWith(`${part.key}:${part.name}:`)));
      const alone = (part) => parts.filter((other) => other.key === part.key).length === 1;
      return h("details", { "data-subject": subject, open: drawn || open.has(subject) || filter !== "" },
        h("summary", {}, subject, h("span", { class: "quiet" }, ` ${parts.length}`)), parts.map((part) => row(part, alone(part))));
    }));
    if (!own.length) box.replaceChildren(h("p", { class: "quiet" }, `No bound has “${filter}” in its name.`));
  }

  // --- symbols -------------------------------------------------------------------------------------------------------

  const GROUPS = [
    ["Sizes", (p) => p.domain.endsWith("integer")],
    ["Norms and Lipschitz constants", (p) => /^(B|C|L|R|r|c)_|^R$|norm|variation/.test(p.name) && !p.value],
    ["Accuracy and confidence", (p) => !p.value],
    ["Constants", () => true],
  ];

  const shown = (x) => (x >= 1e15 || x < 1e-4 ? x.toExponential(2).replace("e+", "e") : String(Number(x.toPrecision(3))));

  /** The values at which a slider stops, each another one: by factors. */
  function stops(p) {
    const [low, high] = address.range(p).map((x) => Math.log(Number(x))), whole = p.domain.endsWith("integer");
    const all = Array.from({ length: FINE + 1 }, (_, i) => Math.exp(low + ((high - low) * i) / FINE));
    return [...new Set(all.map((x) => shown(whole ? Math.max(1, Math.round(x)) : x)))];
  }

  function slider(p, value, label, change) {
    const values = stops(p), logs = values.map((text) => Math.log(Number(text)));
    const nearest = (text) => {
      const log = E.logAt(E.read(text), 0), n = logs.findIndex((x) => x >= log);
      return n < 0 ? values.length - 1 : n > 0 && log - logs[n - 1] < logs[n] - log ? n - 1 : n;
    };
    const made = h("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": label, oninput: () => {
      made.setAttribute("aria-valuetext", values[made.value]);
      change(values[made.value]);
    } });
    made.show = (text) => {
      made.value = nearest(text);
      made.setAttribute("aria-valuetext", text);
    };
    made.show(value);
    return made;
  }

  const EACH = { L: "layer", H: "head" };
  const unfolded = new Set(); // lists that are shown entry by entry

  /** One value, or one for each layer. */
  function entries(p, size, label, change) {
    const all = () => { const items = app.value(p).split(","); return items.length === size ? items : Array(size).fill(items[0]); };
    return h("div", { class: "entries" }, Array.from({ length: size }, (_, i) => {
      const set = (text) => { const now = all(); now[i] = text; change(now.join(",")); };
      const told = h("output", {}, all()[i]);
      return h("div", { class: "entry" }, h("span", { class: "place" }, `${EACH[p.index] || p.index} ${i + 1}`),
        slider(p, all()[i], `${label}, ${EACH[p.index] || p.index} ${i + 1}`, (text) => { told.value = text; set(text); }), told);
    }));
  }

  function symbol(p) {
    const label = `${p.name}: ${p.plain}`, size = p.index ? app.size(p.index) : 0;
    const value = app.value(p), first = (value || address.range(p)[2]).split(",")[0];
    const field = h("input", { type: "text", id: `field-${p.name}`, value, inputmode: "text", autocomplete: "off", spellcheck: "false",
      placeholder: p.optional ? "not given" : "", "aria-describedby": `wrong-${p.name}` });
    const wrong = h("p", { class: "wrong", id: `wrong-${p.name}`, role: "status" });
    const tell = (message) => {
      wrong.textContent = message;
      field.toggleAttribute("aria-invalid", Boolean(message));
    };
    const change = (text) => {
      field.value = text;
      tell("");
      app.set(p.name, text);
    };
    const range = slider(p, first, label, change);
    field.addEventListener("input", () => {
      const text = field.value.trim(), message = !text && p.optional ? "" : model.wrong(p, text);
      tell(message);
      if (!message) {
        if (text && !text.includes(",")) range.show(text);
        app.set(p.name, text);
      }
    });
    const each = size > 1 ? h("button", { type: "button", class: "each", "aria-expanded": String(unfolded.has(p.name)), onclick: () => {
      unfolded[unfolded.has(p.name) ? "delete" : "add"](p.name);
      app.controls();
    } }, unfolded.has(p.name) ? "one for all" : `one for each ${EACH[p.index] || "entry"}`) : null;
    return h("div", { class: "symbol", "data-symbol": p.name },
      h("label", { for: `field-${p.name}` }, h("span", { class: "letter" }, math(p.latex)), h("span", { class: "meaning" }, prose(p.meaning)),
        h("code", {}, p.name)),
      unfolded.has(p.name) && size > 1 ? entries(p, size, label, change) : range, field, each, wrong);
  }

  function sliders(box) {
    const names = app.symbols(), done = new Set();
    box.replaceChildren(...GROUPS.flatMap(([title, fits]) => {
      const own = names.filter((p) => !done.has(p.name) && !p.optional && fits(p));
      own.forEach((p) => done.add(p.name));
      return own.length ? [h("fieldset", {}, h("legend", {}, title), own.map(symbol))] : [];
    }));
    const optional = names.filter((p) => p.optional);
    if (optional.length) {
      box.append(h("details", { open: optional.some((p) => app.state.values[p.name]) }, h("summary", {}, "Norms that may be given, and help"),
        h("fieldset", {}, optional.map(symbol))));
    }
  }

  // --- what moves ----------------------------------------------------------------------------------------------------

  function over(box) {
    const [name, low, high] = app.state.over, names = app.symbols().filter((p) => !p.optional || app.state.values[p.name]);
    const choice = h("select", { id: "over", onchange: () => app.move(choice.value) },
      names.map((p) => h("option", { value: p.name, selected: p.name === name }, `${p.name}, ${p.plain}`.slice(0, 60))));
    const wrong = h("span", { class: "wrong", role: "status" });
    const end = (value, label, place) => {
      const made = h("input", { type: "text", value, "aria-label": label, size: 7, spellcheck: "false", oninput: () => {
        const ends = [...app.state.over];
        ends[place] = made.value.trim();
        const fits = address.number(ends[1]) && address.number(ends[2]) && Number(ends[1]) < Number(ends[2]);
        made.toggleAttribute("aria-invalid", !fits);
        wrong.textContent = fits ? "" : "a range goes from a smaller to a larger number above 0";
        if (fits) app.range(ends);
      } });
      return made;
    };
    box.replaceChildren(h("strong", {}, data.quantities[app.quantity()][0]), h("label", { for: "over" }, " against "), choice, h("span", { class: "ends" }, " from ", end(low, "from", 1), " to ", end(high, "to", 2)), wrong);
  }

  return { quantities, bounds, sliders, over, STATES, plain };
}
