/**
 * Clocks of a replay, in seconds of the recording: `begin` is the time at which it starts, `seconds` the time now.
 * `onJump` is called when the time is set.
 */

/** The clock of a file with audio. */
export class AudioClock {
  begin = 0;
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
  #rate = 1;
  #since = null;
  #seconds;

  constructor(begin) {
    this.begin = begin;
    this.#seconds = begin;
  }

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
