/** Formats that the service writes, with the suffixes of their files. */

import { t } from "./i18n.js";

export const SUFFIXES = {
  text: ".txt",
  srt: ".srt",
  vtt: ".vtt",
  ass: ".ass",
  ttml: ".ttml",
  markdown: ".md",
  sentences: ".jsonl",
  audacity: ".txt",
  json: ".json",
  ctm: ".ctm",
  stm: ".stm",
  textgrid: ".TextGrid",
  eaf: ".eaf",
  tsv: ".tsv",
  whisper: ".json",
  "whisper-jsonl": ".jsonl",
  "whisper-csv": ".csv",
  "whisper-tsv": ".tsv",
  "whisper-log": ".txt",
  vosk: ".json",
  nemo: ".jsonl",
  lhotse: ".jsonl",
  "kaldi-text": ".txt",
};

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
