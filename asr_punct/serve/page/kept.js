/** Settings that the browser keeps between visits; without its permission they last as long as the page. */

export function load(name) {
  try {
    return localStorage.getItem(`asr-punct.${name}`);
  } catch {
    return null;
  }
}

export function save(name, value) {
  try {
    localStorage.setItem(`asr-punct.${name}`, value);
  } catch { /* not permitted */ }
}
