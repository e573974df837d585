/** Names of the formats that the service writes, and of files in them. */

import { t } from "./i18n.js";
import { SUFFIXES } from "./tables.js";

/** Fill a list with the formats, by the names that people know. */
export function fillFormats(list) {
  const name = (format) => `${t(`format_${format.replace("-", "_")}`)} (${SUFFIXES[format]})`;
  for (const format of Object.keys(SUFFIXES)) list.append(new Option(name(format), format));
  document.addEventListener("uilanguage", () => {
    for (const option of list.options) if (option.value) option.text = name(option.value);
  });
}

/** Return the name of a file that is exported to a format; "": its own. */
export function exportName(name, format) {
  return format ? name.replace(/\.[^.]*$/, "") + SUFFIXES[format] : name;
}
