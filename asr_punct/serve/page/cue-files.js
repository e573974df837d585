/** Cues as files of subtitles: read what the service makes, and write what the page shows. */

import { wordLines } from "./cues.js";
import { seconds } from "./timing.js";

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const PLAIN = Object.fromEntries(Object.entries(ESCAPED).map(([plain, escaped]) => [escaped, plain]));
const TIMES = /^((?:\d+:)?\d+:\d+[.,]\d+) --> ((?:\d+:)?\d+:\d+[.,]\d+)/;
/** Letters and digits, the same whatever the case. */
const folded = (text) => text.toUpperCase().toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, "");

/** Return a time as `00:01:02,500`, with this point. */
export function clock(time, point = ",") {
  const ms = Math.round(time * 1000);
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":") + point + String(ms % 1000).padStart(3, "0");
}

/** Return the cues of a text in SRT or WebVTT: `{start, end, lines}`. */
function parse(text) {
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

/** Return the words of each channel, in the order of the cues: by time, or if `isKept`, by their place in the file. */
function channels(transcript, isKept) {
  const byChannel = Map.groupBy(transcript.utterances, ({ recording, channel }) => `${recording}/${channel}`);
  return [...byChannel.values()].map((utterances) => {
    let last = 0;
    const timed = utterances.map(({ words }) => [(last = words.find(({ from }) => from !== undefined)?.from ?? last), words]);
    if (!isKept) timed.sort(([one], [other]) => one - other);
    return { words: timed.flatMap(([, words]) => words), next: 0 };
  });
}

/** Take the words of a cue from a channel; null if its next words are others. Words without letters join the last. */
function take(channel, { lines, start, end }) {
  const { words } = channel;
  const cue = { start, end, words: [], breaks: new Set() };
  let index = channel.next;
  for (const [number, line] of lines.entries()) {
    let left = folded(line);
    const first = index;
    while (index < words.length && (left || !folded(words[index].word))) {
      const text = folded(words[index].word);
      if (!left.startsWith(text)) return null;
      left = left.slice(text.length);
      index += 1;
    }
    if (left) return null;
    if (number && index > first) cue.breaks.add(words[first]);
  }
  cue.words = words.slice(channel.next, index);
  channel.next = index;
  return cue;
}

/** Return the cues of a file of subtitles with the words of a transcript; null if they are not its words. */
export function readCues(text, transcript, isKept) {
  const all = channels(transcript, isKept);
  const cues = [];
  for (const each of parse(text)) {
    if (!folded(each.lines.join(""))) continue;
    const cue = all.reduce((found, channel) => found ?? take(channel, each), null);
    if (!cue) return null;
    cues.push(cue);
  }
  return all.every(({ words, next }) => words.slice(next).every(({ word }) => !folded(word))) ? cues : null;
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
