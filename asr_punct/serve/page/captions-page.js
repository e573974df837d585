/**
 * Captions of a stream for viewers, as a browser source of OBS or on a projector. In the address: `stream`, the name of
 * the stream; `lines`, their number; `size`, height of the letters in per cent of the window; `colour` and `background`,
 * as in CSS (`ffffff` for #ffffff); `align`, `left`, `center` or `right`.
 */

import { Captions } from "./captions.js";
import { byId } from "./dom.js";

const AGAIN_MS = 1000;
const BEHIND = 4503; // the service closes: captions are missing
const query = new URLSearchParams(location.search);
const captions = new Captions(byId("captions"));

function setStyle() {
  const set = (name, value) => document.documentElement.style.setProperty(`--${name}`, value);
  const between = (value, least, most) => Math.min(most, Math.max(least, value));
  if (query.has("lines")) set("lines", between(Math.round(Number(query.get("lines"))) || 2, 1, 10));
  if (query.has("size")) set("size", `${between(Number(query.get("size")) || 7, 1, 50)}vh`);
  for (const name of ["colour", "background"]) {
    const value = query.get(name) ?? "";
    const colour = /^[0-9a-f]{3,8}$/i.test(value) ? `#${value}` : value;
    if (CSS.supports("color", colour)) set(name, colour);
  }
  if (["left", "center", "right"].includes(query.get("align"))) set("align", query.get("align"));
}

/** Return the answer of a stream; that of a Vosk server is made one. */
function answer(message) {
  if (!("text" in message)) return message;
  return { final: message.text.split(" ").filter(Boolean).map((written) => ({ written })), end: true };
}

/** Show the stream; if the connection ends, connect again. */
function connect() {
  const address = new URL("v1/captions", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  address.searchParams.set("stream", query.get("stream") ?? "");
  const socket = new WebSocket(address);
  socket.onmessage = ({ data }) => captions.show(answer(JSON.parse(data)));
  socket.onclose = ({ code }) => {
    if (code === BEHIND) captions.show({ final: [{ written: "…" }], end: true });
    setTimeout(connect, AGAIN_MS);
  };
  socket.onopen = () => { document.body.dataset.connected = "true"; };
}

setStyle();
captions.clear();
connect();
