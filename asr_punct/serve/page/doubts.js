/** Marks that the model is not sure of: how many are left to look at, and the next one. */

import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { report } from "./status.js";
import { MARKS } from "./tables.js";

/** Return the probability that a mark is missing, or that one of a word's is wrong. */
function doubtOf({ probabilities, restored }) {
  if (!probabilities || !restored) return 0;
  const wrong = (mark) => (restored.marks.includes(mark) ? 1 - (probabilities[mark] ?? 1) : probabilities[mark] ?? 0);
  return Math.max(...MARKS.map(wrong));
}

/** The button and the slider. `onNext` is called with a word to select, `onLimit` when other words are doubtful. */
export class Doubts {
  #doubts = new Map();

  constructor(selected, onNext, onLimit) {
    this.selected = selected;
    this.onNext = onNext;
    byId("next-doubt").addEventListener("click", () => this.next());
    byId("doubt-limit").addEventListener("input", () => {
      onLimit();
      this.draw();
    });
    document.addEventListener("uilanguage", () => this.draw());
  }

  /** Show those of a transcript. */
  show(transcript) {
    this.transcript = transcript;
    const all = transcript.words.map((word) => [word, doubtOf(word)]);
    this.#doubts = new Map(all.filter(([, doubt]) => doubt >= byId("doubt-limit").min / 100));
    transcript.addEventListener("edit", () => this.draw());
    this.draw();
  }

  /** Whether a word is left to look at, wherever the slider is. */
  isOpen(word) {
    return this.#doubts.has(word) && !word.isChecked && !this.transcript.isEdited(word);
  }

  /** Whether a word is left to look at. */
  isLeft(word) {
    return this.isOpen(word) && this.#doubts.get(word) >= byId("doubt-limit").value / 100;
  }

  #left() {
    const { words } = this.transcript;
    return [...this.#doubts.keys()].filter((word) => words[word.index] === word && this.isLeft(word));
  }

  draw() {
    if (!this.transcript) return;
    const count = this.#left().length;
    const limit = byId("doubt-limit");
    byId("next-doubt").textContent = t("next_doubt", { count: number(count) });
    byId("next-doubt").disabled = !count;
    limit.ariaValueText = number(limit.value / 100, { style: "percent" });
  }

  /** Note that the selected word is right, if it is doubtful, and go to the next doubtful one, or the previous one. */
  next(step = 1) {
    const word = this.selected();
    if (word) word.isChecked ||= this.isLeft(word);
    const left = this.#left().sort((one, other) => step * (one.index - other.index));
    const index = word?.index ?? -1;
    const next = left.find((each) => step * (each.index - index) > 0) ?? left[0];
    this.draw();
    if (word) this.onNext(word, next);
    else if (next) this.onNext(null, next);
    if (!next) report("no_doubts");
  }
}
