/** Language, model, and whether the marks of the file are replaced. */

import { models } from "./api.js";
import { byId } from "./dom.js";
import { languageName } from "./i18n.js";

function addOptions(select, options) {
  for (const [value, text] of options) select.append(new Option(text, value));
}

/** Return the settings as they are now. */
export function settings() {
  const [language, model] = [byId("language").value, byId("model").value];
  return { language, model, ignoreLabels: byId("ignore-labels").checked };
}

/** Fill the lists, and call `onChange` when the user changes something; it returns whether the change may stay. */
export async function startSettings(onChange) {
  const inputs = ["language", "model", "ignore-labels"].map(byId);
  const value = (input) => (input.type === "checkbox" ? input.checked : input.value);
  const accepted = new Map(inputs.map((input) => [input, value(input)]));
  for (const input of inputs) {
    input.addEventListener("change", () => {
      if (onChange()) accepted.set(input, value(input));
      else input[input.type === "checkbox" ? "checked" : "value"] = accepted.get(input);
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
