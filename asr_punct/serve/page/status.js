/** The line below the file: what the page does, and errors. */

import { byId } from "./dom.js";
import { t } from "./i18n.js";

const line = byId("status");
const elapsed = byId("elapsed"); // is not read out every second
const cancelButton = byId("cancel");
let shown = null;
let clock;

function write() {
  line.textContent = shown ? t(...shown.text) : "";
  line.classList.toggle("error", Boolean(shown?.isError));
}

function show(text, isError = false) {
  clearInterval(clock);
  elapsed.textContent = "";
  cancelButton.hidden = true;
  shown = { text, isError };
  write();
}

/** Show a text (see `t`). */
export const report = (...text) => show(text);

/** Show a text, the seconds since now, and a button that calls `cancel`, until another text is shown. */
export function reportWork(name, cancel) {
  report(name);
  const begin = performance.now();
  clock = setInterval(() => {
    elapsed.textContent = `${Math.round((performance.now() - begin) / 1000)} s`;
  }, 1000);
  cancelButton.hidden = false;
  cancelButton.onclick = cancel;
}

/** Show an error. */
export function reportError(error) {
  if (error.name === "AbortError") {
    report("cancelled");
    return;
  }
  show(error.key ? [error.key, error.values] : ["failed", { message: error.message }], true);
}

document.addEventListener("uilanguage", write);
