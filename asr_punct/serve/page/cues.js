/** Subtitles of a transcript: cues, which are groups of words with times and line breaks. */

import { Groups } from "./groups.js";

const SHORTEST_S = 0.001;
/** A line may be this much longer, in characters, to break at a mark; twice as much at the end of a sentence. */
const MARK_GAIN = 6;
const DASHES = ["-", "–", "—"];
const rounded = (seconds) => Math.round(seconds * 1000) / 1000;
const lengthOf = (words) => words.reduce((sum, { written }) => sum + written.length + 1, -1);

/** Return the lines of a cue as lists of words. */
export function wordLines({ words, breaks }) {
  const lines = [];
  for (const word of words) {
    if (!lines.length || breaks.has(word)) lines.push([]);
    lines.at(-1).push(word);
  }
  return lines;
}

/** Return where lines break, the first word of each but the first: in the middle, or at a mark near it. */
function balanced(words, characters) {
  if (lengthOf(words) <= characters) return new Set();
  const longest = (index) => Math.max(lengthOf(words.slice(0, index)), lengthOf(words.slice(index)));
  const gain = ({ written }) => (/[.?!…]$/.test(written) ? 2 * MARK_GAIN : /\p{P}$/u.test(written) ? MARK_GAIN : 0);
  const cost = (index) => longest(index) - gain(words[index - 1]);
  const places = words.map((_, index) => index).slice(1);
  const best = places.reduce((one, other) => (cost(other) < cost(one) ? other : one), places[0]);
  return new Set(best === undefined ? [] : [words[best]]);
}

/** The cues `{start, end, words, breaks}` of a transcript, under limits (`PRESETS`). */
export class Cues {
  /** Whether cues are others than those that the service makes of the file. */
  isEdited = false;
  /** The groups that the last edit of words changed (see `Groups.exchange`). */
  changed = null;

  /**
   * @param transcript the transcript
   * @param list the cues
   * @param preset name of the limits, or "" for those of the file
   * @param limits of the preset
   * @param onChange is called with old and new cues when cues take the place of others
   */
  constructor(transcript, list, preset, limits, onChange) {
    this.transcript = transcript;
    this.preset = preset;
    this.limits = limits;
    this.onChange = onChange;
    this.groups = new Groups(list);
  }

  get list() {
    return this.groups.list.filter(({ words }) => words.length);
  }

  of(word) {
    return this.groups.of(word);
  }

  /** Follow an edit of words. */
  exchange(detail) {
    const [old] = detail.removed;
    const heir = detail.added[0] ?? detail.utterance.words[detail.at];
    const cue = old && this.of(old);
    if (heir && cue?.breaks.has(old)) cue.breaks.add(heir); // the line still breaks there
    this.changed = this.groups.exchange(detail);
    this.isEdited = true;
  }

  /** Return the lines of a cue; those of several speakers begin with a dash. */
  lines(cue) {
    const lines = wordLines(cue);
    const speakers = new Set(lines.map(([word]) => this.transcript.speakerOf(word)));
    return lines.map((words) => {
      const text = words.map(({ written }) => written).join(" ");
      return speakers.size > 1 && !DASHES.some((dash) => text.startsWith(dash)) ? this.limits.dash + text : text;
    });
  }

  /** Return the names of those who speak in a cue; "" for words of nobody. */
  speakers({ words }) {
    return [...new Set(words.map((word) => this.transcript.speakerOf(word)))];
  }

  /** Return the speaker of a cue, "" if there are several. */
  speaker(cue) {
    const names = this.speakers(cue);
    return names.length === 1 ? names[0] : "";
  }

  /** Split the cue of a word before it. */
  split(word) {
    const cue = this.of(word);
    const index = cue.words.indexOf(word);
    if (index < 1) return;
    const [before, after] = [cue.words.slice(0, index), cue.words.slice(index)];
    const share = (cue.end - cue.start) * (lengthOf(before) / lengthOf(cue.words));
    const isInside = word.from > cue.start && word.from < cue.end;
    const start = rounded(isInside ? word.from : cue.start + share);
    const spoken = Math.max(before.at(-1).to ?? 0, cue.start + lengthOf(before) / this.limits.speed);
    const end = rounded(Math.max(cue.start + SHORTEST_S, Math.min(start - this.limits.min_gap, spoken)));
    const parts = [{ start: cue.start, end, words: before }, { start, end: Math.max(cue.end, start + SHORTEST_S), words: after }];
    this.#replace([cue], parts.map((part) => ({ ...part, breaks: new Set(cue.breaks) })));
  }

  /** Join the cue of a word and the next one, in new lines. */
  join(word) {
    const cue = this.of(word);
    const next = this.list[this.list.indexOf(cue) + 1];
    if (!next) return;
    const words = [...cue.words, ...next.words];
    const end = Math.max(cue.end, next.end);
    const all = this.groups.list; // those between have lost their words
    this.#replace(all.slice(all.indexOf(cue), all.indexOf(next) + 1), [{ start: cue.start, end, words, breaks: balanced(words, this.limits.characters) }]);
  }

  /** Break the line before a word, or not. */
  toggleBreak(word) {
    const cue = this.of(word);
    const breaks = new Set(cue.breaks);
    if (!breaks.delete(word)) breaks.add(word);
    if (word !== cue.words[0]) this.#replace([cue], [{ ...cue, words: [...cue.words], breaks }]);
  }

  /** Set the times of a cue; it stays at least a moment. */
  setTimes(cue, start, end) {
    const from = rounded(Math.max(0, start));
    const changed = { ...cue, words: [...cue.words], start: from, end: Math.max(rounded(end), from + SHORTEST_S) };
    if (changed.start !== cue.start || changed.end !== cue.end) this.#replace([cue], [changed]);
  }

  #replace(old, added) {
    const put = (from, to) => {
      this.groups.list.splice(this.groups.list.indexOf(from[0]), from.length, ...to);
      for (const cue of to) this.groups.note(cue);
      this.isEdited = true;
      this.onChange(from, to);
      return added.at(-1).words[0];
    };
    this.transcript.run({ apply: () => put(old, added), revert: () => put(added, old) });
  }

  /** Return the cue before another one, or nothing. */
  before(cue) {
    const all = this.groups.list;
    return all.slice(0, all.indexOf(cue)).findLast(({ words }) => words.length);
  }

  /** Return the cues that break a limit. */
  broken() {
    const isTrue = (value) => (Array.isArray(value) ? value.some(Boolean) : value);
    return this.list.filter((cue, index, all) => Object.values(this.problems(cue, all[index - 1])).some(isTrue));
  }

  /** Return what breaks the limits in a cue: `{lines, characters, speed, seconds, gap}`, each true or false. */
  problems(cue, previous = this.before(cue)) {
    const { limits } = this;
    const lines = this.lines(cue);
    const seconds = cue.end - cue.start;
    return {
      lines: lines.length > limits.lines,
      characters: lines.map((line) => line.length > limits.characters),
      speed: this.speed(cue) > limits.speed,
      seconds: seconds < limits.min_seconds - 0.0015 || seconds > limits.max_seconds + 0.0015,
      gap: previous !== undefined && cue.start - previous.end < limits.min_gap - 0.0015,
    };
  }

  /** Return the characters a second, rounded to tenths. */
  speed(cue) {
    return Math.round((10 * this.lines(cue).join(" ").length) / (cue.end - cue.start)) / 10;
  }
}
