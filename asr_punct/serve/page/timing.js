/** Times of words. */

const GUESSED_S = 0.3;

/**
 * Give the words of an utterance the times to play them: `from` and `to`. These are their own, or between those of their
 * neighbours where only segments or cues have times. Words before the first known time get none.
 */
export function addPlayTimes(words) {
  let first = words.findIndex((word) => word.start !== undefined);
  while (first >= 0 && first < words.length) {
    const next = words.findIndex((word, index) => index > first && word.start !== undefined);
    const run = words.slice(first, next < 0 ? words.length : next);
    const { start } = run[0];
    const end = run.at(-1).end ?? words[next]?.start ?? start + GUESSED_S * run.length;
    const step = Math.max(0, end - start) / run.length;
    for (const [index, word] of run.entries()) {
      word.from = start + index * step;
      word.to = word.end ?? word.from + step;
    }
    first = next;
  }
}

/** Return the words that have times, by the time at which they begin. */
export function inTime(words) {
  return words.filter((word) => word.from !== undefined).sort((one, other) => one.from - other.from);
}

/** Return the number of ordered words that begin at a time or before it. */
export function countBegun(words, seconds) {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle].from <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return a time as `1:02:03` or `2:03`. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  if (whole >= 3600) parts.unshift(Math.floor(whole / 3600));
  return parts.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}
