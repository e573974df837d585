/** The file tab: read, hear, edit and export a transcript. */

import { exportFile } from "./api.js";
import { byId } from "./dom.js";
import { Editor } from "./editor.js";
import { SUFFIXES, exportName } from "./formats.js";
import { startKeys } from "./keys.js";
import { report, reportError } from "./status.js";
import { currentTab } from "./tabs.js";
import { WordsView, drawLegend } from "./words-view.js";

/** Shows a transcript, and one word as selected. */
export class FileTab {
  constructor(player) {
    this.player = player;
    this.view = new WordsView(byId("words"));
    this.editor = new Editor();
    this.selected = null;
    this.played = null;
    for (const [format, suffix] of Object.entries(SUFFIXES)) {
      byId("format").append(new Option(`${format} (${suffix})`, format));
    }
    drawLegend(byId("legend"));
    byId("export").addEventListener("click", () => this.export().catch(reportError));
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    byId("words").addEventListener("click", ({ target }) => {
      const word = this.view.wordOf(target);
      if (word) this.select(word).then(() => this.player.play(word));
    });
    player.addEventListener("word", ({ detail: word }) => this.highlight(word));
    document.addEventListener("tabchange", () => {
      byId("editor").hidden = !this.selected || currentTab() !== "tab-file";
    });
    startKeys(this);
  }

  /** Show a transcript. */
  show(transcript) {
    this.transcript = transcript;
    this.selected = this.played = null;
    this.view.show(transcript);
    this.editor.edit(transcript, (word) => transcript === this.transcript && this.view.update(word));
    transcript.addEventListener("change", () => this.showUndo());
    this.showUndo();
    byId("transcript-tools").hidden = byId("legend").hidden = false;
  }

  showUndo() {
    byId("undo").disabled = !this.transcript.canUndo;
    byId("redo").disabled = !this.transcript.canRedo;
  }

  /** Select a word to edit it. */
  async select(word) {
    const old = this.view.elementOf(this.selected ?? this.transcript.words[0]);
    old.ariaPressed = "false";
    old.tabIndex = -1;
    this.selected = word;
    const element = this.view.elementOf(word);
    element.ariaPressed = "true";
    element.tabIndex = 0;
    this.editor.select(word);
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  /** Highlight the word that is played, or none. */
  highlight(word) {
    if (this.played) this.view.elementOf(this.played).classList.remove("now");
    if (word) this.view.elementOf(word).classList.add("now");
    this.played = word;
  }

  undo() {
    const word = this.transcript.undo();
    if (word) this.select(word);
  }

  redo() {
    const word = this.transcript.redo();
    if (word) this.select(word);
  }

  /** Save the words with their marks and cases in the chosen format. */
  async export() {
    const { file, settings, labels } = this.transcript;
    const format = byId("format").value;
    const content = await exportFile(file, settings, labels, format);
    const link = document.createElement("a");
    link.download = exportName(file.name, format);
    link.href = URL.createObjectURL(content);
    link.click();
    this.transcript.isSaved = true;
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    report("exported", { name: link.download });
  }
}
