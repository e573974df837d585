/** Keys of the transcript. */

import { byId } from "./dom.js";
import { KEYS } from "./marks.js";
import { CASES } from "./tables.js";
import { currentTab } from "./tabs.js";
import { FIELDS } from "./transport.js";
import { openWordInput } from "./word-input.js";

const ACTIONS = {
  ArrowRight: (tab) => tab.step(1),
  ArrowLeft: (tab) => tab.step(-1),
  Home: (tab) => tab.select(tab.transcript.words[0]),
  End: (tab) => tab.select(tab.transcript.words.at(-1)),
  Enter: (tab) => tab.player.play(tab.selected),
  Escape: (tab) => tab.player.audio.pause(),
  F2: (tab) => openWordInput(tab, tab.selected),
  Insert: (tab) => openWordInput(tab, tab.selected, "after"),
  "shift+insert": (tab) => openWordInput(tab, tab.selected, "before"),
  i: (tab) => openWordInput(tab, tab.selected, "after"),
  "shift+i": (tab) => openWordInput(tab, tab.selected, "before"),
  Delete: (tab) => tab.select(tab.transcript.retype([[[tab.selected], ""]])),
  Backspace: (tab) => tab.select(tab.transcript.retype([[[tab.selected], ""]])),
  j: (tab) => tab.select(tab.transcript.join(tab.selected)),
  c: ({ transcript, selected }) =>
    transcript.setCase(selected, CASES[(CASES.indexOf(selected.case) + 1) % CASES.length]),
  k: (tab) => tab.openSpeaker(),
  "shift+arrowright": (tab) => tab.cueTools.moveEnd(1),
  "shift+arrowleft": (tab) => tab.cueTools.moveEnd(-1),
  s: (tab) => tab.cueTools.edit("split"),
  m: (tab) => tab.cueTools.edit("join"),
  b: (tab) => tab.cueTools.edit("toggleBreak"),
  t: (tab) => tab.cueTools.openTimes(),
  p: (tab) => tab.cueTools.nextProblem(),
  "shift+p": (tab) => tab.cueTools.nextProblem(-1),
  n: (tab) => tab.doubts.next(),
  "shift+n": (tab) => tab.doubts.next(-1),
  l: (tab) => tab.transport.loop(),
  "<": (tab) => tab.transport.changeSpeed(-1),
  ">": (tab) => tab.transport.changeSpeed(1),
};
const SHORTCUTS = { z: "undo", y: "redo", "shift+z": "redo", h: "openSearch" };

/** Return what a key does on a word: a function of the tab. */
function action({ key, shiftKey }) {
  const mark = KEYS[key];
  if (mark) return ({ transcript, selected }) => transcript.typeMark(selected, mark);
  const lower = key.toLowerCase();
  return (shiftKey && ACTIONS[`shift+${lower}`]) || ACTIONS[key] || ACTIONS[lower];
}

/** Let the keys of the words work on a tab (`FileTab`). */
export function startKeys(tab) {
  byId("words").addEventListener("keydown", (event) => {
    const word = tab.view.wordOf(event.target);
    const isShortcut = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    const act = word && !isShortcut && action(event);
    if (!act) return;
    if (word !== tab.selected) tab.select(word);
    act(tab);
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => { // before a word has the focus
    const isFree = !event.target.closest?.(`#words, ${FIELDS}`) && tab.transcript && currentTab() === "tab-file";
    if (!isFree || event.ctrlKey || event.metaKey || event.altKey || !/^[np]$/i.test(event.key)) return;
    action(event)(tab);
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("button[data-key]")) {
    button.title = button.dataset.key;
    button.addEventListener("click", () => ACTIONS[button.dataset.key](tab));
  }
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !tab.transcript) return;
    const key = event.shiftKey ? `shift+${event.key.toLowerCase()}` : event.key;
    const name = SHORTCUTS[key];
    if (!name || (name !== "openSearch" && event.target.matches?.("input[type=text], input:not([type])"))) return;
    event.preventDefault();
    tab[name]();
  });
}
