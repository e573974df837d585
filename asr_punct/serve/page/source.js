/** Files that are dropped anywhere on the page, or chosen. */

import { byId } from "./dom.js";
import { t } from "./i18n.js";

const AUDIO_NAME = /\.(wav|mp3|m4a|aac|flac|ogg|oga|opus|webm|mp4|mkv|mov)$/i;

/** Whether a file is audio or video. */
export const isAudio = (file) => /^(audio|video)\//.test(file.type) || AUDIO_NAME.test(file.name);

/** Call `onFiles(transcript, audio)` for files of the user; either may be undefined. */
export function startSource(onFiles) {
  const open = (files) => {
    const all = [...files];
    if (all.length) onFiles(all.find((file) => !isAudio(file)), all.find(isAudio));
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
