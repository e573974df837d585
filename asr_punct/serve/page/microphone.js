/** Sends what a microphone hears to the Vosk server behind the service. */

const RATE = 16000;
const EOF = '{"eof" : 1}'; // vosk-server compares it character by character

/** Events: `level` (`detail` is the loudness from 0 to 1), `result` (an answer of the Vosk server) and `end`. */
export class Microphone extends EventTarget {
  #context = null;
  #stream = null;
  #socket = null;

  get isOpen() {
    return this.#socket !== null;
  }

  /** Ask for permission and begin. Throws the browser's error without permission or microphone. */
  async start(name) {
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    try {
      this.#context = new AudioContext({ sampleRate: RATE });
      await this.#context.audioWorklet.addModule(new URL("microphone-worklet.js", import.meta.url));
    } catch (error) {
      this.#close();
      throw error;
    }
    await this.#connect(name);
    if (!this.#stream) return; // the connection has ended already
    const node = new AudioWorkletNode(this.#context, "microphone");
    node.port.onmessage = ({ data }) => this.#send(data);
    this.#context.createMediaStreamSource(this.#stream).connect(node);
  }

  /** Stop listening; the last result comes before `end`. */
  stop() {
    if (!this.#stream) return;
    this.#close();
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(EOF);
  }

  #close() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#context?.close();
    this.#stream = this.#context = null;
  }

  #connect(name) {
    const address = new URL("./", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    address.searchParams.set("captions", name);
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.dispatchEvent(new CustomEvent("result", { detail: JSON.parse(data) }));
    return new Promise((resolve) => {
      socket.onclose = ({ reason }) => {
        this.#close();
        this.#socket = null;
        this.dispatchEvent(new CustomEvent("end", { detail: reason }));
        resolve();
      };
      socket.onopen = () => {
        socket.send(JSON.stringify({ config: { sample_rate: RATE, words: true } }));
        resolve();
      };
    });
  }

  #send(samples) {
    if (!this.#stream || this.#socket?.readyState !== WebSocket.OPEN) return;
    this.dispatchEvent(new CustomEvent("level", { detail: samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0) }));
    this.#socket.send(Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32767).buffer);
  }
}
