/** The words of a file, their marks and cases, and the edits. */

import { History } from "./history.js";
import { addPlayTimes } from "./timing.js";
import { typed } from "./typing.js";
import { joinedWord, pauseBetween, placeOf, wordsBeside, wordsInPlaceOf } from "./word-edits.js";

/** Return the labels of a word as the service expects them. */
export const labelsOf = ({ marks, case: name, inside }) => ({ marks, case: name, ...(inside ? { inside } : {}) });
const same = (one, other) => one.case === other.case && one.marks.join() === other.marks.join();

/**
 * The words of a file. Each has the keys of the project's JSON, a lasting `id`, its place `index`, its `utterance`, the
 * times `from` and `to` to play it, and `restored`, its labels before all edits; null for a new word. Events: `change`
 * (`detail` is the words whose labels changed), `words` (`detail` is `{utterance, at, removed, added}`), `speakers`, and `edit` after all edits.
 */
export class Transcript extends EventTarget {
  #history = new History();
  #content;
  #ids = 0;

  /** Whether words, their times or speakers are others than those of the file. */
  isRewritten = false;

  /**
   * @param content the project's JSON
   * @param file the file
   * @param settings the settings with which it was restored
   * @param format the format of the file
   */
  constructor(content, file, settings, format) {
    super();
    this.#content = content;
    this.file = file;
    this.settings = settings;
    this.format = format;
    this.utterances = content.utterances;
    this.words = [];
    for (const utterance of this.utterances) {
      addPlayTimes(utterance.words);
      for (const word of utterance.words) {
        word.restored = { marks: word.marks, case: word.case };
        this.#own(word, utterance);
        word.index = this.words.length;
        this.words.push(word);
      }
    }
  }

  /** Labels of all words, as the service expects them. */
  get labels() {
    return this.words.map(labelsOf);
  }

  /** The subtitles in its JSON, as `storedCues` makes them, if it has any. */
  get subtitles() {
    return this.#content.subtitles;
  }

  /** Return the words as a file of the project's JSON, with other `keys` beside them; those that are `isDoubtful` stay so. */
  jsonFile(keys = {}, isDoubtful = () => false) {
    const keptWord = (all) => {
      const { id, index, utterance, from, to, restored, probabilities, isChecked, ...word } = all;
      return isDoubtful(all) ? { ...word, probabilities } : word;
    };
    const utterances = this.utterances.map((each) => ({ ...each, words: each.words.map(keptWord) }));
    return new File([JSON.stringify({ ...this.#content, ...keys, utterances })], `${this.file.name.replace(/\.[^.]*$/, "")}.json`);
  }

  get hasUnsavedEdits() {
    return this.#history.isUnsaved;
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /** Note that the file was exported. */
  save() {
    this.#history.save();
  }

  /** Whether the word is new, or has other labels than the service gave it. */
  isEdited(word) {
    return !word.restored || !same(word, word.restored);
  }

  /** Return the names of recordings, in order. */
  recordings() {
    return [...new Set(this.utterances.map((utterance) => utterance.recording ?? ""))];
  }

  speakerOf(word) {
    return word.speaker || word.utterance.speaker || "";
  }

  /** Set or remove a mark, and what changes with it (see `typed`), in one edit. */
  typeMark(word, mark) {
    this.#label(typed(this.words, word, mark));
  }

  /** Set or remove a mark, and nothing else. */
  toggleMark(word, mark) {
    const marks = word.marks.includes(mark) ? word.marks.filter((each) => each !== mark) : [...word.marks, mark].sort();
    this.#label([[word, { marks, case: word.case }]]);
  }

  /** Set the case. */
  setCase(word, name) {
    this.#label([[word, { marks: word.marks, case: name }]]);
  }

  /**
   * Write texts in place of neighbours in an utterance, `[[words, text, keepsLabels]]`, in one edit; "" deletes words.
   * Returns the word to select.
   */
  retype(texts) {
    return this.#replace(texts.map(([words, text, keepsLabels]) => [words, wordsInPlaceOf(words, text, keepsLabels)]));
  }

  /** Insert a text after a word, or `before` it. Returns the word to select. */
  insert(word, text, before = false) {
    const neighbour = word.utterance.words[placeOf(word) + (before ? -1 : 1)];
    const [kept, added] = wordsBeside(word, neighbour, text, before);
    if (!added.length) return word;
    this.#replace([[[word], before ? [...added, kept] : [kept, ...added]]]);
    return added[0];
  }

  /** Join a word and the next one of its utterance, if there is one. Returns the word to select. */
  join(word) {
    const next = word.utterance.words[placeOf(word) + 1];
    return next ? this.#replace([[[word, next], [joinedWord(word, next)]]]) : word;
  }

  /** Give all words of a speaker another name. */
  renameSpeaker(name, newName) {
    this.#setSpeaker([...this.utterances, ...this.words].filter((each) => each.speaker === name), newName);
  }

  /** Let somebody else speak from a word on, to the end of the turn in its utterance. */
  setSpeaker(word, name) {
    const rest = word.utterance.words.slice(placeOf(word));
    const end = rest.findIndex((each) => this.speakerOf(each) !== this.speakerOf(word));
    this.#setSpeaker(end < 0 ? rest : rest.slice(0, end), name);
  }

  #setSpeaker(owners, name) {
    const old = owners.map(({ speaker }) => speaker);
    const set = (names) => {
      for (const [index, owner] of owners.entries()) owner.speaker = names[index];
      this.isRewritten = true;
      this.dispatchEvent(new Event("speakers"));
    };
    this.run({ apply: () => set(owners.map(() => name)), revert: () => set(old) });
  }

  /** Do an edit of this transcript that can be undone (see `History`), and return its word. */
  run(edit) {
    return this.#edited(this.#history.run(edit));
  }

  /** Undo the last edit, and return its word. */
  undo() {
    return this.#edited(this.#history.undo());
  }

  /** Repeat the last edit that was undone, and return its word. */
  redo() {
    return this.#edited(this.#history.redo());
  }

  #edited(word) {
    this.dispatchEvent(new Event("edit"));
    return word;
  }

  #own(word, utterance) {
    word.id = this.#ids;
    this.#ids += 1;
    word.utterance = utterance;
  }

  /** Change the labels of words: `[[word, labels]]`, the first of which is the one that is edited. */
  #label(changes) {
    const steps = changes
      .map(([word, after]) => ({ word, before: { marks: word.marks, case: word.case }, after }))
      .filter(({ before, after }) => !same(before, after));
    if (!steps.length) return;
    const set = (side) => {
      for (const step of steps) Object.assign(step.word, step[side]);
      this.dispatchEvent(new CustomEvent("change", { detail: steps.map(({ word }) => word) }));
      return steps[0].word;
    };
    this.run({ apply: () => set("after"), revert: () => set("before") });
  }

  /** Put words in the place of others: `[[[old word], [new word]]]`. Returns the word to select. */
  #replace(replacements) {
    const removed = replacements.reduce((count, [old, added]) => count + old.length - added.length, 0);
    if (!replacements.length || removed >= this.words.length) return replacements[0]?.[0][0]; // one word stays
    const edits = replacements.map(([old, added]) => this.#splice(old, added));
    const all = (list, action) => list.map((edit) => edit[action]())[0];
    return this.run({ apply: () => all(edits, "apply"), revert: () => all([...edits].reverse(), "revert") });
  }

  /** Return an edit that puts `added` in the place of `removed`, neighbours in an utterance. */
  #splice(removed, added) {
    const { utterance } = removed[0];
    for (const word of added) if (word.id === undefined) this.#own(word, utterance);
    let at, index, before, pause; // those of the first time stay true: edits are undone in their order
    return {
      apply: () => {
        at = placeOf(removed[0]);
        index = removed[0].index;
        before = utterance.words[at - 1];
        pause = before?.pause;
        this.#exchange(utterance, at, index, removed, added);
        if (!added.length && before) before.pause = pauseBetween(before, utterance.words[at]) ?? pause;
        return added[0] ?? this.words[Math.min(index, this.words.length - 1)];
      },
      revert: () => {
        if (before) before.pause = pause;
        this.#exchange(utterance, at, index, added, removed);
        return removed[0];
      },
    };
  }

  #exchange(utterance, at, index, removed, added) {
    utterance.words.splice(at, removed.length, ...added);
    this.words.splice(index, removed.length, ...added);
    for (let next = index; next < this.words.length; next += 1) this.words[next].index = next;
    addPlayTimes(utterance.words);
    this.isRewritten = true;
    this.dispatchEvent(new CustomEvent("words", { detail: { utterance, at, removed, added } }));
  }
}
