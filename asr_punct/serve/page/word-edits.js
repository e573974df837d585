/** Words that people type in place of others, with times. */

import { draft, labelled } from "./marks.js";
import { BEFORE } from "./tables.js";

const SPEECH_RATE = 15; // characters a second
const SHORTEST_GAP_S = 0.1;
const rounded = (seconds) => Math.round(seconds * 1000) / 1000;

/** Return the place of a word in its utterance. */
export const placeOf = (word) => word.utterance.words.indexOf(word);

/** Return the seconds between a word and the next one, if both times are known. */
export function pauseBetween(word, next) {
  const isKnown = word.end !== undefined && next?.start !== undefined;
  return isKnown ? rounded(Math.max(0, next.start - word.end)) : undefined;
}

/** Return the words of a text with their marks and cases, without times. */
export function typedWords(text, speaker) {
  const common = { restored: null, ...(speaker ? { speaker } : {}) };
  return text.replace(/(\S)\s+–(?=\s|$)/g, "$1–").split(/\s+/).filter(Boolean).map((token) => {
    const word = { ...labelled(token), ...common };
    return { ...word, written: draft(word) };
  });
}

/** Give words the times of `first` to `last`: as they are for one word, else shared by length. */
function spread(words, first, last) {
  const { start } = first;
  const { end } = last;
  const total = words.reduce((sum, { word }) => sum + word.length, 0);
  let passed = 0;
  for (const word of words) {
    const time = (share) => rounded(start + ((end - start) * share) / total);
    if (word === words[0] && start !== undefined) word.start = start;
    else if (start !== undefined && end !== undefined) word.start = time(passed);
    passed += word.word.length;
    if (word === words.at(-1)) {
      if (end !== undefined) word.end = end;
      if (last.pause !== undefined) word.pause = last.pause;
    } else if (start !== undefined && end !== undefined) word.end = time(passed);
  }
}

/** Give words that replace others the marks and the capital of these. */
function keepLabels(words, old) {
  const [first, last] = [words[0], words.at(-1)];
  const marksOf = (word, isBefore) => word.marks.filter((mark) => BEFORE.includes(mark) === isBefore);
  if (first.case === "O" && first.word === first.word.toLowerCase()) first.case = labelled(draft(old[0])).case;
  first.marks = [...new Set([...first.marks, ...marksOf(old[0], true)])].sort();
  last.marks = [...new Set([...last.marks, ...marksOf(old.at(-1), false)])].sort();
  for (const word of words) word.written = draft(word);
}

/** Return the words of a text that is typed in place of neighbours, whose marks and capital it may keep. */
export function wordsInPlaceOf(old, text, keepsLabels) {
  const words = typedWords(text, old[0].speaker);
  if (words.length) spread(words, old[0], old.at(-1));
  if (words.length && keepsLabels) keepLabels(words, old);
  return words;
}

/** Return the word that two neighbours make, with the marks at its ends. */
export function joinedWord(word, next) {
  const [first, last] = [draft({ ...word, marks: word.marks.filter((mark) => BEFORE.includes(mark)) }), draft({
    ...next, marks: next.marks.filter((mark) => !BEFORE.includes(mark)), case: next.case === "FIRST_CAP" ? "O" : next.case,
  })];
  const [joined] = typedWords((first + last).replace(/\s/g, ""), word.speaker);
  spread([joined], word, next);
  return joined;
}

/**
 * Return `[word, words]`: the word, and those of a text that is typed beside it. They are spoken in the pause up to the
 * `neighbour`, or if it is too short, in a part of the word's time.
 */
export function wordsBeside(word, neighbour, text, before) {
  const added = typedWords(text, word.speaker);
  if (!added.length) return [word, added];
  const length = added.reduce((sum, each) => sum + each.word.length, 0);
  const [from, to] = before ? [neighbour?.end, word.start] : [word.end, neighbour?.start];
  const isKnown = (before ? to : from) !== undefined;
  const gap = (to ?? Infinity) - (from ?? 0);
  if (isKnown && gap >= SHORTEST_GAP_S) {
    const seconds = Math.min(gap, length / SPEECH_RATE);
    const times = before ? { start: rounded(to - seconds), end: to } : { start: from, end: rounded(from + seconds) };
    const pause = before ? 0 : pauseBetween(times, neighbour) ?? word.pause;
    spread(added, times, { ...times, pause });
    return [before || word.pause === undefined ? word : { ...word, id: undefined, pause: 0 }, added];
  }
  const kept = { ...word, id: undefined };
  spread(before ? [...added, kept] : [kept, ...added], word, word);
  if (!before) delete kept.pause;
  return [kept, added];
}
