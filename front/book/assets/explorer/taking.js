// What is drawn, to be taken away: as a command, as Python, as a picture.

"use strict";

function maureyTaking({ model, app }) {
  const quoted = (text) => (/^[\w.,:=/+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
  const bare = (id) => id.split(":").slice(0, 2).join(":");

  /** Forms that every claim has, or all of them: a comparison draws each claim in each form that is asked for. */
  function forms(chosen) {
    const wanted = [...new Set(chosen.map((one) => one.form))];
    return chosen.every(({ part }) => wanted.every((form) => Object.hasOwn(part.forms, form))) ? wanted : ["all"];
  }

  const given = (chosen, without) => app.given(chosen).filter(([name]) => name !== without);
  const pairs = (chosen, without) => given(chosen, without).map(([name, value]) => quoted(`${name}=${value}`)).join(" ");

  function command() {
    const chosen = app.chosen().filter((one) => !one.claim.own), [name, low, high] = app.state.over;
    const keys = [...new Set(chosen.map((one) => bare(one.id)))].join(" ");
    return `maurey compare ${keys} ${forms(chosen).map((form) => `--form ${form}`).join(" ")} --over ${quoted(`${name}=${low}..${high}`)} ${pairs(chosen, name)}`;
  }

  const one = (verb, more = "") => {
    const curve = app.focus();
    return `maurey ${verb} ${bare(curve.id)} --form ${curve.form}${more} ${pairs([curve], verb === "samples" ? curve.claim.samples : "")}`.trim();
  };

  const literal = (value) => (value.includes(",") ? `[${value.split(",").map(literal).join(", ")}]` : JSON.stringify(value));

  function python() {
    const chosen = app.chosen().filter((item) => !item.claim.own), [name, low, high] = app.state.over;
    const keys = [...new Set(chosen.map((item) => bare(item.id)))].map((key) => `    ${JSON.stringify(key)},`).join("\n");
    const values = given(chosen, name).map(([symbol, value]) => `${symbol}=${literal(value)}`).join(", ");
    return `import maurey\n\nvalues = dict(${values})\nfound = maurey.compare(\n${keys}\n    over={${JSON.stringify(name)}: (${JSON.stringify(low)}, ${JSON.stringify(high)})},\n    forms=${JSON.stringify(forms(chosen))},\n    **values,\n)\nprint(found)\nfound.plot().savefig("bounds.svg")\n`;
  }

  const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-style", "font-weight", "opacity"];

  /** The picture with its colours written into it, so that it looks the same anywhere. */
  function svg(picture) {
    const copy = picture.cloneNode(true), from = [picture, ...picture.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((element, i) => {
      const style = getComputedStyle(element);
      for (const name of STYLED) if (style.getPropertyValue(name)) to[i].setAttribute(name, style.getPropertyValue(name));
    });
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor })) paper.setAttribute(name, value);
    copy.prepend(paper);
    copy.querySelectorAll("[style]").forEach((element) => element.removeAttribute("style"));
    return new XMLSerializer().serializeToString(copy);
  }

  return { command, one, python, svg };
}
