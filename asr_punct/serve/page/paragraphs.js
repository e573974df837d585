/** The layout of a transcript as text: a paragraph for each turn, cut at long pauses after sentences. */

import { Groups } from "./groups.js";
import { speakerButton } from "./speakers.js";
import { SENTENCE_ENDS } from "./tables.js";
import { clockText } from "./timing.js";

const PAUSE_S = 1;
const MOST_WORDS = 100;

/** Return groups of words of an utterance. */
function paragraphs(transcript, utterance) {
  const result = [];
  let last = null;
  for (const word of utterance.words) {
    const ends = last?.marks.some((mark) => SENTENCE_ENDS.includes(mark));
    const isLong = ends && (last.pause >= PAUSE_S || result.at(-1).words.length >= MOST_WORDS);
    if (!last || isLong || transcript.speakerOf(last) !== transcript.speakerOf(word)) result.push({ words: [] });
    result.at(-1).words.push(word);
    last = word;
  }
  if (result.length) result[0].isTurn = true;
  return result;
}

/** A layout of `WordsView`; `onSpeaker` is called with the name and the button of a speaker that is clicked. */
export class Paragraphs {
  name = "text";

  constructor(transcript, onSpeaker) {
    this.transcript = transcript;
    this.onSpeaker = onSpeaker;
    this.groups = new Groups(transcript.utterances.flatMap((each) => paragraphs(transcript, each)));
  }

  /** Follow an edit of words; returns the groups that changed. */
  exchange(detail) {
    return this.groups.exchange(detail);
  }

  /** Return the element before the words of a group: speaker and time. */
  head({ words: [first], isTurn }) {
    const speaker = this.transcript.speakerOf(first);
    const before = this.transcript.words[first.index - 1];
    const isNew = speaker && (isTurn || !before || this.transcript.speakerOf(before) !== speaker);
    const place = document.createElement("span");
    place.className = "place";
    if (isNew) place.append(speakerButton(speaker, this.onSpeaker), " ");
    if (first.from !== undefined) place.append(clockText(first.from));
    return place.childNodes.length ? place : null;
  }

  /** Return a new layout of the same transcript. */
  again() {
    return new Paragraphs(this.transcript, this.onSpeaker);
  }

  startsLine() {
    return false;
  }
}
