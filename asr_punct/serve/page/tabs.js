/** The tabs: arrow keys go from one to the next. `tabchange` on the document has the new tab's id. */

import { byId } from "./dom.js";

const tabs = [...document.querySelectorAll("[role=tab]")];

export const currentTab = () => tabs.find((tab) => tab.ariaSelected === "true").id;

function show(shown) {
  for (const tab of tabs) {
    tab.ariaSelected = String(tab === shown);
    tab.tabIndex = tab === shown ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = tab !== shown;
  }
  document.dispatchEvent(new Event("tabchange"));
}

export function startTabs() {
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      show(next);
    });
  }
}
