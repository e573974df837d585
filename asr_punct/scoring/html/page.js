"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const words = [...document.querySelectorAll("#words [data-t]")];
  const player = byId("player");

  const focusWord = (word) => {
    words.forEach((other) => { if (other.tabIndex === 0) other.tabIndex = -1; });
    word.tabIndex = 0;
    word.focus();
  };
  const play = (word) => {
    player.currentTime = Number(word.dataset.t);
    player.play().catch(() => {});
  };
  const times = words.map((word) => Number(word.dataset.t));
  let current = null;
  const follow = () => {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= player.currentTime + 0.01) low = middle + 1; else high = middle;
    }
    const word = words[low - 1] || null;
    if (word === current) return;
    if (current) current.classList.remove("now");
    if (word) word.classList.add("now");
    current = word;
  };
  if (player && words.length) {
    words[0].tabIndex = 0;
    byId("words").addEventListener("click", (event) => {
      const word = event.target.closest("[data-t]");
      if (word) { focusWord(word); play(word); }
    });
    byId("words").addEventListener("keydown", (event) => {
      const index = words.indexOf(event.target);
      if (index < 0) return;
      const next = { ArrowRight: index + 1, ArrowLeft: index - 1 }[event.key];
      if (next !== undefined && words[next]) { event.preventDefault(); focusWord(words[next]); }
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(event.target); }
    });
    player.addEventListener("timeupdate", follow);
  }

  const errors = [...document.querySelectorAll("#words del, #words ins, #words .case")];
  let place = -1;
  const step = (by) => {
    place = (place + by + errors.length) % errors.length;
    const target = errors[place];
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "center" });
  };
  for (const [id, by] of [["previous-error", -1], ["next-error", 1]]) {
    const button = byId(id);
    button.hidden = errors.length === 0;
    button.textContent += " error";
    button.addEventListener("click", () => step(place < 0 && by < 0 ? 0 : by));
  }
})();
