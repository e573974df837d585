/** The language of the page: chosen there, else the first known one of the browser. */

import { load, save } from "./kept.js";
import en from "./strings/en.js";
import es from "./strings/es.js";
import eu from "./strings/eu.js";

const TEXTS = { en, es, eu };
/** Where a browser does not know Basque, numbers are as in Spanish. */
const LOCALES = { en: "en", es: "es", eu: ["eu", "es"] };
const preferred = [load("language"), ...navigator.languages.map((code) => code.split("-")[0])];
let language = preferred.find((code) => code in TEXTS) ?? "en";

export const uiLanguage = () => language;

/** Return a text with its `{values}`; a function is called for a value of this language. */
export function t(key, values = {}) {
  const value = (name) => (values[name] instanceof Function ? values[name]() : values[name]);
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => value(name));
}

/** Return a number as the language of the page writes it, with the options of `Intl.NumberFormat`. */
export const number = (value, options) => new Intl.NumberFormat(LOCALES[language], options).format(value);

/** Set the texts of all elements: `data-t` is the key of their content, `data-t-label` that of their label. */
export function translate() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    if (element.matches("input")) element.title = element.ariaLabel; // without a text beside it
  }
}

/** Change the language. Modules that write texts themselves listen to `uilanguage` on the document. */
export function setUiLanguage(code) {
  language = code;
  save("language", code);
  translate();
  document.dispatchEvent(new Event("uilanguage"));
}

/** Return the name of a language or mixture (`es+eu`) in the language of the page. */
export function languageName(codes) {
  const names = new Intl.DisplayNames(language, { type: "language" });
  const name = (code) => TEXTS[language][`language_${code}`] ?? names.of(code);
  return codes.split("+").map(name).join(" + ");
}
