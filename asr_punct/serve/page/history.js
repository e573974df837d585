/** Edits that can be undone: `{apply, revert}`, functions that return the word to select afterwards, or nothing. */
export class History {
  #done = [];
  #undone = [];
  #saved;

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /** Whether there are edits since the last call of `save`. */
  get isUnsaved() {
    return this.#done.at(-1) !== this.#saved;
  }

  save() {
    this.#saved = this.#done.at(-1);
  }

  /** Do an edit, and return its word. */
  run(edit) {
    const word = edit.apply();
    this.#done.push(edit);
    this.#undone = [];
    return word;
  }

  /** Undo the last edit, and return its word, if it has one. */
  undo() {
    return this.#move(this.#done, this.#undone, "revert");
  }

  /** Repeat the last edit that was undone, and return its word, if it has one. */
  redo() {
    return this.#move(this.#undone, this.#done, "apply");
  }

  #move(from, to, action) {
    const edit = from.pop();
    if (!edit) return null;
    to.push(edit);
    return edit[action]();
  }
}
