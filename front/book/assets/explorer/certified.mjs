// A worker that is Maurey: Python in the page, with its claims and its ball arithmetic.

import { loadPyodide } from "./pyodide.mjs";

const PLACE = "/lib/maurey";
const open = globalThis.fetch;

/** What is large comes packed. */
globalThis.fetch = async (address, ...more) => {
  if (!String(address).endsWith(".wasm")) return open(address, ...more);
  const unpacked = (await open(`${address}.gz`)).body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked, { headers: { "Content-Type": "application/wasm" } });
};

const tell = (told) => postMessage({ told });

async function start() {
  const here = new URL("./", import.meta.url).href, archive = fetch(`${here}maurey.zip`);
  tell("Python is starting …");
  const python = await loadPyodide({ indexURL: here, env: { PYTHONDONTWRITEBYTECODE: "1" } });
  tell("Maurey is starting …");
  python.unpackArchive(await (await archive).arrayBuffer(), "zip", { extractDir: PLACE });
  python.runPython(`import sys; sys.path.insert(0, "${PLACE}")`);
  return python.pyimport("maurey.book.explorer.certified");
}

let certified = null;

onmessage = async ({ data: { number, call, given } }) => {
  try {
    certified = certified || start();
    const module = await certified;
    tell("computing …");
    const found = JSON.parse(module.answer(JSON.stringify({ call, given })));
    postMessage({ number, ...(found.problem ? { problem: found.problem } : { answer: found }) });
  } catch (error) {
    postMessage({ number, problem: String(error.message || error).trim().split("\n").pop() });
  }
};
