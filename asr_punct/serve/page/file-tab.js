/** The file tab: read, hear, edit and export a transcript. */

import { byId } from "./dom.js";
import { CueTools } from "./cue-tools.js";
import { Doubts } from "./doubts.js";
import { Editor } from "./editor.js";
import { exportTranscript } from "./exporter.js";
import { fillFormats } from "./formats.js";
import { startKeys } from "./keys.js";
import { Paragraphs } from "./paragraphs.js";
import { Search } from "./search.js";
import { openNameInput, openSpeakerInput } from "./speakers.js";
import { report, reportError } from "./status.js";
import { currentTab } from "./tabs.js";
import { Transport } from "./transport.js";
import { Waveform } from "./waveform.js";
import { openWordInput } from "./word-input.js";
import { WordsView, drawLegend } from "./words-view.js";

const isVisible = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

/** Shows a transcript, and one word as selected. */
export class FileTab {
  selected = null;
  played = null;
  transcript = null;

  constructor(player) {
    this.player = player;
    this.doubts = new Doubts(() => this.selected, (word, next) => this.#nextDoubt(word, next), () => this.#updateAll());
    this.view = new WordsView(byId("words"), (word) => this.doubts.isLeft(word));
    this.editor = new Editor();
    this.transport = new Transport(this);
    this.search = new Search(this);
    this.cueTools = new CueTools(this);
    this.waveform = new Waveform(player, this.cueTools);
    fillFormats(byId("format"));
    drawLegend(byId("legend"));
    byId("export").addEventListener("click", () => this.export().catch(reportError));
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    byId("words").addEventListener("click", ({ target }) => {
      const word = this.view.wordOf(target);
      if (!word) return;
      this.select(word);
      this.player.play(word);
    });
    byId("words").addEventListener("dblclick", ({ target }) => {
      const word = this.view.wordOf(target);
      if (word) openWordInput(this, word);
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
    this.doubts.show(transcript);
    this.cueTools.reset();
    this.layOut();
    this.editor.edit(transcript, (words) => {
      if (transcript !== this.transcript) return;
      this.view.update(words);
      this.cueTools.count();
    });
    transcript.addEventListener("words", ({ detail }) => {
      this.cueTools.exchange(detail);
      this.view.exchange(detail);
      this.player.follow(transcript);
    });
    transcript.addEventListener("speakers", () => {
      this.cueTools.forget();
      this.layOut();
    });
    transcript.addEventListener("edit", () => this.showUndo());
    this.showUndo();
    this.search.clear();
    for (const id of ["transcript-tools", "legend", "words"]) byId(id).hidden = false;
  }

  /** Show nothing. */
  clear() {
    this.transcript = this.selected = this.played = null;
    this.editor.select(null);
    for (const id of ["transcript-tools", "legend", "words"]) byId(id).hidden = true;
  }

  /** Show the words in their layout. */
  layOut() {
    const rename = (name, button) => openNameInput(button, name, (newName) => {
      const word = this.view.wordOf(button.closest("p").querySelector(".w"));
      this.transcript.renameSpeaker(name, newName);
      this.select(word);
    });
    const layout = this.cueTools.isShown ? this.cueTools.layout(rename) : new Paragraphs(this.transcript, rename);
    this.view.show(this.transcript, layout);
    if (this.selected) this.select(this.selected);
  }

  showUndo() {
    byId("undo").disabled = !this.transcript.canUndo;
    byId("redo").disabled = !this.transcript.canRedo;
  }

  /** Select a word to edit it. */
  select(word) {
    const old = this.view.elementOf(this.selected ?? this.transcript.words[0]);
    if (old) {
      old.ariaPressed = "false";
      old.tabIndex = -1;
    }
    this.selected = word;
    const element = this.view.elementOf(word);
    element.ariaPressed = "true";
    element.tabIndex = 0;
    this.editor.select(word);
    if (word.from !== undefined) this.waveform.goTo(word.from);
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  /** Open a field for who speaks from the selected word on. */
  openSpeaker() {
    const { selected, transcript } = this;
    const names = [...new Set(transcript.words.map((word) => transcript.speakerOf(word)))].filter(Boolean);
    openSpeakerInput(this.view.elementOf(selected), names, (name) => {
      transcript.setSpeaker(selected, name);
      this.select(selected);
    });
  }

  /** Select the next word, or with -1 the previous one. */
  step(step) {
    const next = this.view.beside(this.selected, step);
    if (next) this.select(next);
  }

  /** Highlight the word that is played, or none; it is followed while it leaves the window. */
  highlight(word) {
    const old = this.played && this.view.elementOf(this.played);
    const element = word && this.view.elementOf(word);
    const isFollowed = old && element && !this.player.audio.paused && currentTab() === "tab-file" && isVisible(old);
    old?.classList.remove("now");
    element?.classList.add("now");
    this.played = word;
    if (isFollowed && !document.querySelector(".word-input")) element.scrollIntoView({ block: "nearest" });
  }

  undo() {
    const word = this.transcript.undo();
    if (word) this.select(word);
  }

  redo() {
    const word = this.transcript.redo();
    if (word) this.select(word);
  }

  openSearch() {
    this.search.open();
  }

  #nextDoubt(word, next) {
    if (word) this.view.update([word]);
    if (next) this.select(next);
  }

  #updateAll() {
    if (this.transcript) this.view.update(this.transcript.words);
  }

  /** Save the words with their marks and cases in the chosen format. */
  async export() {
    await Promise.all([this.editor.settled(), this.cueTools.settled()]);
    const isDoubtful = (word) => this.doubts.isOpen(word);
    const name = await exportTranscript(this.transcript, byId("format").value, this.cueTools.cues, isDoubtful);
    report("exported", { name });
  }
}
