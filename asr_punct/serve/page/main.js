/** The page: opens files, and shows them in the tabs. */

import { punctuate } from "./api.js";
import { byId } from "./dom.js";
import { FileTab } from "./file-tab.js";
import { languageName, number, t } from "./i18n.js";
import { LiveTab } from "./live-tab.js";
import { MicrophoneTab } from "./microphone-tab.js";
import { startPageSettings } from "./page-settings.js";
import { Player } from "./player.js";
import { settings, startSettings } from "./settings.js";
import { isAudio, isOwnJson, showFiles, showNoFiles, startSource } from "./source.js";
import { report, reportError, reportWork } from "./status.js";
import { startTabs } from "./tabs.js";
import { Transcript } from "./transcript.js";

startPageSettings();
startTabs();
const player = new Player(byId("player"));
const fileTab = new FileTab(player);
const liveTab = new LiveTab(player);
let file = null;
let transcript = null;
let running = new AbortController();

/** Restore the file and show it, unless another request begins meanwhile, which ends this one. */
async function restore() {
  running.abort("replaced");
  const request = (running = new AbortController());
  const current = settings();
  if (file.isSpoken) current.givenMarks = "ignore_labels"; // they were made by parts
  else if (!current.givenMarks && (await isOwnJson(file))) current.givenMarks = "as_is";
  if (request !== running) return;
  reportWork("working", () => request.abort());
  const answer = await punctuate(file, current, request.signal).catch((error) => {
    if (request.signal.reason !== "replaced") throw error;
  });
  if (request !== running || !answer) return;
  const [content, format] = answer;
  if (isAudio(file)) file = new File([JSON.stringify(content)], `${file.name.replace(/\.\w+$/, "")}.json`);
  transcript = new Transcript(content, file, current, format);
  player.follow(transcript);
  fileTab.show(transcript);
  liveTab.open(transcript);
  const count = transcript.words.length;
  const codes = [...new Set(transcript.utterances.map((utterance) => utterance.language).filter(Boolean))];
  const languages = () => codes.map((code) => ` · ${languageName(code)}`).join("");
  report("done", { words: () => number(count), languages });
}

/** Show nothing of a file that was rejected, nor of the one before it. */
function clear() {
  file = transcript = null;
  player.close();
  fileTab.clear();
  liveTab.clear();
  showNoFiles();
}

const mayLoseEdits = () => !transcript?.hasUnsavedEdits || confirm(t("lose_edits"));

/** Open a new transcript, audio for it or for the one that is shown, or both. */
async function openFiles(newFile, audio) {
  if (newFile && !mayLoseEdits()) return;
  if (!newFile && !file) newFile = audio; // the service may transcribe it
  if (newFile) {
    file = newFile;
    if (!audio) player.close();
    showFiles(file.name);
    await restore().catch((error) => {
      if (file === newFile) clear();
      throw error;
    });
    if (file !== newFile && newFile !== audio) return;
  }
  if (audio) await openAudio(audio);
}

async function openAudio(audio) {
  try {
    await player.open(audio);
  } catch {
    report("unplayable", { name: audio.name });
    return;
  }
  showFiles(file.name, audio.name);
  if (transcript?.file !== file) return; // not restored yet: restore() will follow the audio
  player.follow(transcript);
  liveTab.open(transcript);
}

new MicrophoneTab((spoken) => {
  byId("tab-file").click();
  openFiles(spoken).catch(reportError);
});
addEventListener("beforeunload", (event) => {
  if (transcript?.hasUnsavedEdits) event.preventDefault();
});
startSource(async (newFile, audio, others) => {
  await openFiles(newFile, audio).catch(reportError);
  if (others && transcript?.file === newFile) report("one_file", { name: newFile.name });
});
startSettings(() => {
  if (!mayLoseEdits()) return false;
  if (file) restore().catch(reportError);
  return true;
}).then((name) => {
  fileTab.editor.defaultModel = name;
}, reportError);
