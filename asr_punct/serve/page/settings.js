/** Language, model, and what becomes of the marks of the file: `givenMarks` is an option of the service, or "". */

import { models } from "./api.js";
import { byId } from "./dom.js";
import { languageName } from "./i18n.js";

function addOptions(select, options) {
  for (const [value, text] of options) select.append(new Option(text, value));
}

/** Return the settings as they are now. */
export function settings() {
  const [language, model] = [byId("language").value, byId("model").value];
  return { language, model, givenMarks: byId("given-marks").value };
}

/** Fill the lists, and call `onChange` when the user changes something; it returns whether the change may stay. */
export async function startSettings(onChange) {
  const lists = ["language", "model", "given-marks"].map(byId);
  const accepted = new Map(lists.map((list) => [list, list.value]));
  for (const list of lists) {
    list.addEventListener("change", () => {
      if (onChange()) accepted.set(list, list.value);
      else list.value = accepted.get(list);
    });
  }
  const offered = await models();
  const codes = [...new Set(offered.flatMap((model) => model.languages))].sort();
  addOptions(byId("language"), codes.map((code) => [code, languageName(code)]));
  addOptions(byId("model"), offered.map((model) => [model.name, model.name]));
  document.addEventListener("uilanguage", () => {
    for (const option of byId("language").options) {
      if (option.value) option.text = languageName(option.value);
    }
  });
  return offered.find((model) => model.default)?.name ?? "";
}
