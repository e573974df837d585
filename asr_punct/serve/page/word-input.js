/** A field in the text where a word is typed again, or words are inserted beside it. */

import { t } from "./i18n.js";

/**
 * Open a field at a word of a tab (`FileTab`). `place` is "" to change the word, `after` or `before` to insert words.
 * Enter and Tab write, Tab also goes on to the next word, Escape gives up.
 */
export function openWordInput(tab, word, place = "") {
  const element = tab.view.elementOf(word);
  const input = document.createElement("input");
  const old = place ? "" : word.written;
  let isOpen = true;
  input.className = "word-input";
  input.value = old;
  input.ariaLabel = t(place ? "insert_words" : "change_word", { word: word.written });
  input.autocapitalize = "off";
  input.spellcheck = false;
  const fit = () => { input.size = Math.max(4, input.value.length + 1); };
  fit();
  element[place === "before" ? "before" : "after"](input);
  element.hidden = !place;

  /** Close the field; returns the word to select. */
  const close = (isWritten) => {
    if (!isOpen) return tab.selected;
    isOpen = false;
    input.remove();
    element.hidden = false;
    const text = input.value.trim();
    if (!isWritten || text === old) return word;
    return place ? tab.transcript.insert(word, text, place === "before") : tab.transcript.retype([[[word], text]]);
  };
  input.addEventListener("input", fit);
  input.addEventListener("blur", () => close(true));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!["Enter", "Tab", "Escape"].includes(event.key) || event.isComposing) return;
    event.preventDefault();
    const last = close(event.key !== "Escape");
    const next = event.key === "Tab" ? tab.view.beside(last, event.shiftKey ? -1 : 1) : null;
    tab.select(next ?? last);
    if (next) openWordInput(tab, next);
  });
  for (const kind of ["click", "dblclick"]) input.addEventListener(kind, (event) => event.stopPropagation());
  input.focus();
  input.select();
}
