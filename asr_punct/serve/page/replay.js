/** Sends the words of a file to a live stream at the times at which they were spoken. */

import { openStream } from "./api.js";

const TICK_MS = 50;
const MESSAGE_WORDS = 400;
/** Code that closes a WebSocket without an error. */
const NORMAL = 1000;

/** Return the words of a recording, each with `at`, the time at which a recogniser would deliver it. */
function spokenOrder(words) {
  let end = 0;
  return words.map((word) => {
    end = Math.max(end, word.to);
    return { word, at: end };
  });
}

/**
 * A replay, from the clock's time on. Events: `answer` (`detail` is the answer of the service), `state` (it runs or
 * pauses; `detail` is the reason if the connection broke).
 */
export class Replay extends EventTarget {
  /** Milliseconds from sending a word to its commit. */
  delays = [];
  /** Number of words before the next one to send: sent, or skipped by a jump of the clock. */
  sent = 0;
  /** Time in milliseconds at which each waiting word was sent. */
  #sentAt = [];
  #socket = null;
  #timer = null;
  #onSeeking = () => this.#jump();

  /**
   * @param words the words in the order of time
   * @param clock the audio element, or its replacement
   * @param begin time of the clock at which the replay begins, in seconds
   * @param config of the stream
   * @param name of the stream, for pages of captions
   */
  constructor(words, clock, begin, config, name) {
    super();
    this.name = name;
    this.words = spokenOrder(words);
    this.clock = clock;
    this.begin = begin;
    this.config = config;
    clock.addEventListener("seeking", this.#onSeeking);
    this.#jump();
  }

  /** The clock's time; after the end of the audio all words have been spoken. */
  get seconds() {
    return this.clock.ended ? Infinity : this.clock.currentTime;
  }

  get isRunning() {
    return this.#timer !== null;
  }

  get isAtEnd() {
    return this.sent === this.words.length;
  }

  /** Number of words that are sent and not committed. */
  get waiting() {
    return this.#sentAt.length;
  }

  /** Go on, after the end from the beginning. */
  async play() {
    if (this.isAtEnd) {
      this.clock.currentTime = this.begin;
      this.sent = 0;
    }
    await this.#connect();
    await this.clock.play();
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    this.#reportState();
  }

  pause() {
    this.clock.pause();
    this.#stop();
  }

  /** End the replay. */
  close() {
    this.#stop();
    this.clock.removeEventListener("seeking", this.#onSeeking);
    this.#disconnect();
  }

  #disconnect() {
    if (this.#socket) this.#socket.onclose = null;
    this.#socket?.close(NORMAL);
    this.#socket = null;
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#reportState();
  }

  #reportState(reason = "") {
    this.dispatchEvent(new CustomEvent("state", { detail: reason }));
  }

  #connect() {
    if (this.#socket?.readyState === WebSocket.OPEN) return Promise.resolve();
    const socket = openStream(this.name);
    this.#socket = socket;
    this.#sentAt = [];
    return new Promise((resolve, reject) => {
      socket.onopen = () => {
        socket.send(JSON.stringify({ config: this.config }));
        socket.onclose = (event) => this.#broken(event);
        resolve();
      };
      socket.onclose = (event) => reject(new Error(event.reason || `code ${event.code}`));
      socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    });
  }

  #broken({ code, reason }) {
    this.pause();
    this.#reportState(reason || `code ${code}`);
  }

  #receive(answer) {
    const now = performance.now();
    for (const at of this.#sentAt.splice(0, answer.final?.length ?? 0)) this.delays.push(now - at);
    this.dispatchEvent(new CustomEvent("answer", { detail: answer }));
    if (this.isAtEnd && answer.end !== undefined) this.#disconnect();
  }

  /** Send the words that have ended, and after the last one the end. */
  #tick() {
    const { seconds } = this;
    const ended = [];
    while (!this.isAtEnd && this.words[this.sent].at <= seconds && ended.length < MESSAGE_WORDS) {
      ended.push(this.words[this.sent].word);
      this.sent += 1;
    }
    if (ended.length) this.#send(ended);
    if (this.isAtEnd) {
      this.#socket.send(JSON.stringify({ end: true }));
      this.pause();
    } else if (this.clock.paused) this.#stop();
  }

  #send(words) {
    const items = words.map(({ word, start, end }) => ({ word, start, end }));
    this.#sentAt.push(...words.map(() => performance.now()));
    this.#socket.send(JSON.stringify({ words: items }));
  }

  /** Continue at the clock's time: a new document, because times of a document do not go back. */
  #jump() {
    const { seconds } = this;
    const next = this.words.findIndex(({ at }) => at > seconds);
    this.sent = next < 0 ? this.words.length : next;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ end: true }));
  }
}
