/** The view of subtitles: the buttons that edit cues, and the preset of their limits. */

import { RequestError } from "./api.js";
import { readStoredCues } from "./cue-files.js";
import { CueLayout } from "./cue-layout.js";
import { readCues } from "./cue-words.js";
import { Cues } from "./cues.js";
import { byId } from "./dom.js";
import { isCueFormat, serviceContent } from "./exporter.js";
import { number, t } from "./i18n.js";
import { report, reportError } from "./status.js";
import { PRESETS } from "./tables.js";

const DEFAULT = "netflix";
const STEP_S = 0.1;
/** Return the limits of a preset for a language, with its `speed`, characters a second. */
function limitsOf(name, language) {
  const { speeds, ...limits } = PRESETS[name];
  return { ...limits, speed: speeds[language] ?? speeds[""] };
}

const ACTIONS = { "cue-split": "split", "cue-join": "join", "cue-break": "toggleBreak" };

/** Works on a tab (`FileTab`); `change` events say that cues or the view have changed. */
export class CueTools extends EventTarget {
  cues = null;
  isShown = false;

  constructor(tab) {
    super();
    this.tab = tab;
    byId("view-text").addEventListener("click", () => this.#show(false));
    byId("view-cues").addEventListener("click", () => this.#open().catch(reportError));
    byId("preset").addEventListener("change", () => this.#changePreset().catch(reportError));
    byId("cue-problem").addEventListener("click", () => this.nextProblem());
    this.addEventListener("change", () => this.count());
    document.addEventListener("uilanguage", () => this.count());
    for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => this.edit(action));
  }

  /** Begin with another transcript, as text. */
  reset() {
    const isKept = isCueFormat(this.tab.transcript.format);
    this.cues = null;
    this.isShown = false;
    const stored = readStoredCues(this.tab.transcript);
    const limits = this.tab.transcript.subtitles?.limits;
    byId("preset").options[0].hidden = !isKept;
    byId("preset").value = isKept ? "" : DEFAULT;
    if (stored) {
      if (limits in PRESETS) byId("preset").value = limits;
      this.cues = this.#cuesOf(stored, byId("preset").value);
      this.cues.isEdited = true;
    }
    this.#draw();
    if (isKept) this.#make().catch(() => {}); // before words change: they are in the file then
  }

  /** Return the layout of the view; `onSpeaker` is called with the name and the button of a speaker that is clicked. */
  layout(onSpeaker) {
    return new CueLayout(this.cues, onSpeaker, (word) => this.tab.select(word));
  }

  /** Open the times of the cue of the selected word, to type others. */
  openTimes() {
    if (this.isShown) this.tab.view.elementOf(this.tab.selected).closest("p").querySelector(".times").click();
  }

  /** Show the cue of the selected word longer (1) or less long (-1). */
  moveEnd(step) {
    const { selected } = this.tab;
    const cue = this.isShown && this.cues.of(selected);
    if (!cue) return;
    this.cues.setTimes(cue, cue.start, cue.end + step * STEP_S);
    this.tab.select(selected);
  }

  /** Forget cues that nobody saw or edited since the words have other speakers. */
  forget() {
    if (!this.isShown && !this.cues?.isEdited) this.cues = null;
  }

  /** Go to the next cue that breaks a limit after the selected word, or with -1 to the previous one. */
  nextProblem(step = 1) {
    if (!this.isShown) return;
    const { selected } = this.tab;
    const here = selected ? this.cues.of(selected) : null;
    const broken = this.cues.broken().sort((one, other) => step * (one.words[0].index - other.words[0].index));
    const index = here?.words[0]?.index ?? -1;
    const next = broken.find((cue) => cue !== here && step * (cue.words[0].index - index) > 0) ?? broken[0];
    if (next) this.tab.select(next.words[0]);
    else report("no_problems");
  }

  /** Show how many cues break a limit. */
  count() {
    if (!this.isShown) return;
    const count = this.cues.broken().length;
    byId("cue-problem").textContent = t("cue_problem", { count: number(count) });
    byId("cue-problem").disabled = !count;
  }

  /** Do an edit of `Cues` at the selected word. */
  edit(action) {
    const { selected } = this.tab;
    if (!this.isShown || !selected) return;
    this.cues[action](selected);
    this.tab.select(selected);
  }

  /** Follow an edit of words. */
  exchange(detail) {
    this.cues?.exchange(detail);
    this.dispatchEvent(new Event("change"));
  }

  /** Wait for cues that are being made. */
  async settled() {
    await this.#making.catch(() => {});
  }

  /** Make the cues of the chosen preset, after others that are being made. */
  #make() {
    this.#making = this.settled().then(() => this.#request());
    return this.#making;
  }

  /** Let the service make the cues; words that change meanwhile change in the cues too. */
  async #request() {
    const { transcript } = this.tab;
    const utterances = transcript.utterances.map((each) => ({ ...each, words: [...each.words] }));
    const changes = [];
    const note = ({ detail }) => changes.push(detail);
    transcript.addEventListener("words", note);
    const preset = byId("preset").value;
    const isKept = !preset && !transcript.isRewritten;
    const to = transcript.format === "srt" ? "vtt" : "srt"; // the other one has no tags of the file
    const text = await serviceContent(transcript, to, preset ? { subtitles: preset } : {}).then((content) => content.text())
      .finally(() => transcript.removeEventListener("words", note));
    const list = readCues(text, { utterances }, isKept);
    if (!list) throw new RequestError("no_cues");
    if (transcript !== this.tab.transcript) return;
    this.cues = this.#cuesOf(list, preset);
    for (const detail of changes) this.cues.exchange(detail);
  }

  #cuesOf(list, preset) {
    const { transcript } = this.tab;
    const language = transcript.utterances.find((each) => each.language)?.language ?? "";
    return new Cues(transcript, list, preset, limitsOf(preset || DEFAULT, language), (old, added) => {
      if (this.isShown) this.tab.view.exchangeGroups(old, added);
      this.dispatchEvent(new Event("change"));
    });
  }

  async #open() {
    if (!this.cues) {
      const { transcript } = this.tab;
      report("making_cues");
      await this.settled();
      if (!this.cues) await this.#make();
      if (transcript !== this.tab.transcript) return;
      report("cues", { count: this.cues.list.length });
    }
    this.cues.isShown = true;
    if (!isCueFormat(this.tab.transcript.format)) byId("format").value ||= "srt";
    this.#show(true);
  }

  /** Make other cues; this can be undone. */
  async #changePreset() {
    await this.settled();
    const { transcript } = this.tab;
    const [old, oldPreset] = [this.cues, this.#preset];
    await this.#make();
    if (transcript !== this.tab.transcript) return;
    const [added, preset] = [this.cues, byId("preset").value];
    const set = (cues, name) => {
      this.cues = cues;
      byId("preset").value = name;
      this.#preset = name;
      this.#show(this.isShown);
    };
    Object.assign(added, { isEdited: true, isShown: true });
    transcript.run({ apply: () => set(added, preset), revert: () => set(old, oldPreset) });
  }

  #making = Promise.resolve();
  #preset = DEFAULT;

  #show(isShown) {
    this.isShown = isShown;
    this.#draw();
    this.tab.layOut();
  }

  #draw() {
    this.#preset = byId("preset").value;
    byId("view-text").ariaPressed = String(!this.isShown);
    byId("view-cues").ariaPressed = String(this.isShown);
    byId("cue-tools").hidden = !this.isShown;
    this.dispatchEvent(new Event("change"));
  }
}
