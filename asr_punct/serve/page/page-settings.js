/** The two settings of the page itself: its language and its colours; `themechange` events say that these change. */

import { byId } from "./dom.js";
import { load, save } from "./kept.js";
import { setUiLanguage, translate, uiLanguage } from "./i18n.js";

export function startPageSettings() {
  const language = byId("ui-language");
  const theme = byId("theme");
  const setTheme = () => {
    document.documentElement.dataset.theme = theme.value; // "auto" matches no rule of theme.css
    document.dispatchEvent(new Event("themechange"));
  };
  theme.value = load("theme") ?? "auto";
  setTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", setTheme);
  theme.addEventListener("change", () => {
    save("theme", theme.value);
    setTheme();
  });
  translate();
  language.value = uiLanguage();
  language.addEventListener("change", () => setUiLanguage(language.value));
}
