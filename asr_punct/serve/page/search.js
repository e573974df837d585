/** Search and replace: whole words, whatever their marks and capitals, which stay. */

import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { labelled } from "./marks.js";
import { report } from "./status.js";

const folded = (text) => text.toLowerCase();
/** Return the forms of each word that is typed: without marks, and as it is, because `etc.` has a period of its own. */
const tokens = (text) => text.split(/\s+/).filter(Boolean).map((token) => [folded(labelled(token).word), folded(token)]);

/** The row of fields; it works on a tab (`FileTab`). */
export class Search {
  constructor(tab) {
    this.tab = tab;
    byId("open-search").addEventListener("click", () => (byId("search").hidden ? this.open() : this.close()));
    byId("find").addEventListener("input", () => this.#draw());
    byId("find-next").addEventListener("click", () => this.next());
    byId("replace-one").addEventListener("click", () => this.replace());
    byId("replace-all").addEventListener("click", () => this.replaceAll());
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      if (event.key === "Enter" && event.target.matches("input")) {
        event.preventDefault();
        if (event.target.id === "replacement") this.replace();
        else this.next();
      }
    });
  }

  open() {
    byId("search").hidden = false;
    byId("open-search").ariaExpanded = "true";
    byId("find").focus();
    byId("find").select();
    this.#draw();
  }

  close() {
    byId("search").hidden = true;
    byId("open-search").ariaExpanded = "false";
    if (this.tab.selected) this.tab.select(this.tab.selected);
    else byId("open-search").focus();
  }

  /** Count again, for another transcript. */
  clear() {
    this.tab.transcript.addEventListener("edit", () => this.#draw());
    this.#draw();
  }

  /** Return the places that are found: neighbours in an utterance. */
  #found() {
    const sought = tokens(byId("find").value);
    const { words } = this.tab.transcript;
    const found = [];
    if (!sought.length) return found;
    for (let index = 0; index + sought.length <= words.length; index += 1) {
      const here = words.slice(index, index + sought.length);
      const isHere = here.every((word, each) => sought[each].includes(folded(word.word)) && word.utterance === here[0].utterance);
      if (!isHere) continue;
      found.push(here);
      index += sought.length - 1;
    }
    return found;
  }

  #draw() {
    if (byId("search").hidden || !this.tab.transcript) return;
    const count = this.#found().length;
    byId("found").textContent = byId("find").value.trim() ? t("found", { count: number(count) }) : "";
    for (const id of ["find-next", "replace-one", "replace-all"]) byId(id).disabled = !count;
  }

  /** Select the next place after the selected word; the focus stays. */
  next() {
    const focused = document.activeElement;
    const found = this.#found();
    const index = this.tab.selected?.index ?? -1;
    const next = found.find(([word]) => word.index > index) ?? found[0];
    if (next) this.tab.select(next[0]);
    focused.focus();
  }

  /** Replace the place that is selected, if there is one, and go to the next. */
  replace() {
    const here = this.#found().find(([word]) => word === this.tab.selected);
    if (here) this.#write([here]);
    this.next();
  }

  replaceAll() {
    const found = this.#found();
    this.#write(found);
    report("replaced", { count: () => number(found.length) });
  }

  #write(places) {
    const focused = document.activeElement;
    const text = byId("replacement").value.trim();
    const word = this.tab.transcript.retype(places.map((words) => [words, text, true]));
    if (word) this.tab.select(word);
    focused.focus();
  }
}
