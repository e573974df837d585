/** Words as they are typed and shown, with the marks and cases of the service. */

import { AFTER, ANY_GLYPH, BEFORE, CASES, GLYPHS } from "./tables.js";

/** The mark that a key sets: that of its character, and the hyphen a dash. */
export const KEYS = { ...Object.fromEntries(Object.entries(GLYPHS).map(([name, glyph]) => [glyph, name])), "-": "DASH" };

/** Return a word as it is written with its labels, to be shown until the service has written it by its rules. */
export function draft({ word, marks, case: name }) {
  const glyphs = (names) => names.filter((mark) => marks.includes(mark)).map((mark) => GLYPHS[mark]).join("");
  const capital = name === "FIRST_CAP" ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  const dash = marks.includes("DASH") ? " " : "";
  return glyphs(BEFORE) + (name === "ALL_CAPS" ? word.toUpperCase() : capital) + dash + glyphs(AFTER);
}

/**
 * Split a written word: `[{text, mark}]`, where `mark` is null for the word itself. Marks may be inside the quotation
 * marks or brackets of the word.
 */
export function split(word, written) {
  const core = word.match(/[\p{L}\p{N}](.*[\p{L}\p{N}])?/u)?.[0] ?? word;
  const start = written.toLowerCase().indexOf(core.toLowerCase());
  if (start < 0 || written.length === word.length) return [{ text: written, mark: null }];
  const end = start + core.length;
  const place = word.indexOf(core);
  const nameOf = (char, dash) => (char === GLYPHS.DASH ? dash : ANY_GLYPH[char] ?? "");
  const marks = (text, own, dash) => [...text].map((char) => ({ text: char, mark: own.includes(char) ? null : nameOf(char, dash) }));
  return [
    ...marks(written.slice(0, start), word.slice(0, place), "OPEN_DASH"),
    { text: written.slice(start, end), mark: null },
    ...marks(written.slice(end), word.slice(place + core.length), "DASH"),
  ];
}

/** Return the word, marks and case of a token as it is typed: `¿Hola,`; what is no mark or plain case stays in the word. */
export function labelled(token) {
  const characters = [...token.replace(/\.\.\.(?=\W*$)/, "…")];
  const marks = [];
  const take = (names, dash, from) => {
    const nameOf = (glyph) => (glyph === GLYPHS.DASH ? dash : ANY_GLYPH[glyph]);
    while (characters.length > 1 && names.includes(nameOf(characters.at(from)))) {
      marks.push(nameOf(characters.splice(from, 1)[0]));
    }
  };
  take(BEFORE, "OPEN_DASH", 0);
  take(AFTER, "DASH", -1);
  const word = characters.join("");
  const found = CASES.map((name) => ({ word: word.toLowerCase(), marks: marks.sort(), case: name }));
  const plain = found.find((each) => draft(each) === draft({ ...each, word, case: "O" }));
  return plain ?? { word, marks, case: "O" };
}
