/** The two settings of the page itself: its language and its colours. */

import { load, save } from "./kept.js";
import { setUiLanguage, translate, uiLanguage } from "./i18n.js";

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function startPageSettings() {
  const language = document.getElementById("ui-language");
  const theme = document.getElementById("theme");
  theme.value = load("theme") ?? "auto";
  setTheme(theme.value);
  theme.addEventListener("change", () => {
    save("theme", theme.value);
    setTheme(theme.value);
  });
  translate();
  language.value = uiLanguage();
  language.addEventListener("change", () => setUiLanguage(language.value));
}
