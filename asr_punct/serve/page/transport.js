/** Playing: the keys that work everywhere outside fields of text, and the buttons beside the player. */

import { byId } from "./dom.js";
import { number, t } from "./i18n.js";
import { SENTENCE_ENDS } from "./tables.js";
import { currentTab } from "./tabs.js";

const BACK_S = 2;
/** Elements that take keys as text. */
export const FIELDS = "input, textarea, select, [contenteditable]";

/** Return the words of the sentence around a word. */
function sentenceAround(words, word) {
  const ends = (each) => each.marks.some((mark) => SENTENCE_ENDS.includes(mark));
  let [first, last] = [word.index, word.index];
  while (first > 0 && !ends(words[first - 1])) first -= 1;
  while (last < words.length - 1 && !ends(words[last])) last += 1;
  return words.slice(first, last + 1);
}

/** Let the keys and buttons work on the player of a tab (`FileTab`). */
export class Transport {
  constructor(tab) {
    this.tab = tab;
    this.player = tab.player;
    const { audio } = this.player;
    byId("play").addEventListener("click", () => this.toggle());
    byId("back").addEventListener("click", () => this.back());
    byId("loop").addEventListener("click", () => this.loop());
    byId("play-speed").addEventListener("change", ({ target }) => this.player.setRate(Number(target.value)));
    for (const event of ["play", "pause"]) audio.addEventListener(event, () => this.#draw());
    this.player.addEventListener("open", () => this.#draw());
    for (const event of ["keydown", "keyup"]) document.addEventListener(event, (each) => this.#key(each));
    document.addEventListener("tabchange", () => this.#draw());
    document.addEventListener("uilanguage", () => this.#draw());
    this.#draw();
  }

  toggle() {
    const { audio } = this.player;
    if (audio.paused) audio.play().catch(() => {});
    else audio.pause();
  }

  back() {
    this.player.audio.currentTime = Math.max(0, this.player.audio.currentTime - BACK_S);
  }

  /** Play faster (1) or slower (-1). */
  changeSpeed(step) {
    const list = byId("play-speed");
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + step));
    this.player.setRate(Number(list.value));
  }

  /** Repeat the sentence of the selected word, or of the one that is played; again: go on. */
  loop() {
    const word = this.tab.selected ?? this.tab.played;
    const words = word && sentenceAround(this.tab.transcript.words, word).filter((each) => this.player.words.includes(each));
    this.player.loop = this.player.loop || !words?.length ? null : { from: words[0].from, to: words.at(-1).to };
    if (this.player.loop) this.player.play(words[0]);
    this.#draw();
  }

  #draw() {
    const { audio, hasAudio, loop } = this.player;
    byId("transport").hidden = !hasAudio || currentTab() !== "tab-file";
    byId("play").textContent = t(audio.paused ? "play" : "pause");
    byId("loop").ariaPressed = String(Boolean(loop));
    byId("back").title = t("back");
    byId("back").textContent = `−${number(BACK_S)} s`;
  }

  /** Space plays and stops. Browsers click a button that has the focus when the key goes up, so that is prevented too. */
  #key(event) {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== " " || isShortcut || event.target.closest?.(FIELDS) || !this.player.hasAudio) return;
    event.preventDefault();
    if (event.type === "keyup" || event.repeat) return;
    if (currentTab() === "tab-live") byId("live-play").click();
    else if (event.shiftKey) this.back();
    else this.toggle();
  }
}
