/** Files that are dropped anywhere on the page, or chosen. */

import { byId } from "./dom.js";
import { t } from "./i18n.js";

const AUDIO_NAME = /\.(wav|mp3|m4a|aac|flac|ogg|oga|opus|webm|mp4|mkv|mov)$/i;

/** Whether a file is audio or video. */
export const isAudio = (file) => /^(audio|video)\//.test(file.type) || AUDIO_NAME.test(file.name);

/** Whether a file is the project's JSON with marks, such as an export of this page. */
export async function isOwnJson(file) {
  if (!/\.json$/i.test(file.name)) return false;
  try {
    const { utterances } = JSON.parse(await file.text());
    return utterances.some(({ words }) => words.some((word) => word.marks?.length));
  } catch {
    return false; // the service says what it is
  }
}

/** Call `onFiles(transcript, audio, others)` for files of the user: the first ones, or undefined, and whether there are more. */
export function startSource(onFiles) {
  const open = (files) => {
    const all = [...files];
    const { true: audio = [], false: transcripts = [] } = Object.groupBy(all, isAudio);
    if (all.length) onFiles(transcripts[0], audio[0], transcripts.length > 1 || audio.length > 1);
  };
  for (const [button, input] of [["choose", "files"], ["choose-audio", "audio-file"]]) {
    byId(button).addEventListener("click", () => byId(input).click());
    byId(input).addEventListener("change", () => {
      open(byId(input).files);
      byId(input).value = "";
    });
  }
  const showDragging = (isDragging) => document.body.classList.toggle("dragging", isDragging);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    showDragging(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) showDragging(false);
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    showDragging(false);
    open(event.dataTransfer.files);
  });
}

/** Show the names of the files. */
export function showFiles(transcript, audio) {
  document.body.classList.add("loaded");
  byId("file-name").textContent = transcript;
  byId("audio-name").textContent = audio ?? "";
  byId("choose-audio").hidden = false;
}

/** Show no names. */
export function showNoFiles() {
  showFiles("");
  document.body.classList.remove("loaded");
  byId("choose-audio").hidden = true;
}
