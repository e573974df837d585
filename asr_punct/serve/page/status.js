/** The line below the file: what the page does, and errors. */

import { byId } from "./dom.js";
import { t } from "./i18n.js";

const line = byId("status");
let shown = null;

function write() {
  line.textContent = shown ? t(...shown.text) : "";
  line.classList.toggle("error", Boolean(shown?.isError));
}

/** Show a text (see `t`). */
export function report(...text) {
  shown = { text, isError: false };
  write();
}

/** Show an error. */
export function reportError(error) {
  const isOffline = error instanceof TypeError && error.message.includes("fetch");
  shown = { text: ["failed", { message: isOffline ? t("unreachable") : error.message }], isError: true };
  write();
}

document.addEventListener("uilanguage", write);
