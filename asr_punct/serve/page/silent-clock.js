/** Replaces the audio element for a file without audio: a clock with the same properties and `seeking` events. */
export class SilentClock extends EventTarget {
  #rate = 1;
  #since = null;
  #seconds;

  constructor(begin) {
    super();
    this.#seconds = begin;
  }

  get currentTime() {
    return this.#seconds + (this.paused ? 0 : ((performance.now() - this.#since) / 1000) * this.#rate);
  }

  set currentTime(value) {
    this.#restart(value);
    this.dispatchEvent(new Event("seeking"));
  }

  set playbackRate(value) {
    this.#restart(this.currentTime);
    this.#rate = value;
  }

  get paused() {
    return this.#since === null;
  }

  async play() {
    this.#since ??= performance.now();
  }

  pause() {
    this.#seconds = this.currentTime;
    this.#since = null;
  }

  #restart(seconds) {
    this.#seconds = seconds;
    if (!this.paused) this.#since = performance.now();
  }
}
