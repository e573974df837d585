/** Requests to the service, by addresses relative to the page. */

const MAX_TRIES = 5;

/** An error of a request: `key` and `values` are those of its text (see `t`). */
export class RequestError extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

const KEYS = { 401: "refused", 403: "refused", 413: "too_large", 503: "busy", 504: "too_long" };

/**
 * Return the answer to a request; while the service is busy, ask again. A request that takes too long (504) is not
 * repeated. Throws a RequestError.
 */
async function request(path, options = {}, tries = MAX_TRIES) {
  const answer = await fetch(new URL(path, document.baseURI), options).catch((error) => {
    throw error instanceof TypeError ? new RequestError("unreachable") : error;
  });
  if (answer.ok) return answer;
  if (answer.status === 503 && tries > 1) {
    const seconds = Number(answer.headers.get("retry-after")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    return request(path, options, tries - 1);
  }
  const { error } = await answer.json().catch(() => ({ error: null }));
  throw new RequestError(KEYS[answer.status] ?? (error && answer.status < 500 ? "bad_file" : "internal"), error ?? {});
}

/** Return the models: `[{name, languages, default}]`. */
export async function models() {
  return (await request("v1/models")).json();
}

/** Return what the service can do: `{microphone}`. */
export async function features() {
  return (await request("v1/features")).json();
}

function upload(file, settings, more, signal) {
  const form = new FormData();
  const { language, model, givenMarks } = settings;
  const options = { language, model, ...(givenMarks ? { [givenMarks]: true } : {}), ...more };
  for (const [name, value] of Object.entries(options)) {
    if (value) form.append(name, value);
  }
  form.append("file", file, file.name);
  return request("v1/punctuate", { method: "POST", body: form, signal });
}

/** Return the words of a file with marks and capitals, as the project's JSON, and its format; a `signal` ends the request. */
export async function punctuate(file, settings, signal) {
  const answer = await upload(file, settings, { to: "json", probabilities: true }, signal);
  return [await answer.json(), answer.headers.get("x-asr-punct-format") ?? ""];
}

/** Return a file with these labels of all words, in a format or, for "", in its own; `more` are further options. */
export async function exportFile(file, settings, labels, format, more = {}) {
  return (await upload(file, settings, { to: format, labels: JSON.stringify(labels), fill: false, ...more })).blob();
}

/** Return words as they are written with these labels. */
export async function written(words, labels, settings) {
  const { language, model } = settings;
  const items = words.map((word) => ({ word }));
  const body = { words: items, labels, language: language || null, model: model || null };
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await (await request("v1/punctuate", options)).json();
  return answer.words.map((word) => word.written);
}

/** Open the WebSocket of live streams. Pages of captions show what it answers under a name. */
export function openStream(name) {
  const address = new URL("v1/stream", document.baseURI); // the cookie of the page has the token, if there is one
  address.searchParams.set("captions", name);
  address.protocol = address.protocol.replace("http", "ws");
  return new WebSocket(address);
}
