/** Captions as viewers see them: some lines that roll up; words that may still change are grey, and come last. */

const LINE_PAUSE_S = 1.5;
const MOST_LINES = 200;

export class Captions {
  #final = null;
  #end = 0;
  #provisional = document.createElement("span");

  constructor(box) {
    this.box = box;
    this.#provisional.className = "provisional";
  }

  clear() {
    this.box.replaceChildren();
    this.newLine();
  }

  /** Begin a new line, if the last one has words. */
  newLine() {
    if (this.#final?.isConnected && !this.#final.textContent) return;
    const line = document.createElement("p");
    this.#final = document.createElement("span");
    this.#final.className = "final";
    this.#provisional.textContent = "";
    line.append(this.#final, this.#provisional);
    this.box.append(line);
    if (this.box.children.length > MOST_LINES) this.box.firstChild.remove();
  }

  /** Show an answer of the stream. */
  show({ final = [], partial = "", end }) {
    for (const word of final) {
      if (word.start - this.#end >= LINE_PAUSE_S) this.newLine();
      this.#end = word.end ?? this.#end;
      this.#final.append(`${word.written} `);
    }
    if (end !== undefined) this.newLine();
    this.#provisional.textContent = partial;
    this.box.scrollTop = this.box.scrollHeight;
  }
}
