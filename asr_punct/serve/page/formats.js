/** Formats that the service writes, with the suffixes of their files. */

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

/** Return the name of a file that is exported to a format; "": its own. */
export function exportName(name, format) {
  return format ? name.replace(/\.[^.]*$/, "") + SUFFIXES[format] : name;
}
