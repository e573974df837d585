/** Times of words. */

/** Length of a word if nothing limits it. */
const GUESSED_S = 0.3;

/** Set `from` and `to` of words of which only the first has a start; `next` is the start of the word after them. */
function spread(words, next) {
  const { start } = words[0];
  const end = words.at(-1).end ?? next ?? start + GUESSED_S * words.length;
  const step = Math.max(0, end - start) / words.length;
  for (const [index, word] of words.entries()) {
    word.from = start + index * step;
    word.to = word.end ?? word.from + step;
  }
}

/**
 * Give the words of an utterance the times to play them, `from` and `to`: their own, or times between those of their
 * neighbours where only segments or cues have times. Words before the first known start get none.
 */
export function addPlayTimes(words) {
  let run = [];
  for (const word of words) {
    if (word.start !== undefined) {
      if (run.length) spread(run, word.start);
      run = [word];
    } else if (run.length) run.push(word);
  }
  if (run.length) spread(run);
}

/** Return the words that have times, by the time at which they begin. */
export function inTime(words) {
  return words.filter((word) => word.from !== undefined).sort((one, other) => one.from - other.from);
}

/** Return a time as `1:02:03` or `2:03`. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  if (whole >= 3600) parts.unshift(Math.floor(whole / 3600));
  return parts.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}

/** Return the seconds of `1:02.5`, with a point or a comma; NaN if it is no time. */
export function seconds(text) {
  const parts = text.trim().replace(",", ".").split(":");
  return parts.every((part) => /^\d+(\.\d*)?$/.test(part)) ? parts.reduce((sum, part) => sum * 60 + Number(part), 0) : NaN;
}
