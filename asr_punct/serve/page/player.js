/** The audio of the file: it plays from a word, and reports the word that is played. */

import { inTime } from "./timing.js";

/** A word is played from this much before its start, and is the current word from twice as much before. */
const BEFORE_S = 0.02;

/** Events: `word`, with the current word in `detail`, or null; `open` if it has other audio or none. */
export class Player extends EventTarget {
  /** The words that it plays, in the order of time. */
  words = [];
  /** The times between which it repeats, `{from, to}`, or null. */
  loop = null;
  #current = null;
  #rate = 1;
  #followed = null;

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
    this.audio.classList.toggle("video", this.audio.videoWidth > 0);
    this.name = file.name;
    this.file = file;
    this.setRate(this.#rate);
    this.dispatchEvent(new Event("open"));
  }

  close() {
    this.audio.pause();
    this.audio.hidden = true;
    this.audio.removeAttribute("src");
    this.audio.load();
    this.name = "";
    this.file = null;
    this.dispatchEvent(new Event("open"));
  }

  /** Follow the words of the transcript's recording of this name; without one, those of the first recording. */
  follow(transcript) {
    const names = transcript.recordings();
    const stem = (this.name ?? "").replace(/\.[^.]*$/, "");
    const recording = names.includes(stem) ? stem : names[0];
    if (transcript !== this.#followed) this.loop = null;
    this.#followed = transcript;
    this.words = inTime(transcript.words.filter((word) => (word.utterance.recording ?? "") === recording));
    this.#show(null);
  }

  /** Play from a word. */
  async play(word) {
    if (!this.hasAudio || !this.words.includes(word)) return;
    this.audio.currentTime = Math.max(0, word.from - BEFORE_S);
    if (this.loop && (word.from < this.loop.from || word.from >= this.loop.to)) this.loop = null;
    this.audio.playbackRate = this.#rate;
    await this.audio.play().catch(() => {});
  }

  /** Set the speed, or the last one again; 1 is that of the recording. */
  setRate(rate = this.#rate) {
    this.#rate = rate;
    this.audio.playbackRate = rate;
  }

  #watch() {
    this.#follow();
    if (!this.audio.paused) requestAnimationFrame(() => this.#watch());
  }

  #follow() {
    if (this.loop && !this.audio.paused && this.audio.currentTime >= this.loop.to) {
      this.audio.currentTime = Math.max(0, this.loop.from - BEFORE_S);
    }
    const seconds = this.audio.currentTime + 2 * BEFORE_S;
    this.#show(this.words.findLast((word) => word.from <= seconds) ?? null);
  }

  #show(word) {
    if (word === this.#current) return;
    this.#current = word;
    this.dispatchEvent(new CustomEvent("word", { detail: word }));
  }
}
