/** The layout of a transcript as subtitles: a block for each cue, with its times and what breaks the limits. */

import { clock } from "./cue-files.js";
import { number, t } from "./i18n.js";
import { speakerButton } from "./speakers.js";
import { seconds } from "./timing.js";

function part(text, isBroken, title) {
  const element = document.createElement("span");
  element.className = isBroken ? "stat broken" : "stat";
  element.textContent = text;
  element.title = title;
  return element;
}

/** A layout of `WordsView`. */
export class CueLayout {
  name = "cues";
  hasStats = true;

  /**
   * @param cues the `Cues`
   * @param onSpeaker is called with the name and the button of a speaker that is clicked
   * @param onTimes is called with the first word of a cue whose times were typed
   */
  constructor(cues, onSpeaker, onTimes) {
    this.cues = cues;
    this.onSpeaker = onSpeaker;
    this.onTimes = onTimes;
  }

  get groups() {
    return this.cues.groups;
  }

  exchange() {
    return this.cues.changed;
  }

  again() {
    return new CueLayout(this.cues, this.onSpeaker, this.onTimes);
  }

  startsLine(word, cue) {
    return word !== cue.words[0] && cue.breaks.has(word);
  }

  /**
   * Return the element before the words of a cue: speakers who were not in the one before, times, lengths and speed; what
   * breaks the limits is coloured.
   */
  head(cue) {
    const { cues } = this;
    const previous = cues.before(cue);
    const { lines, characters, speed, seconds: isSeconds, gap } = cues.problems(cue, previous);
    const { limits } = cues;
    const head = document.createElement("span");
    head.className = "place";
    const times = document.createElement("button");
    times.className = [isSeconds || gap ? "times broken" : "times"].join(" ");
    times.textContent = `${clock(cue.start, ".")} → ${clock(cue.end, ".")}`;
    times.title = t("cue_times", { least: number(limits.min_seconds), most: limits.max_seconds, gap: number(limits.min_gap) });
    times.addEventListener("click", () => this.#openTimes(cue, times));
    const lengths = cues.lines(cue).map((line, each) =>
      part(line.length, characters[each] || lines, t("cue_line", { most: limits.characters, lines: limits.lines })));
    const rate = `${number(cues.speed(cue))} ${t("per_second")}`;
    const names = cues.speakers(cue);
    const isNew = !previous || cues.speakers(previous).join("\n") !== names.join("\n");
    if (isNew) head.append(...names.filter(Boolean).map((name) => speakerButton(name, this.onSpeaker)));
    head.append(times, ...lengths, part(rate, speed, t("cue_speed", { most: limits.speed })));
    return head;
  }

  /** Open fields for the times of a cue. */
  #openTimes(cue, button) {
    const field = document.createElement("input");
    field.className = "word-input";
    field.value = button.textContent;
    field.size = 28;
    field.ariaLabel = t("cue_times_field");
    let isOpen = true;
    const close = (isWritten) => {
      if (!isOpen) return;
      isOpen = false;
      field.remove();
      button.hidden = false;
      const [start, end] = field.value.split(/→|-->/).map(seconds);
      if (isWritten && start >= 0 && end > start) this.cues.setTimes(cue, start, end);
    };
    field.addEventListener("blur", () => close(true));
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (!["Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      close(event.key === "Enter");
      this.onTimes(cue.words[0]);
    });
    button.before(field);
    button.hidden = true;
    field.focus();
    field.select();
  }
}
