/** The sound around the place that is played, with the cues on it: their edges can be dragged, a click plays there. */

import { byId } from "./dom.js";
import { currentTab } from "./tabs.js";

const RATE = 8000; // the page decodes to this rate, to save memory
const PEAK_S = 0.01;
const WINDOW_S = 12;
const EDGE_PX = 6;
const LARGEST_BYTES = 500e6;

/** Return the loudest sample of each `PEAK_S` of a file. */
async function peaksOf(file) {
  const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await file.arrayBuffer());
  const samples = sound.getChannelData(0);
  const size = RATE * PEAK_S;
  const peaks = new Float32Array(Math.ceil(samples.length / size));
  for (let i = 0; i < samples.length; i += 1) {
    const peak = Math.floor(i / size);
    peaks[peak] = Math.max(peaks[peak], Math.abs(samples[i]));
  }
  const loudest = peaks.reduce((one, other) => Math.max(one, other), 1e-3);
  return peaks.map((peak) => peak / loudest);
}

/** Draws on `#waveform` while the cues of `CueTools` are shown. */
export class Waveform {
  #peaks = null;
  #file = null;
  #dragged = null;
  #middle = 0;

  constructor(player, tools) {
    this.player = player;
    this.tools = tools;
    this.canvas = byId("waveform");
    for (const event of ["timeupdate", "seeked"]) {
      player.audio.addEventListener(event, () => this.goTo(player.audio.currentTime));
    }
    player.addEventListener("open", () => this.update());
    tools.addEventListener("change", () => this.update());
    document.addEventListener("tabchange", () => this.update());
    addEventListener("resize", () => this.#draw());
    document.addEventListener("themechange", () => this.#draw());
    this.canvas.addEventListener("pointerdown", (event) => this.#press(event));
    this.canvas.addEventListener("pointermove", (event) => this.#move(event));
    this.canvas.addEventListener("pointerup", () => this.#release());
  }

  /** Show it or not, and decode the sound the first time. */
  update() {
    const { file } = this.player;
    this.canvas.hidden = !(this.tools.isShown && file && currentTab() === "tab-file");
    if (!this.canvas.hidden && file !== this.#file) this.#decode(file);
    this.#draw();
  }

  /** Decode the sound of a file and draw it, unless another file takes its place meanwhile. */
  #decode(file) {
    this.#file = file;
    this.#peaks = null;
    delete this.canvas.dataset.peaks;
    if (file.size >= LARGEST_BYTES) return;
    peaksOf(file).then((peaks) => {
      if (file !== this.#file) return;
      this.#peaks = peaks;
      this.canvas.dataset.peaks = peaks.length;
      this.#draw();
    }, () => {}); // a video whose sound cannot be decoded: the cues are drawn without it
  }

  /** Show the sound around a time. */
  goTo(seconds) {
    this.#middle = seconds;
    this.#draw();
  }

  get #begin() {
    if (this.#dragged) return this.#dragged.begin;
    return Math.max(0, this.#middle - WINDOW_S / 3);
  }

  #x(seconds) {
    return ((seconds - this.#begin) / WINDOW_S) * this.canvas.clientWidth;
  }

  #seconds(event) {
    return this.#begin + (event.offsetX / this.canvas.clientWidth) * WINDOW_S;
  }

  /** Return the edge of a cue at a place, `{cue, side}`, or nothing. */
  #edge(event) {
    for (const cue of this.tools.cues.list) {
      for (const side of ["start", "end"]) {
        if (Math.abs(this.#x(cue[side]) - event.offsetX) <= EDGE_PX) return { cue, side };
      }
    }
    return null;
  }

  #press(event) {
    const edge = this.#edge(event);
    if (!edge) {
      this.player.audio.currentTime = this.#seconds(event);
      return;
    }
    this.#dragged = { ...edge, begin: this.#begin, time: edge.cue[edge.side] };
    this.canvas.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (this.#dragged) {
      this.#dragged.time = this.#seconds(event);
      this.#draw();
    } else if (this.tools.cues) this.canvas.style.cursor = this.#edge(event) ? "ew-resize" : "pointer";
  }

  #release() {
    if (!this.#dragged) return;
    const { cue, side, time } = this.#dragged;
    this.#dragged = null;
    if (side === "start") this.tools.cues.setTimes(cue, Math.min(time, cue.end - PEAK_S), cue.end);
    else this.tools.cues.setTimes(cue, cue.start, Math.max(time, cue.start + PEAK_S));
  }

  #draw() {
    const { canvas } = this;
    if (canvas.hidden || !this.tools.cues) return;
    const scale = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    // page.css gives these properties the colours of the theme: a canvas knows no variables of CSS
    const { color, borderTopColor, outlineColor, textDecorationColor } = getComputedStyle(canvas);
    this.#drawCues(context, [textDecorationColor, borderTopColor], height);
    this.#drawSound(context, color, width, height);
    context.fillStyle = outlineColor;
    context.fillRect(this.#x(this.player.audio.currentTime), 0, 2, height);
  }

  #drawCues(context, [inside, edge], height) {
    const dragged = this.#dragged;
    const begin = this.#begin;
    for (const [index, cue] of this.tools.cues.groups.list.entries()) {
      if (!cue.words.length || cue.end < begin || cue.start > begin + WINDOW_S) continue;
      const time = (side) => this.#x(dragged?.cue === cue && dragged.side === side ? dragged.time : cue[side]);
      const [left, right] = [time("start"), time("end")];
      context.fillStyle = inside;
      context.fillRect(left, 0, right - left, height);
      context.fillStyle = edge;
      for (const x of [left, right - 1]) context.fillRect(x, 0, 1.5, height);
      context.fillText(index + 1, left + 4, 11);
    }
  }

  #drawSound(context, colour, width, height) {
    if (!this.#peaks) return;
    context.fillStyle = colour;
    const begin = this.#begin;
    for (let x = 0; x < width; x += 1) {
      const peak = this.#peaks[Math.floor((begin + (x / width) * WINDOW_S) / PEAK_S)] ?? 0;
      context.fillRect(x, (height * (1 - peak)) / 2, 1, Math.max(1, height * peak));
    }
  }
}
