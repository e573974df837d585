/** Which words of a transcript are in the cues that the service makes of it. */

import { parse } from "./cue-files.js";

/** Utterances that overlap: their words may take turns, so that a cue goes on with a word of one of so many. */
const OVERLAPPING = 20;
/** Letters and digits, the same whatever the case. */
const folded = (text) => text.toUpperCase().toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, "");

/** The utterances of a channel, in the order of their cues: by time, or if `isKept`, by their place in the file. */
class Channel {
  #rows;
  #first = 0;

  constructor(utterances, isKept) {
    let last = 0;
    const start = (words) => (last = words.find(({ from }) => from !== undefined)?.from ?? last);
    this.#rows = utterances.map(({ words }) => ({ words, next: 0, start: start(words) }));
    if (!isKept) this.#rows.sort((one, other) => one.start - other.start);
  }

  /** Whether no word with letters is left. */
  get isEmpty() {
    return this.#rows.every(({ words, next }) => words.slice(next).every(({ word }) => !folded(word)));
  }

  /** Return the cue with these lines and its next words; null if these are others. Words without letters join the last. */
  take({ lines, start, end }) {
    const rows = this.#open();
    const before = rows.map(({ next }) => next);
    const words = [];
    const firsts = [];
    if (this.#match(lines.map(folded), rows, null, words, firsts)) {
      return { start, end, words, breaks: new Set(firsts.slice(1).map((place) => words[place]).filter(Boolean)) };
    }
    for (const [index, row] of rows.entries()) row.next = before[index];
    return null;
  }

  /** Return the first utterances that have words left. */
  #open() {
    const isDone = ({ words, next }) => next === words.length;
    while (this.#first < this.#rows.length && isDone(this.#rows[this.#first])) this.#first += 1;
    return this.#rows.slice(this.#first, this.#first + OVERLAPPING).filter((row) => !isDone(row));
  }

  /** Add the words of lines to `words`, and their places at which lines begin to `firsts`; return whether they fit. */
  #match([left, ...lines], rows, last, words, firsts, isBegun = false) {
    if (left === undefined) return true;
    if (!isBegun) firsts.push(words.length);
    if (!left) {
      const count = last ? this.#takeBare(last, words) : 0;
      if (this.#match(lines, rows, last, words, firsts)) return true;
      this.#giveBack(last, words, count);
      if (!isBegun) firsts.pop();
      return false;
    }
    for (const row of last ? [last, ...rows.filter((each) => each !== last)] : rows) {
      const count = this.#takeBare(row, words);
      const text = row.next < row.words.length ? folded(row.words[row.next].word) : "";
      if (text && left.startsWith(text)) {
        words.push(row.words[row.next]);
        row.next += 1;
        if (this.#match([left.slice(text.length), ...lines], rows, row, words, firsts, true)) return true;
        this.#giveBack(row, words, 1);
      }
      this.#giveBack(row, words, count);
    }
    if (!isBegun) firsts.pop();
    return false;
  }

  /** Take the next words of an utterance that have no letters, and return their number. */
  #takeBare(row, words) {
    const begin = row.next;
    while (row.next < row.words.length && !folded(row.words[row.next].word)) {
      words.push(row.words[row.next]);
      row.next += 1;
    }
    return row.next - begin;
  }

  #giveBack(row, words, count) {
    if (!count) return;
    words.length -= count;
    row.next -= count;
  }
}

/** Return the cues of a file of subtitles with the words of a transcript; null if they are not its words. */
export function readCues(text, transcript, isKept) {
  const byChannel = Map.groupBy(transcript.utterances, ({ recording, channel }) => `${recording}/${channel}`);
  const channels = [...byChannel.values()].map((utterances) => new Channel(utterances, isKept));
  const cues = [];
  for (const each of parse(text)) {
    if (!folded(each.lines.join(""))) continue;
    const cue = channels.reduce((found, channel) => found ?? channel.take(each), null);
    if (!cue) return null;
    cues.push(cue);
  }
  return channels.every((channel) => channel.isEmpty) ? cues : null;
}
