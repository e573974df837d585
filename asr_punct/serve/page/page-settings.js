/** The two settings of the page itself: its language and its colours. */

import { load, save } from "./kept.js";
import { setUiLanguage, translate, uiLanguage } from "./i18n.js";

export function startPageSettings() {
  const language = document.getElementById("ui-language");
  const theme = document.getElementById("theme");
  const setTheme = () => {
    document.documentElement.dataset.theme = theme.value; // "auto" matches no rule of theme.css
  };
  theme.value = load("theme") ?? "auto";
  setTheme();
  theme.addEventListener("change", () => {
    save("theme", theme.value);
    setTheme();
  });
  translate();
  language.value = uiLanguage();
  language.addEventListener("change", () => setUiLanguage(language.value));
}
