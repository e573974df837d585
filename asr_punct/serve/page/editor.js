/** The bar that edits the marks and case of one word. */

import { written } from "./api.js";
import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { AFTER, BEFORE, CASES, GLYPHS, draft } from "./marks.js";
import { reportError } from "./status.js";

const CASE_TEXTS = { O: "abc", FIRST_CAP: "Abc", ALL_CAPS: "ABC" };

/** Shows the word that is selected. */
export class Editor {
  #buttons = [];
  #transcript = null;
  #word = null;

  /** Name of the model for texts of unknown language. */
  defaultModel = "";

  constructor() {
    this.#group("marks-before", BEFORE, (mark) => this.#transcript.toggleMark(this.#word, mark));
    this.#group("marks-after", AFTER, (mark) => this.#transcript.toggleMark(this.#word, mark));
    this.#group("cases", CASES, (name) => this.#transcript.setCase(this.#word, name));
    document.addEventListener("uilanguage", () => this.#draw());
  }

  /** Edit the words of a transcript; `onWritten` is called with each word whose written form is new. */
  edit(transcript, onWritten) {
    this.#transcript = transcript;
    this.select(null);
    transcript.addEventListener("change", async ({ detail: word }) => {
      word.written = draft(word);
      if (word === this.#word) this.#draw();
      onWritten(word);
      await this.#write(word).catch(reportError);
      if (word === this.#word) this.#draw();
      onWritten(word);
    });
  }

  /** Show a word, or nothing. */
  select(word) {
    this.#word = word;
    byId("editor").hidden = !word;
    this.#draw();
  }

  /** Let the service write a word, by the rules of its language; the last edit counts. */
  async #write(word) {
    const labels = { marks: word.marks, case: word.case };
    const { language, model } = this.#transcript.settings;
    const code = word.utterance.language || language;
    const text = await written(word.word, labels, { language: code, model: model || (code ? "" : this.defaultModel) });
    if (word.marks === labels.marks && word.case === labels.case) word.written = text;
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
