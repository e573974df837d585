/** The live tab: a file is replayed through the stream of the service, beside its audio. */

import { Captions } from "./captions.js";
import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { Replay } from "./replay.js";
import { SilentClock } from "./silent-clock.js";
import { reportError } from "./status.js";
import { currentTab } from "./tabs.js";
import { clockText } from "./timing.js";

const REFRESH_MS = 200;
/** Without audio, a replay begins this much before the first word. */
const BEFORE_S = 0.5;
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

/** The tab. The clock of a replay is the audio element, for a file without audio a `SilentClock`. */
export class LiveTab {
  #words = [];
  #replay = null;
  #transcript = null;
  #reason = "";
  #name = `page-${Math.random().toString(36).slice(2, 10)}`;

  constructor(player) {
    this.player = player;
    this.captions = new Captions(byId("captions"));
    byId("captions-link").href = `captions?stream=${this.#name}&background=000000`;
    byId("live-play").addEventListener("click", () => this.#toggle().catch(reportError));
    byId("speed").addEventListener("change", () => this.#setRate());
    byId("lookahead").addEventListener("change", () => this.open());
    byId("position").addEventListener("input", ({ target }) => {
      this.#ready().clock.currentTime = Number(target.value);
      this.#draw();
    });
    player.audio.addEventListener("play", () => {
      if (currentTab() === "tab-live" && !this.#replay?.isRunning) this.#toggle().catch(reportError);
    });
    document.addEventListener("tabchange", () => this.#changeTab());
    document.addEventListener("uilanguage", () => this.#draw());
    setInterval(() => this.#replay && this.#draw(), REFRESH_MS);
  }

  /** Show a transcript, or the last one again after its audio has changed. */
  open(transcript = this.#transcript) {
    this.#transcript = transcript;
    if (!transcript) return;
    this.#replay?.close();
    this.#replay = null;
    this.#reason = "";
    this.#words = this.player.words;
    const hasWords = this.#words.length > 0;
    byId("live-hint").hidden = hasWords;
    byId("live-hint").dataset.t = "live_no_times";
    byId("live-hint").textContent = t("live_no_times");
    byId("live-tools").hidden = byId("captions").hidden = !hasWords;
    byId("position").min = hasWords ? this.#begin : 0;
    byId("position").max = hasWords ? Math.max(...this.#words.map((word) => word.to)) : 0;
    this.captions.clear();
    this.#draw();
  }

  /** Show no transcript. */
  clear() {
    this.#replay?.close();
    this.#replay = this.#transcript = null;
    this.#words = [];
    byId("live-tools").hidden = byId("captions").hidden = true;
    byId("live-hint").dataset.t = "live_hint";
    byId("live-hint").textContent = t("live_hint");
    byId("live-hint").hidden = false;
    byId("live-status").textContent = "";
  }

  /** Stop what plays; the first replay starts at the beginning of the audio. */
  #changeTab() {
    this.#replay?.pause();
    this.player.audio.pause();
    if (currentTab() === "tab-live" && this.#transcript && this.#words !== this.player.words) this.open(); // edited
    if (currentTab() !== "tab-live") this.player.setRate();
    if (currentTab() === "tab-live" && !this.#replay) this.player.audio.currentTime = 0;
  }

  /** The time at which a replay begins: with audio at 0, else shortly before the first word. */
  get #begin() {
    return this.player.hasAudio ? 0 : Math.max(0, this.#words[0].from - BEFORE_S);
  }

  /** Return the replay; the first call makes it. */
  #ready() {
    if (this.#replay) return this.#replay;
    const clock = this.player.hasAudio ? this.player.audio : new SilentClock(this.#begin);
    const { language, model } = this.#transcript.settings;
    const config = {
      right: Number(byId("lookahead").value),
      language: language || this.#words[0].utterance.language || null,
      model: model || null,
    };
    this.#replay = new Replay(this.#words, clock, this.#begin, config, this.#name);
    this.#replay.addEventListener("answer", ({ detail }) => this.captions.show(detail));
    this.#replay.addEventListener("state", ({ detail }) => {
      this.#reason = detail;
      this.#draw();
    });
    return this.#replay;
  }

  async #toggle() {
    const replay = this.#ready();
    if (replay.isRunning) {
      replay.pause();
      return;
    }
    if (replay.isAtEnd) this.captions.clear();
    this.#setRate();
    await replay.play();
  }

  #setRate() {
    if (this.#replay) this.#replay.clock.playbackRate = Number(byId("speed").value);
  }

  /** What the button does. */
  #action() {
    const replay = this.#replay;
    if (replay?.isRunning) return "pause";
    return replay?.sent && !replay.isAtEnd ? "resume" : "start";
  }

  #draw() {
    const replay = this.#replay;
    const button = byId("live-play");
    button.dataset.t = this.#action();
    button.textContent = t(button.dataset.t);
    if (!this.#words.length) return;
    const seconds = Math.min(replay?.seconds ?? this.#begin, Number(byId("position").max));
    byId("position").value = seconds;
    byId("clock").textContent = clockText(seconds);
    byId("live-status").textContent = this.#reason ? t("live_broken", { reason: this.#reason }) : this.#progress();
  }

  #progress() {
    const all = this.#words.length;
    if (!this.#replay?.sent) return t("live_begin", { all });
    const { sent, waiting, delays } = this.#replay;
    const delay = number(median(delays) / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    return t("live_status", { all, sent, waiting, delay });
  }
}
