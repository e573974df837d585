/** The transcript as text: words, marks shaded by confidence, and pauses to scale. */

import { number } from "./i18n.js";
import { split } from "./marks.js";
import { clockText } from "./timing.js";

const REM_PER_SECOND = 2.5;
/** Shorter pauses are not drawn, longer ones than `LONGEST_S` are cut. */
const SHORTEST_S = 0.1;
const LONGEST_S = 4;
const PARAGRAPH_PAUSE_S = 1;
const PARAGRAPH_WORDS = 100;
const SENTENCE_ENDS = ["PERIOD", "QUESTION", "EXCLAMATION"];

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

/** Return groups of words: utterances, cut at long pauses after sentences. */
function paragraphs(utterance) {
  const result = [[]];
  for (const word of utterance.words) {
    result.at(-1).push(word);
    const ends = word.marks.some((mark) => SENTENCE_ENDS.includes(mark));
    if (ends && (word.pause >= PARAGRAPH_PAUSE_S || result.at(-1).length >= PARAGRAPH_WORDS)) result.push([]);
  }
  return result.filter((words) => words.length);
}

/** The element `#words`. Its words are buttons; `wordOf` finds the word of an element. */
export class WordsView {
  #elements = [];

  constructor(root) {
    this.root = root;
  }

  /** Show a transcript. */
  show(transcript) {
    this.transcript = transcript;
    this.#elements = [];
    const blocks = transcript.utterances.flatMap((utterance) =>
      paragraphs(utterance).map((words, index) => this.#paragraph(words, index ? "" : utterance.speaker)));
    this.root.replaceChildren(...blocks);
    if (this.#elements.length) this.#elements[0].tabIndex = 0;
  }

  #paragraph(words, speaker) {
    const paragraph = document.createElement("p");
    const time = words[0].from;
    if (speaker || time !== undefined) {
      const place = document.createElement("span");
      place.className = "place";
      place.textContent = [speaker, time === undefined ? "" : clockText(time)].filter(Boolean).join(" · ");
      paragraph.append(place);
    }
    for (const word of words) {
      paragraph.append(this.#word(word));
      if (word.pause >= SHORTEST_S) paragraph.append(pauseElement(word.pause));
      paragraph.append(" ");
    }
    return paragraph;
  }

  #word(word) {
    const element = document.createElement("span");
    element.className = "w";
    element.role = "button";
    element.tabIndex = -1;
    element.ariaPressed = "false";
    element.dataset.index = word.index;
    this.#elements[word.index] = element;
    element.append(...parts(word, this.transcript.isEdited(word)));
    return element;
  }

  /** Draw a word again. */
  update(word) {
    const element = this.#elements[word.index];
    const isEdited = this.transcript.isEdited(word);
    element.classList.toggle("edited", isEdited);
    element.replaceChildren(...parts(word, isEdited));
  }

  elementOf(word) {
    return this.#elements[word.index];
  }

  wordOf(element) {
    return this.transcript?.words[element.closest(".w")?.dataset.index];
  }
}

/** Draw the examples of the legend. */
export function drawLegend(legend) {
  for (const mark of legend.querySelectorAll("[data-doubt]")) shade(mark, mark.dataset.doubt);
  for (const pause of legend.querySelectorAll("[data-seconds]")) drawPause(pause, pause.dataset.seconds);
}
