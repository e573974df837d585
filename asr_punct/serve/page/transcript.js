/** The words of a file, their marks and cases, and the edits. */

import { addPlayTimes } from "./timing.js";
import { typed } from "./typing.js";

const same = (one, other) => one.case === other.case && one.marks.join() === other.marks.join();

/**
 * The words of a file. Each has the keys of the project's JSON, `index`, `utterance`, the times `from` and `to` to play
 * it, and `restored`, its labels before all edits. `change` events have the word in `detail`.
 */
export class Transcript extends EventTarget {
  #done = [];
  #undone = [];

  /** Whether the file was exported after the last edit. */
  isSaved = false;

  /**
   * @param content the project's JSON
   * @param file the file
   * @param settings the settings with which it was restored
   */
  constructor(content, file, settings) {
    super();
    this.file = file;
    this.settings = settings;
    this.utterances = content.utterances;
    this.words = [];
    for (const utterance of this.utterances) {
      addPlayTimes(utterance.words);
      for (const word of utterance.words) {
        word.index = this.words.length;
        word.utterance = utterance;
        word.restored = { marks: word.marks, case: word.case };
        this.words.push(word);
      }
    }
  }

  /** Labels of all words, as the service expects them. */
  get labels() {
    return this.words.map((word) => ({ marks: word.marks, case: word.case }));
  }

  get hasUnsavedEdits() {
    return !this.isSaved && this.words.some((word) => this.isEdited(word));
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /** Whether the word has other labels than the service gave it. */
  isEdited(word) {
    return !same(word, word.restored);
  }

  /** Return the names of recordings, in order. */
  recordings() {
    return [...new Set(this.utterances.map((utterance) => utterance.recording ?? ""))];
  }

  /** Set or remove a mark, and what changes with it (see `typed`), in one edit. */
  typeMark(word, mark) {
    this.#edit(typed(this.words, word, mark));
  }

  /** Set or remove a mark, and nothing else. */
  toggleMark(word, mark) {
    const marks = word.marks.includes(mark) ? word.marks.filter((each) => each !== mark) : [...word.marks, mark].sort();
    this.#edit([[word, { marks, case: word.case }]]);
  }

  /** Set the case. */
  setCase(word, name) {
    this.#edit([[word, { marks: word.marks, case: name }]]);
  }

  /** Undo the last edit, and return its word. */
  undo() {
    return this.#move(this.#done, this.#undone, "before");
  }

  /** Repeat the last edit that was undone, and return its word. */
  redo() {
    return this.#move(this.#undone, this.#done, "after");
  }

  /** Change the labels of words: `[[word, labels]]`, the first of which is the one that is edited. */
  #edit(changes) {
    const steps = changes
      .map(([word, after]) => ({ word, before: { marks: word.marks, case: word.case }, after }))
      .filter(({ before, after }) => !same(before, after));
    if (!steps.length) return;
    this.#done.push(steps);
    this.#undone = [];
    for (const { word, after } of steps) this.#set(word, after);
  }

  #move(from, to, side) {
    const last = from.pop();
    if (!last) return null;
    to.push(last);
    for (const step of last) this.#set(step.word, step[side]);
    return last[0].word;
  }

  #set(word, labels) {
    Object.assign(word, labels);
    this.isSaved = false;
    this.dispatchEvent(new CustomEvent("change", { detail: word }));
  }
}
