/** Saves a transcript as a file. */

import { exportFile } from "./api.js";
import { SUFFIXES, exportName } from "./formats.js";

/** Return the content of a transcript in a format; "": that of its file, if words can be written in it, else JSON. */
async function content(transcript, format) {
  const { file, settings, labels, isRewritten } = transcript;
  if (!isRewritten) return exportFile(file, settings, labels, format);
  const to = format || (transcript.format in SUFFIXES ? transcript.format : "json");
  return exportFile(transcript.jsonFile, { ...settings, ignoreLabels: false }, labels, to, { from: "json" });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Save the words with their marks and cases in a format, and return the name of the file. */
export async function exportTranscript(transcript, format) {
  const isOther = transcript.isRewritten && !format && !(transcript.format in SUFFIXES);
  const name = exportName(transcript.file.name, isOther ? "json" : format);
  save(await content(transcript, format), name);
  transcript.save();
  return name;
}
