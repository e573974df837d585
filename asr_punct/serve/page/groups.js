/** Return the place of a word in a group: beside the words of its utterance, which may take turns with others. */
function placeIn({ words }, word) {
  const last = words.findLastIndex((other) => other.utterance === word.utterance && other.index < word.index);
  if (last >= 0) return last + 1;
  const next = words.findIndex((other) => other.index > word.index);
  return next < 0 ? words.length : next;
}

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
    const places = new Map(); // by group: where its words were
    for (const word of removed) {
      const group = this.of(word);
      if (!group) return null;
      const place = group.words.indexOf(word);
      group.words.splice(place, 1);
      if (!places.has(group)) places.set(group, place);
      changed.add(group);
    }
    const beside = removed[0] ?? utterance.words[at - 1] ?? utterance.words[at + added.length];
    for (const word of added) {
      const group = this.#groupOf.get(word) ?? this.#groupOf.get(beside);
      if (!group) return null;
      const place = places.get(group) ?? placeIn(group, word);
      group.words.splice(place, 0, word);
      places.set(group, place + 1);
      this.#groupOf.set(word, group);
      changed.add(group);
    }
    return changed;
  }
}
