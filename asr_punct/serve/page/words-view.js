/** The transcript as text: words, marks shaded by confidence, and pauses to scale. */

import { number } from "./i18n.js";
import { split } from "./marks.js";

const REM_PER_SECOND = 2.5;
/** Shorter pauses are not drawn, longer ones than `LONGEST_S` are cut. */
const SHORTEST_S = 0.1;
const LONGEST_S = 4;

/** Draw a pause whose width is its length; a longer one than `LONGEST_S` is dashed. */
function drawPause(element, seconds) {
  element.style.width = `${Math.min(seconds, LONGEST_S) * REM_PER_SECOND}rem`;
  element.classList.toggle("long", seconds > LONGEST_S);
}

/** Shade a mark by its probability of being wrong, from 0 to 1. */
function shade(element, doubt) {
  element.style.setProperty("--doubt", doubt);
}

function pauseElement(seconds) {
  const pause = document.createElement("span");
  pause.className = "pause";
  pause.ariaHidden = "true";
  pause.title = `${number(seconds, { maximumFractionDigits: 2 })} s`;
  drawPause(pause, seconds);
  return pause;
}

/** Return the parts of a word's element. */
function parts(word, isEdited) {
  return split(word.word, word.written).map(({ text, mark }) => {
    if (mark === null) return document.createTextNode(text);
    const element = document.createElement("span");
    element.className = mark === "DASH" ? "m dash" : "m";
    element.textContent = text;
    const probability = isEdited ? undefined : word.probabilities?.[mark];
    if (probability !== undefined) shade(element, 1 - probability);
    return element;
  });
}

/** The element `#words`. Its words are buttons; `wordOf` finds the word of an element. */
export class WordsView {
  #elements = []; // by the ids of words
  #words = new WeakMap();
  #blocks = new Map(); // by groups

  /** `isDoubtful` is a function of a word. */
  constructor(root, isDoubtful) {
    this.root = root;
    this.isDoubtful = isDoubtful;
  }

  /** Show a transcript in a layout: `Paragraphs` or `CueLayout`. */
  show(transcript, layout) {
    this.transcript = transcript;
    this.layout = layout;
    this.#elements = [];
    this.#blocks = new Map(layout.groups.list.map((group) => [group, document.createElement("p")]));
    for (const group of this.#blocks.keys()) this.draw(group);
    this.root.dataset.layout = layout.name;
    this.root.replaceChildren(...this.#blocks.values());
  }

  /** Draw the words again that came with a `words` event. */
  exchange(detail) {
    const changed = this.layout.exchange(detail);
    if (changed) for (const group of changed) this.draw(group);
    else this.show(this.transcript, this.layout.again());
  }

  /** Put new groups in the place of others. */
  exchangeGroups(old, added) {
    const first = this.#blocks.get(old[0]);
    for (const group of added) {
      const block = document.createElement("p");
      this.#blocks.set(group, block);
      first.before(block);
    }
    for (const group of old) {
      this.#blocks.get(group).remove();
      this.#blocks.delete(group);
    }
    const next = this.layout.groups.list[this.layout.groups.list.indexOf(added.at(-1)) + 1];
    for (const group of next ? [...added, next] : added) this.draw(group);
  }

  /** Draw a group again. */
  draw(group) {
    const block = this.#blocks.get(group);
    block.hidden = !group.words.length;
    if (block.hidden) return;
    const head = this.layout.head(group);
    block.replaceChildren(...(head ? [head] : []), ...group.words.flatMap((word) => this.#word(word, group)));
  }

  #word(word, group) {
    const element = document.createElement("span");
    element.className = "w";
    element.role = "button";
    element.tabIndex = word.index ? -1 : 0;
    element.ariaPressed = "false";
    element.dataset.id = word.id;
    this.#elements[word.id] = element;
    this.#words.set(element, word);
    this.#draw(word);
    const pause = word.pause >= SHORTEST_S ? [pauseElement(word.pause)] : [];
    const before = this.layout.startsLine(word, group) ? [document.createElement("br")] : [];
    return [...before, element, ...pause, " "];
  }

  #draw(word) {
    const element = this.#elements[word.id];
    const isEdited = this.transcript.isEdited(word);
    element.classList.toggle("edited", isEdited);
    element.classList.toggle("doubtful", this.isDoubtful(word));
    element.replaceChildren(...parts(word, isEdited));
  }

  /** Draw words again. */
  update(words) {
    for (const word of words) if (this.#elements[word.id]) this.#draw(word);
    if (!this.layout.hasStats) return;
    for (const group of new Set(words.map((word) => this.layout.groups.of(word)))) {
      this.#blocks.get(group)?.firstChild?.replaceWith(this.layout.head(group));
    }
  }

  /** Return the word that is shown after another one, or with -1 before it. */
  beside(word, step) {
    const { list } = this.layout.groups;
    const group = this.layout.groups.of(word);
    const next = group.words[group.words.indexOf(word) + step];
    const others = step > 0 ? list.slice(list.indexOf(group) + 1) : list.slice(0, list.indexOf(group)).reverse();
    return next ?? others.find(({ words }) => words.length)?.words.at(step > 0 ? 0 : -1);
  }

  elementOf(word) {
    return this.#elements[word.id];
  }

  wordOf(element) {
    return this.#words.get(element.closest(".w"));
  }
}

/** Draw the examples of the legend. */
export function drawLegend(legend) {
  for (const mark of legend.querySelectorAll("[data-doubt]")) shade(mark, mark.dataset.doubt);
  for (const pause of legend.querySelectorAll("[data-seconds]")) drawPause(pause, pause.dataset.seconds);
}
