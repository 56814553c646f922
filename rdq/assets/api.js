// Talks to the server.

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

export const get = (path, signal) => send(path, { signal });

/** Sends something to be done. The header tells that this page sends it, and not another site. */
export const post = (path, body = {}) => send(path, {
  method: "POST",
  headers: { "content-type": "application/json", "x-rdq": "1" },
  body: JSON.stringify(body),
});

/** The path of a queue, whatever its name. */
export const queuePath = (queue, ...rest) =>
  ["/api/queues", encodeURIComponent(queue), ...rest].join("/");

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "rdq does not answer");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? response.statusText);
  return body;
}
