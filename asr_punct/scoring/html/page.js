"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const all = [...document.querySelectorAll("#words .w")];
  const words = all.filter((word) => word.dataset.t);
  const player = byId("player");

  // Tab reaches one word; arrow keys go on from there.
  const makeTabStop = (word) => {
    words.forEach((other) => { if (other.tabIndex === 0) other.tabIndex = -1; });
    word.tabIndex = 0;
  };
  const play = (word) => {
    player.currentTime = Number(word.dataset.t);
    player.play().catch(() => {});
  };
  const followed = words.filter((word) => !word.closest(".other"));
  const times = followed.map((word) => Number(word.dataset.t));
  let current = null;
  const follow = () => {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= player.currentTime + 0.01) low = middle + 1; else high = middle;
    }
    const word = followed[low - 1] || null;
    if (word === current) return;
    if (current) current.classList.remove("now");
    if (word) word.classList.add("now");
    current = word;
  };
  if (player && words.length) {
    makeTabStop(words[0]);
    byId("words").addEventListener("click", (event) => {
      const word = event.target.closest("[data-t]");
      if (word) { makeTabStop(word); word.focus(); play(word); }
    });
    byId("words").addEventListener("keydown", (event) => {
      const index = words.indexOf(event.target);
      if (index < 0) return;
      const next = words[{ ArrowRight: index + 1, ArrowLeft: index - 1 }[event.key]];
      if (next) { event.preventDefault(); makeTabStop(next); next.focus(); }
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(event.target); }
    });
    player.addEventListener("timeupdate", follow);
  }

  const errors = all.filter((word) => word.querySelector("del, ins, .case"));
  const output = byId("which-error");
  let selected = null;
  const select = (word) => {
    if (selected) selected.classList.remove("here");
    selected = word;
  };
  const step = (ordered, direction) => {
    const visible = ordered.filter((error) => error.offsetParent);
    select(visible.find((error) => selected && selected.compareDocumentPosition(error) & direction) || visible[0]);
    if (!selected) return;
    selected.classList.add("here");
    selected.scrollIntoView({ block: "center" });
    if (selected.dataset.t) makeTabStop(selected);
    const parts = [...selected.querySelectorAll("[title]")].map((part) => `${part.title}: ${part.textContent}`);
    output.textContent = `${errors.indexOf(selected) + 1} of ${errors.length}: ${parts.join("; ")}`;
  };
  const steps = {
    "previous-error": [[...errors].reverse(), Node.DOCUMENT_POSITION_PRECEDING],
    "next-error": [errors, Node.DOCUMENT_POSITION_FOLLOWING],
  };
  for (const [id, stepArguments] of Object.entries(steps)) {
    byId(id).disabled = errors.length === 0;
    byId(id).addEventListener("click", () => step(...stepArguments));
  }
  byId("only-different")?.addEventListener("change", (event) => {
    byId("words").classList.toggle("only-different", event.target.checked);
  });
  byId("words").addEventListener("click", (event) => {
    const word = event.target.closest(".w");
    if (word) select(word);
  });
  output.textContent = errors.length ? `words with errors: ${errors.length}` : "no errors";
})();
