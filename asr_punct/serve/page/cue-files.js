/** Cues as files of subtitles: read what the service makes, and write what the page shows. */

import { wordLines } from "./cues.js";
import { seconds } from "./timing.js";

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const PLAIN = Object.fromEntries(Object.entries(ESCAPED).map(([plain, escaped]) => [escaped, plain]));
const TIMES = /^((?:\d+:)?\d+:\d+[.,]\d+) --> ((?:\d+:)?\d+:\d+[.,]\d+)/;

/** Return a time as `00:01:02,500`, with this point. */
export function clock(time, point = ",") {
  const ms = Math.round(time * 1000);
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":") + point + String(ms % 1000).padStart(3, "0");
}

/** Return the cues of a text in SRT or WebVTT: `{start, end, lines}`. */
export function parse(text) {
  const plain = (line) => line.replace(/<\/?v[^>]*>/g, "").replace(/&(?:amp|lt|gt);/g, (name) => PLAIN[name]);
  const isVtt = text.startsWith("WEBVTT");
  const cues = [];
  for (const line of text.split("\n")) {
    const times = TIMES.exec(line);
    if (times) cues.push({ start: seconds(times[1]), end: seconds(times[2]), lines: [], isOpen: true });
    else if (!line) for (const cue of cues.slice(-1)) cue.isOpen = false;
    else if (cues.at(-1)?.isOpen) cues.at(-1).lines.push(isVtt ? plain(line) : line);
  }
  return cues;
}

/** Return the cues of `Cues` as they are kept in JSON: `{limits, cues: [{start, end, lines: [[place of a word]]}]}`. */
export function storedCues(cues) {
  const lines = (cue) => wordLines(cue).map((words) => words.map(({ index }) => index));
  return { limits: cues.preset, cues: sorted(cues).map((cue) => ({ start: cue.start, end: cue.end, lines: lines(cue) })) };
}

/** Return the cues that `storedCues` has kept; null if there are none, or the transcript has other words now. */
export function readStoredCues({ subtitles, words }) {
  const left = new Set(words);
  const cue = ({ start, end, lines }) => {
    const found = lines.map((line) => line.map((index) => words[index]));
    const all = found.flat();
    if (!all.length || !(start >= 0 && end > start) || !all.every((word) => left.delete(word))) throw new TypeError("other words");
    return { start, end, words: all, breaks: new Set(found.slice(1).map(([word]) => word)) };
  };
  try {
    const cues = subtitles.cues.map(cue);
    return left.size ? null : cues;
  } catch {
    return null;
  }
}

/** Return the cues of `Cues` as SRT. */
export function srt(cues) {
  const block = (cue, index) => `${index + 1}\n${clock(cue.start)} --> ${clock(cue.end)}\n${cues.lines(cue).join("\n")}\n`;
  return sorted(cues).map(block).join("\n");
}

/** Return the cues of `Cues` as WebVTT. */
export function vtt(cues) {
  const escaped = (text) => text.replace(/[&<>]/g, (character) => ESCAPED[character]);
  const block = (cue) => {
    const speaker = cues.speaker(cue);
    const text = (speaker ? `<v ${escaped(speaker)}>` : "") + cues.lines(cue).map(escaped).join("\n");
    return `${clock(cue.start, ".")} --> ${clock(cue.end, ".")}\n${text}\n`;
  };
  return `WEBVTT\n\n${sorted(cues).map(block).join("\n")}`;
}

const sorted = ({ list }) => [...list].sort((one, other) => one.start - other.start);
