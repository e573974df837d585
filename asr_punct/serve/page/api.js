/** Requests to the service, by addresses relative to the page. */

const MAX_TRIES = 5;

/**
 * Return the answer to a request; while the service is busy, ask again. A request that takes too long (504) is not
 * repeated. Throws an Error with the service's message.
 */
async function request(path, options = {}, tries = MAX_TRIES) {
  const answer = await fetch(new URL(path, document.baseURI), options);
  if (answer.ok) return answer;
  if (answer.status === 503 && tries > 1) {
    const seconds = Number(answer.headers.get("retry-after")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    return request(path, options, tries - 1);
  }
  const { error } = await answer.json().catch(() => ({ error: null }));
  const message = error && `${error.place}: found ${error.found}, expected ${error.expected}`;
  throw new Error(message ?? `status ${answer.status}`);
}

/** Return the models: `[{name, languages, default}]`. */
export async function models() {
  return (await request("v1/models")).json();
}

function upload(file, settings, more, signal) {
  const form = new FormData();
  const options = { language: settings.language, model: settings.model, ignore_labels: settings.ignoreLabels, ...more };
  for (const [name, value] of Object.entries(options)) {
    if (value) form.append(name, value);
  }
  form.append("file", file, file.name);
  return request("v1/punctuate", { method: "POST", body: form, signal });
}

/** Return the words of a file with marks and capitals, as the project's JSON; a `signal` ends the request. */
export async function punctuate(file, settings, signal) {
  return (await upload(file, settings, { to: "json", probabilities: true }, signal)).json();
}

/** Return a file with these labels of all words, in a format or, for "", in its own. */
export async function exportFile(file, settings, labels, format) {
  return (await upload(file, settings, { to: format, labels: JSON.stringify(labels) })).blob();
}

/** Return a word as it is written with these labels. */
export async function written(word, labels, settings) {
  const { language, model } = settings;
  const body = { words: [{ word }], labels: [labels], language: language || null, model: model || null };
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await (await request("v1/punctuate", options)).json();
  return answer.words[0].written;
}

/** Open the WebSocket of live streams. The cookie of the page has the token, if there is one. */
export function openStream() {
  const address = new URL("v1/stream", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  return new WebSocket(address);
}
