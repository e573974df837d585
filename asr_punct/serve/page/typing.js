/** Marks as people type them: what else changes with a mark, such as the capital of the next word. */

import { OPENERS, OPENING_LANGUAGES, SENTENCE_ENDS, SEPARATORS } from "./tables.js";

const ends = (word) => word.marks.some((mark) => SENTENCE_ENDS.includes(mark));
const bare = (word) => word.word.toLowerCase();

/** Return the words of the sentence that ends with `word`; another document begins another one. */
function sentence(words, word) {
  const { document, recording } = word.utterance;
  let first = word.index;
  while (first > 0) {
    const before = words[first - 1];
    if (ends(before) || before.utterance.document !== document || before.utterance.recording !== recording) break;
    first -= 1;
  }
  return words.slice(first, word.index + 1);
}

/** Whether the word has a capital elsewhere within a sentence. */
function isName(words, word) {
  return words.some((other) =>
    other !== word && other.index > 0 && other.case !== "O" && !ends(words[other.index - 1]) && bare(other) === bare(word));
}

/** Whether the language has ¿ and ¡, or if it is unknown, the text. */
function opensSentences(words, word) {
  const language = word.utterance.language ?? "";
  return language ? language.split("+").some((code) => OPENING_LANGUAGES.includes(code)) : words.some(({ marks }) => marks.includes("OPEN_QUES"));
}

/**
 * Return the labels that change when a mark is typed on a word: `[[word, {marks, case}]]`. A new separator replaces the
 * old one. The word after a sentence gets a capital, and loses it with the period unless it is a name. In Spanish ? and !
 * come and go with their ¿ and ¡.
 */
export function typed(words, word, mark) {
  const changes = new Map();
  const labels = (of) => changes.get(of) ?? { marks: of.marks, case: of.case };
  const setMarks = (of, marks) => changes.set(of, { marks: [...marks].sort(), case: labels(of).case });
  const isRemoved = word.marks.includes(mark);
  const kept = word.marks.filter((each) => each !== mark && !(SEPARATORS.includes(mark) && SEPARATORS.includes(each)));
  const within = sentence(words, word);
  setMarks(word, isRemoved ? kept : [...kept, mark]);
  for (const [closing, opening] of Object.entries(OPENERS)) {
    const opened = within.findLast((each) => each.marks.includes(opening));
    const isClosed = labels(word).marks.includes(closing);
    if (isClosed && !opened && closing === mark && opensSentences(words, word)) {
      setMarks(within[0], [...labels(within[0]).marks, opening]);
    } else if (!isClosed && opened && word.marks.includes(closing)) {
      setMarks(opened, labels(opened).marks.filter((each) => each !== opening));
    }
  }
  const next = words[word.index + 1];
  const endsNow = labels(word).marks.some((each) => SENTENCE_ENDS.includes(each));
  if (next && endsNow !== ends(word)) {
    if (endsNow && next.case === "O") changes.set(next, { marks: labels(next).marks, case: "FIRST_CAP" });
    if (!endsNow && next.case === "FIRST_CAP" && !isName(words, next)) {
      changes.set(next, { marks: labels(next).marks, case: "O" });
    }
  }
  return [...changes];
}
