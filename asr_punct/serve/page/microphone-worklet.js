/** Collects the samples of a microphone in the thread of the sound, and posts them in blocks. */

const BLOCK = 2048;

registerProcessor("microphone", class extends AudioWorkletProcessor {
  #block = new Float32Array(BLOCK);
  #filled = 0;

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.#block[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled === BLOCK) {
        this.port.postMessage(this.#block.slice());
        this.#filled = 0;
      }
    }
    return true;
  }
});
