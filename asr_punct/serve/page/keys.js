/** Keys of the transcript. */

import { byId } from "./dom.js";
import { CASES, KEYS } from "./marks.js";

/** Return the word that a key goes to from the selected one. */
function target(key, words, index) {
  const steps = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: words.length - 1 };
  return words[steps[key]];
}

/** Handle a key on a word. Returns whether it has a meaning. */
function handle(tab, key) {
  const { selected, transcript } = tab;
  const next = target(key, transcript.words, selected.index);
  const mark = KEYS[key];
  if (next) tab.select(next);
  else if (key === "Enter" || key === " ") tab.player.play(selected);
  else if (key === "Escape") tab.player.audio.pause();
  else if (mark) transcript.typeMark(selected, mark);
  else if (key.toLowerCase() === "c") {
    transcript.setCase(selected, CASES[(CASES.indexOf(selected.case) + 1) % CASES.length]);
  } else return false;
  return true;
}

/** Let the keys of the words work on a tab (`FileTab`). */
export function startKeys(tab) {
  byId("words").addEventListener("keydown", (event) => {
    const word = tab.view.wordOf(event.target);
    const isShortcut = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    if (!word || isShortcut) return;
    if (word !== tab.selected) tab.select(word);
    if (handle(tab, event.key)) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !tab.transcript) return;
    const key = event.shiftKey ? `shift+${event.key.toLowerCase()}` : event.key;
    const action = { z: "undo", y: "redo", "shift+z": "redo" }[key];
    if (!action) return;
    event.preventDefault();
    tab[action]();
  });
}
