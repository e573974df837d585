/** Clocks of a replay: `seconds` of the recording, `rate`, `play`, `pause`; `onJump` is called when `seconds` is set. */

/** The clock of a file with audio. */
export class AudioClock {
  onJump = () => {};
  #jumped = () => this.onJump();

  constructor(audio) {
    this.audio = audio;
    audio.addEventListener("seeking", this.#jumped);
  }

  get seconds() {
    return this.audio.ended ? Infinity : this.audio.currentTime;
  }

  set seconds(value) {
    this.audio.currentTime = value;
  }

  set rate(value) {
    this.audio.playbackRate = value;
  }

  get isRunning() {
    return !this.audio.paused;
  }

  async play() {
    await this.audio.play();
  }

  pause() {
    this.audio.pause();
  }

  close() {
    this.audio.removeEventListener("seeking", this.#jumped);
  }
}

/** The clock of a file without audio. */
export class SilentClock {
  onJump = () => {};
  #seconds = 0;
  #rate = 1;
  #since = null;

  get seconds() {
    return this.#seconds + (this.isRunning ? ((performance.now() - this.#since) / 1000) * this.#rate : 0);
  }

  set seconds(value) {
    this.#restart(value);
    this.onJump();
  }

  set rate(value) {
    this.#restart(this.seconds);
    this.#rate = value;
  }

  get isRunning() {
    return this.#since !== null;
  }

  async play() {
    this.#since ??= performance.now();
  }

  pause() {
    this.#seconds = this.seconds;
    this.#since = null;
  }

  close() {
    this.pause();
  }

  #restart(seconds) {
    this.#seconds = seconds;
    if (this.isRunning) this.#since = performance.now();
  }
}
