/** The names of speakers: buttons, and a field in the place of one. */

import { t } from "./i18n.js";

/** Return a button with a name; `onClick` is called with the name and the button. */
export function speakerButton(name, onClick) {
  const button = document.createElement("button");
  button.className = "speaker";
  button.textContent = name;
  button.title = t("rename_speaker");
  button.addEventListener("click", () => onClick(name, button));
  return button;
}

/** Open a field in the place of a button with a name; `onName` is called with a new name. */
export function openNameInput(button, name, onName) {
  const input = nameInput(button, name, t("rename_speaker"), onName);
  input.value = name;
  input.size = Math.max(12, name.length + 2);
  button.hidden = true;
  input.focus();
  input.select();
}

/** Open a field before a word for the name of its speaker, with those of `names` to choose from. */
export function openSpeakerInput(element, names, onName) {
  const input = nameInput(element, "", t("set_speaker"), onName);
  input.placeholder = t("set_speaker");
  input.size = input.placeholder.length;
  const list = document.createElement("datalist");
  list.id = "speaker-names";
  list.append(...names.map((name) => new Option(name)));
  input.append(list); // goes with the field
  input.setAttribute("list", list.id);
  input.focus();
}

function nameInput(element, old, label, onName) {
  const input = document.createElement("input");
  input.className = "word-input";
  input.ariaLabel = label;
  let isOpen = true;
  const close = (isWritten) => {
    if (!isOpen) return;
    isOpen = false;
    element.hidden = false;
    input.remove();
    element.focus();
    const text = input.value.trim();
    if (isWritten && text && text !== old) onName(text);
  };
  input.addEventListener("blur", () => close(true));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
    event.preventDefault(); // Enter would also click the button
    close(event.key === "Enter");
  });
  for (const kind of ["click", "dblclick"]) input.addEventListener(kind, (event) => event.stopPropagation());
  element.before(input);
  return input;
}
