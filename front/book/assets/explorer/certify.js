// Maurey itself, in the page: certified digits of what the curves show in doubles. Over http only, for browsers start no
// such worker from disk.

"use strict";

function maureyCertify({ model, words, app, shown }) {
  const { h, plain } = words;
  const base = document.getElementById("explorer").dataset.runtime, fromDisk = location.protocol === "file:";
  const why = !base ? "This book was built without the parts that certify in the page; the commands below do it."
    : fromDisk ? "From disk the browser does not start it: show the book with maurey book --serve, or take the command." : "";
  const status = document.getElementById("certifying");
  let worker = null, number = 0;
  const waiting = new Map();

  function ask(call, given) {
    if (!worker) {
      worker = new Worker(new URL(`${base}worker.mjs`, document.baseURI), { type: "module" });
      worker.onmessage = ({ data }) => {
        if (data.told) {
          status.textContent = data.told;
          return;
        }
        const { done, failed } = waiting.get(data.number);
        waiting.delete(data.number);
        (data.problem ? failed : done)(data.problem ? new Error(data.problem) : data.answer);
      };
      worker.onerror = (event) => {
        status.textContent = `It could not be started: ${event.message || "the worker did not load"}.`;
        for (const { failed } of waiting.values()) failed(new Error("it could not be started"));
        waiting.clear();
      };
    }
    number += 1;
    worker.postMessage({ number, call, given });
    return new Promise((done, failed) => waiting.set(number, { done, failed }));
  }

  const values = (one, without = "") => Object.fromEntries(app.given([one]).filter(([name]) => name !== without));
  const question = (one, without) => ({ key: one.part.key, part: one.part.name, form: one.form, values: values(one, without) });

  function button(text, out, action) {
    const made = h("button", { type: "button", class: "certify", disabled: why !== "", title: why || "by ball arithmetic, rounded outward" }, text);
    made.addEventListener("click", async () => {
      made.disabled = true;
      if (out) out.textContent = "…";
      const start = performance.now();
      try {
        const told = await action();
        if (out) out.textContent = told;
        status.textContent = `Certified in ${((performance.now() - start) / 1000).toFixed(1)} s.`;
      } catch (error) {
        if (out) out.textContent = error.message;
        status.textContent = out ? "" : error.message;
      }
      made.disabled = false;
    });
    return made;
  }

  const known = () => app.chosen().filter((one) => !one.claim.own);

  /** Every bound that is drawn, at the values that are set: the digits of `maurey eval`. */
  document.getElementById("certify").replaceChildren(button("Certify these values", null, async () => {
    if (!known().length) throw new Error("What comes from a file is certified in Python, by claim.enclose(...).");
    for (const one of known()) {
      const { value, lower, upper, problem } = await ask("value", question(one, ""));
      app.certified.set(one.id, problem || `${value}, certified: from ${lower} to ${upper}`);
      shown();
    }
  }), h("span", { class: "quiet" }, why ? ` ${why}` : ""));

  /** The order of two curves at both ends of where they cross, and inside. */
  function crossover({ curves, at, below }, out) {
    const ones = app.chosen(), [before, after] = below.map((n) => ones[n]), name = app.state.over[0];
    if (before.claim.own || after.claim.own) return null;
    return button("Certify", out, async () => {
      const answer = await ask("crossover", { before: question(before, name), after: question(after, name), over: name, low: String(at[0]), high: String(at[1]),
        integer: model.integer(ones, name) });
      return answer.problem || (answer.at ? ` certified: between ${name} = ${answer.at[0]} and ${answer.at[1]}` : " not confirmed: balls cannot tell the two apart here");
    });
  }

  function samples(one, out) {
    if (one.claim.own) return null;
    return button("Certify", out, async () => {
      const answer = await ask("samples", { ...question(one, one.claim.samples), gap: app.state.gap });
      return answer.problem || (answer.m ? ` certified: ${one.claim.samples} = ${answer.m}` : " none that is certain");
    });
  }

  return { crossover, samples, plain };
}
