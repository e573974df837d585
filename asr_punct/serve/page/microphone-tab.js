/** The microphone tab: speak, see captions, and edit what was said as a transcript. */

import { RequestError, features } from "./api.js";
import { Captions } from "./captions.js";
import { byId } from "./dom.js";
import { t } from "./i18n.js";
import { Microphone } from "./microphone.js";
import { report, reportError } from "./status.js";

/** `onTranscript` is called with a file of the words that were said. */
export class MicrophoneTab {
  #words = [];
  #name = `spoken-${Math.random().toString(36).slice(2, 10)}`;

  constructor(onTranscript) {
    this.microphone = new Microphone();
    this.captions = new Captions(byId("spoken"));
    byId("listen").addEventListener("click", () => this.#toggle().catch(reportError));
    byId("edit-spoken").addEventListener("click", () => onTranscript(this.#file()));
    byId("spoken-link").href = `captions?stream=${this.#name}&background=000000`;
    this.microphone.addEventListener("level", ({ detail }) => { byId("level").value = detail; });
    this.microphone.addEventListener("result", ({ detail }) => this.#show(detail));
    this.microphone.addEventListener("end", ({ detail: reason }) => {
      byId("level").value = 0;
      if (reason) report("live_broken", { reason });
      this.#draw();
    });
    document.addEventListener("uilanguage", () => this.#draw());
    this.captions.clear();
    this.#draw();
    features().then(({ microphone }) => {
      byId("microphone-tools").hidden = byId("spoken").hidden = !microphone;
      byId("microphone-hint").dataset.t = microphone ? "microphone_hint" : "microphone_none";
      byId("microphone-hint").textContent = t(byId("microphone-hint").dataset.t);
    }, reportError);
  }

  async #toggle() {
    if (this.microphone.isOpen) this.microphone.stop();
    else {
      this.#words = [];
      this.captions.clear();
      await this.microphone.start(this.#name).catch(() => {
        throw new RequestError("no_microphone");
      });
    }
    this.#draw();
  }

  /** Show a result; one without words for each entry has no times. */
  #show({ partial = "", text, result }) {
    if (text === undefined) this.captions.show({ partial });
    else if (text) {
      const words = result ?? text.split(" ").map((word) => ({ word }));
      this.#words.push(...words.map(({ word, start, end, conf }) => ({ word, start, end, confidence: conf })));
      this.captions.show({ final: words.map(({ word }) => ({ written: word })), end: true });
    }
    this.#draw();
  }

  #file() {
    const utterance = { id: "1", recording: "microphone", times: "asr", words: this.#words };
    const file = new File([JSON.stringify({ utterances: [utterance] })], "microphone.json");
    return Object.assign(file, { isSpoken: true });
  }

  #draw() {
    const button = byId("listen");
    button.dataset.t = this.microphone.isOpen ? "stop" : "speak";
    button.textContent = t(button.dataset.t);
    byId("edit-spoken").disabled = !this.#words.length || this.microphone.isOpen;
  }
}
