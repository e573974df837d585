/** The audio of the file: it plays from a word, and reports the word that is played. */

import { inTime } from "./timing.js";

/** A word is played from this much before its start, and is the current word from twice as much before. */
const BEFORE_S = 0.02;

/** `word` events have the current word in `detail`, or null. */
export class Player extends EventTarget {
  /** The words that it plays, in the order of time. */
  words = [];
  #current = null;

  constructor(audio) {
    super();
    this.audio = audio;
    audio.addEventListener("timeupdate", () => this.#follow());
    audio.addEventListener("seeked", () => this.#follow());
    audio.addEventListener("play", () => this.#watch());
  }

  get hasAudio() {
    return !this.audio.hidden;
  }

  /** Open an audio file. Throws the browser's error if it cannot be played. */
  async open(file) {
    URL.revokeObjectURL(this.audio.src);
    this.audio.hidden = true;
    const loaded = new Promise((resolve, reject) => {
      this.audio.onloadedmetadata = resolve;
      this.audio.onerror = reject;
    });
    this.audio.src = URL.createObjectURL(file);
    await loaded;
    this.audio.hidden = false;
    this.name = file.name;
  }

  close() {
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.audio.hidden = true;
    this.name = "";
  }

  /** Follow the words of the transcript's recording of this name; without one, those of the first recording. */
  follow(transcript) {
    const names = transcript.recordings();
    const stem = (this.name ?? "").replace(/\.[^.]*$/, "");
    const recording = names.includes(stem) ? stem : names[0];
    this.words = inTime(transcript.words.filter((word) => (word.utterance.recording ?? "") === recording));
    this.#show(null);
  }

  /** Play from a word. */
  async play(word) {
    if (!this.hasAudio || !this.words.includes(word)) return;
    this.audio.currentTime = Math.max(0, word.from - BEFORE_S);
    this.audio.playbackRate = 1;
    await this.audio.play().catch(() => {});
  }

  #watch() {
    this.#follow();
    if (!this.audio.paused) requestAnimationFrame(() => this.#watch());
  }

  #follow() {
    const seconds = this.audio.currentTime + 2 * BEFORE_S;
    this.#show(this.words.findLast((word) => word.from <= seconds) ?? null);
  }

  #show(word) {
    if (word === this.#current) return;
    this.#current = word;
    this.dispatchEvent(new CustomEvent("word", { detail: word }));
  }
}
