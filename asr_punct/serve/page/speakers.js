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

/** Open a field at a button with a name; `onName` is called with a new name. */
export function openNameInput(button, name, onName) {
  const input = document.createElement("input");
  input.className = "word-input";
  input.value = name;
  input.size = Math.max(12, name.length + 2);
  input.ariaLabel = t("rename_speaker");
  let isOpen = true;
  const close = (isWritten) => {
    if (!isOpen) return;
    isOpen = false;
    button.hidden = false;
    input.remove();
    button.focus();
    const text = input.value.trim();
    if (isWritten && text && text !== name) onName(text);
  };
  input.addEventListener("blur", () => close(true));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
    event.preventDefault(); // Enter would also click the button
    close(event.key === "Enter");
  });
  button.before(input);
  button.hidden = true;
  input.focus();
  input.select();
}
