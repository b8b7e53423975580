// The state of the explorer, and its address: bounds=KEY:PART:FORM,...&over=T:16..1e6&T=256&eps=1/10.

"use strict";

function maureyAddress(E, model, data) {
  const MOST_CURVES = 8;
  const first = { has: (name) => Boolean(model.named(name)), get: model.named }; // what a name means where no chosen claim has it

  /** Low end, high end and first value of a symbol's slider. */
  function range(p) {
    const known = data.ranges.names[p.name] || data.ranges.domains[p.domain];
    if (p.most) return ["1", String(p.most), String(Math.min(p.most, Number(known[2])))];
    return p.value ? [known[0], known[1], p.value] : known;
  }

  /** Texts that are read as numbers, so that nothing else gets into the state. */
  const number = (text) => Boolean(E.exact(text)) && E.exact(text)[0] > 0n;
  const plain = (text) => Number(String(text).includes("/") ? NaN : text);

  function bounds(text, tell) {
    const found = [];
    for (const id of text.split(",").filter(Boolean)) {
      if (!model.curve(id)) tell(`There is no bound “${id.slice(0, 60)}”; it is left out. Bounds are called KEY:PART:FORM, as edelman2022/A.17:log_N:sharp.`);
      else if (!found.includes(id) && found.length < MOST_CURVES) found.push(id);
    }
    return found;
  }

  /** The range of what moves: [name, low, high], or null. */
  function over(text, tell) {
    const [, name, low, high] = /^([A-Za-z]\w*):([^.]+(?:\.\d+)?)\.\.(.+)$/.exec(text) || [];
    if (name && first.has(name) && number(low) && number(high) && plain(low) < plain(high)) return [name, low, high];
    tell(`“over=${text.slice(0, 40)}” is no range; write over=T:16..1e6, from a smaller to a larger decimal number above 0, up to 1e300.`);
    return null;
  }

  const WORDS = {
    bounds: (text, tell) => ({ curves: bounds(text, tell) }),
    over: (text, tell) => { const found = over(text, tell); return found ? { over: found } : {}; },
    gap: (text, tell) => (number(text) ? { gap: text } : (tell(`“gap=${text.slice(0, 30)}” is no positive number.`), {})),
    view: (text, tell) => (["picture", "table"].includes(text) ? { view: text } : (tell("view is picture or table."), {})),
    about: (text) => ({ focus: text }),
    preset: (text, tell) => (data.presets.some((one) => one.name === text) ? { preset: text }
      : (tell(`There is no preset “${text.slice(0, 30)}”; there are ${data.presets.map((one) => one.name).join(", ")}.`), {})),
  };

  /** A state from the part of an address after #, and what is wrong with it. */
  function read(hash) {
    const found = { values: {} }, problems = [], tell = (text) => problems.push(text);
    for (const word of hash.replace(/^#/, "").split("&").filter(Boolean)) {
      const cut = word.indexOf("=");
      let [name, text] = [word.slice(0, cut), word.slice(cut + 1)];
      try {
        [name, text] = [decodeURIComponent(name), decodeURIComponent(text.replace(/\+/g, " "))];
      } catch {
        tell(`“${word.slice(0, 40)}” in the address cannot be read.`);
        continue;
      }
      if (cut < 1) tell(`“${word.slice(0, 40)}” in the address is no NAME=VALUE.`);
      else if (Object.hasOwn(WORDS, name)) Object.assign(found, WORDS[name](text, tell));
      else if (!first.has(name)) tell(`There is no symbol “${name.slice(0, 30)}”; it is left out.`);
      else found.values[name] = text;
    }
    const ones = (found.curves || []).map(model.curve);
    for (const [name, text] of Object.entries(found.values)) {
      const bad = model.nowhere(name, text, ones);
      if (bad) {
        tell(`${bad}; it is left out.`);
        delete found.values[name];
      }
    }
    return { found, problems };
  }

  const safe = (text) => encodeURIComponent(text).replace(/%(2C|3A|2F)/g, (c) => decodeURIComponent(c));

  function write({ curves, over: [name, low, high], values, gap, view, focus }, names) {
    const words = [["bounds", curves.filter((id) => !id.startsWith("own/")).join(",")], ["over", `${name}:${low}..${high}`]];
    if (gap !== "0.1") words.push(["gap", gap]);
    if (view !== "picture") words.push(["view", view]);
    if (focus) words.push(["about", focus]);
    words.push(...names.filter((one) => values[one]).map((one) => [one, values[one]]));
    return `#${words.map(([word, text]) => `${word}=${safe(text)}`).join("&")}`;
  }

  return { read, write, range, first, number, MOST_CURVES };
}
