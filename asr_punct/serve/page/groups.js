/** Words in groups, paragraphs or cues: `{words}`; a group keeps its words in order when words are edited. */
export class Groups {
  #groupOf = new WeakMap();

  constructor(list) {
    this.list = list;
    for (const group of list) this.note(group);
  }

  /** Note which words a new group has. */
  note(group) {
    for (const word of group.words) this.#groupOf.set(word, group);
  }

  of(word) {
    return this.#groupOf.get(word);
  }

  /**
   * Put new words, the detail of a `words` event, in the place of others. A word that comes back goes to its old group.
   * Returns the groups that changed; null if there is none for a word.
   */
  exchange({ utterance, at, removed, added }) {
    const changed = new Set();
    for (const word of removed) {
      const group = this.of(word);
      if (!group) return null;
      group.words.splice(group.words.indexOf(word), 1);
      changed.add(group);
    }
    const beside = removed[0] ?? utterance.words[at - 1] ?? utterance.words[at + added.length];
    for (const word of added) {
      const group = this.#groupOf.get(word) ?? this.#groupOf.get(beside);
      if (!group) return null;
      const next = group.words.findIndex((other) => other.index > word.index);
      group.words.splice(next < 0 ? group.words.length : next, 0, word);
      this.#groupOf.set(word, group);
      changed.add(group);
    }
    return changed;
  }
}
