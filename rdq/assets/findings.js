// What the doctor finds in a queue.

import { get, queuePath } from "./api.js";
import { h } from "./dom.js";

/** How long to wait after a failure. */
const AGAIN = 5_000;

export function findingsTab(queue) {
  const element = h("div", { class: "findings" });
  let failedAt = null;

  async function load() {
    if (!failedAt) element.replaceChildren(h("p", {}, "Examining …"));
    try {
      const { findings } = await get(queuePath(queue, "findings"));
      element.replaceChildren(...(findings.length ? findings.map(show) : [h("p", {}, "Nothing is wrong.")]));
      failedAt = null;
    } catch (error) {
      failedAt = Date.now();
      element.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  /** Looks again after a failure, which may have been about Redis. */
  function tick() {
    if (!failedAt || Date.now() - failedAt < AGAIN) return;
    failedAt = Date.now();
    load();
  }

  return { element, load, tick };
}

function show(finding) {
  const { severity, what, example, why, advice, issues, server } = finding;
  return h("article", { class: severity },
    h("h3", {}, h("span", { class: severity === "critical" ? "note alarming" : "note" }, severity), ` ${what}`),
    h("dl", { class: "facts" }, ...[
      ["Example", example && h("code", {}, example)],
      ["Server", server],
      ["Why", why],
      ["What to do", advice],
      ["Redisson", issues?.length ? issues.join(", ") : null],
    ].flatMap(([name, fact]) => fact ? [h("dt", {}, name), h("dd", {}, fact)] : [])));
}
