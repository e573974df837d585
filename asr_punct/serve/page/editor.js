/** The bar that edits the marks and case of one word. */

import { written } from "./api.js";
import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { draft } from "./marks.js";
import { reportError } from "./status.js";
import { BEFORE, CASES, GLYPHS, MARKS } from "./tables.js";
import { labelsOf } from "./transcript.js";

const CASE_TEXTS = { O: "abc", FIRST_CAP: "Abc", ALL_CAPS: "ABC" };

/** Shows the word that is selected. */
export class Editor {
  #buttons = [];
  #writing = new Set();
  #transcript = null;
  #word = null;

  /** Name of the model for texts of unknown language. */
  defaultModel = "";

  constructor() {
    this.#group("marks-before", BEFORE, (mark) => this.#transcript.toggleMark(this.#word, mark));
    const after = MARKS.filter((mark) => !BEFORE.includes(mark)); // the usual ones first
    this.#group("marks-after", after, (mark) => this.#transcript.toggleMark(this.#word, mark));
    this.#group("cases", CASES, (name) => this.#transcript.setCase(this.#word, name));
    document.addEventListener("uilanguage", () => this.#draw());
  }

  /** Edit the words of a transcript; `onWritten` is called with the words whose written form is new. */
  edit(transcript, onWritten) {
    this.#transcript = transcript;
    this.select(null);
    const written = (words) => {
      onWritten(words);
      if (words.includes(this.#word)) this.#draw();
    };
    const write = async (words) => {
      for (const word of words) word.written = draft(word);
      written(words);
      const request = this.#write(words).catch(reportError);
      this.#writing.add(request);
      await request;
      this.#writing.delete(request);
      written(words);
    };
    transcript.addEventListener("change", ({ detail }) => write(detail));
    transcript.addEventListener("words", ({ detail }) => write(detail.added));
  }

  /** Wait until the service has written all words that were edited. */
  async settled() {
    while (this.#writing.size) await Promise.all(this.#writing);
  }

  /** Show a word, or nothing. */
  select(word) {
    this.#word = word;
    byId("editor").hidden = !word;
    this.#draw();
  }

  /** Let the service write words, by the rules of their language; the last edit counts. */
  async #write(words) {
    const { settings } = this.#transcript;
    const languageOf = (word) => word.utterance.language || settings.language;
    for (const [code, group] of Map.groupBy(words, languageOf)) {
      const labels = group.map(labelsOf);
      const model = settings.model || (code ? "" : this.defaultModel);
      const texts = await written(group.map(({ word }) => word), labels, { language: code, model });
      for (const [index, word] of group.entries()) {
        if (word.marks === labels[index].marks && word.case === labels[index].case) word.written = texts[index];
      }
    }
  }

  #group(id, names, onClick) {
    for (const name of names) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = CASE_TEXTS[name] ?? GLYPHS[name];
      button.addEventListener("click", () => onClick(name));
      byId(id).append(button);
      this.#buttons.push([name, button]);
    }
  }

  #draw() {
    const word = this.#word;
    if (!word) return;
    byId("edited-word").textContent = word.written;
    for (const [name, button] of this.#buttons) {
      const isCase = name in CASE_TEXTS;
      button.ariaPressed = String(isCase ? word.case === name : word.marks.includes(name));
      const probability = word.probabilities?.[name];
      const label = t(isCase ? `case_${name}` : name);
      button.title = probability === undefined ? label : `${label} (${number(probability, { style: "percent" })})`;
      button.ariaLabel = button.title;
    }
  }
}
