/** Saves a transcript as a file. */

import { exportFile } from "./api.js";
import { srt, storedCues, vtt } from "./cue-files.js";
import { exportName } from "./formats.js";
import { CUE_FORMATS, SUFFIXES } from "./tables.js";

/** Whether a format is one of subtitles. */
export const isCueFormat = (format) => CUE_FORMATS.includes(format);

/**
 * Return the content of a transcript in a format as the service writes it; "": that of its file, if words can be written
 * in it, else JSON. `more` are options of the service.
 */
export async function serviceContent(transcript, format, more = {}) {
  const { file, settings, labels, isRewritten } = transcript;
  if (!isRewritten) return exportFile(file, settings, labels, format, more);
  const to = format || (transcript.format in SUFFIXES ? transcript.format : "json");
  return exportFile(transcript.jsonFile(), { ...settings, givenMarks: "" }, labels, to, { from: "json", ...more });
}

/** Return cues as the page shows them, in a format of subtitles. */
async function cueContent(cues, transcript, format) {
  if (format === "srt") return new Blob([srt(cues)]);
  const text = vtt(cues);
  if (format === "vtt") return new Blob([text]);
  const labels = cues.list.flatMap((cue) => cues.lines(cue).join(" ").split(" ").map(() => ({})));
  return exportFile(new File([text], "cues.vtt"), { ...transcript.settings, givenMarks: "" }, labels, format, { from: "vtt" });
}

/** Return the content of the project's JSON, with cues as the page shows them and what is doubtful, to go on later. */
function jsonContent(cues, transcript, isDoubtful) {
  const file = transcript.jsonFile(cues ? { subtitles: storedCues(cues) } : {}, isDoubtful);
  return exportFile(file, { ...transcript.settings, givenMarks: "" }, transcript.labels, "json", { from: "json" });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Save the words with their marks and cases in a format, and return the name of the file; the project's JSON also says
 * which words are `isDoubtful`. Subtitles are those of `cues`
 * if they were shown or edited; otherwise, and if they are just those of the file, the service makes them.
 */
export async function exportTranscript(transcript, format, cues, isDoubtful) {
  const isOther = transcript.isRewritten && !format && !(transcript.format in SUFFIXES);
  const name = exportName(transcript.file.name, isOther ? "json" : format);
  const to = format || transcript.format;
  const isSeen = cues && (cues.isEdited || (cues.isShown && !isCueFormat(transcript.format)));
  const shown = isSeen ? cues : null;
  if (to === "json") save(await jsonContent(shown, transcript, isDoubtful), name);
  else save(await (shown && isCueFormat(to) ? cueContent(shown, transcript, to) : serviceContent(transcript, format)), name);
  transcript.save();
  return name;
}
