// A worker made of the functions' own texts, so that it starts from disk too. Only the last question counts.

"use strict";

function maureyWorker(...functions) {
  const source = `"use strict"; ${functions.join("\n")}
    const E = maureyEvaluator(), B = maureyBlame(E);
    onmessage = ({ data: { number, question } }) => {
      try { postMessage({ number, answer: B.shares(question.steps, question.values, question.still) }); }
      catch (error) { postMessage({ number, answer: { problem: error.message } }); }
    };`;
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  let worker = null, busy = false, number = 0, told = () => {};

  function start() {
    worker = new Worker(address);
    worker.onmessage = ({ data }) => {
      busy = false;
      if (data.number === number) told(data.answer);
    };
  }

  /** A question that is still being worked on is dropped with its worker. */
  function ask(question, answer) {
    if (busy) worker.terminate();
    if (busy || !worker) start();
    busy = true;
    number += 1;
    told = answer;
    worker.postMessage({ number, question });
  }

  return { ask };
}
