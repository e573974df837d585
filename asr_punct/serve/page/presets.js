/** Limits of subtitles (`asr_punct/subtitles/limits.py`); speeds are characters a second, "" those of other languages. */
export const PRESETS = {
  netflix: { characters: 42, lines: 2, min_seconds: 5 / 6, max_seconds: 7, min_gap: 2 / 24, speeds: { "": 17, en: 20 }, dash: "-" },
  bbc: { characters: 37, lines: 2, min_seconds: 1, max_seconds: 7, min_gap: 0, speeds: { "": 15 }, dash: "– " },
  une: { characters: 37, lines: 2, min_seconds: 1, max_seconds: 6, min_gap: 2 / 25, speeds: { "": 15 }, dash: "-" },
};

/** Return the limits of a preset for a language, with its `speed`. */
export function limitsOf(name, language) {
  const { speeds, ...limits } = PRESETS[name];
  return { ...limits, speed: speeds[language] ?? speeds[""] };
}
