// What the doctor finds in a queue.

import { get, queuePath } from "./api.js";
import { h, say } from "./dom.js";

/** How long to wait after a failure. */
const AGAIN = 5_000;

/** How old findings about servers may become: as old as those that the server keeps. */
const LIVE = 30_000;

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

/** What the doctor finds in the servers, folded. It is always there: rows below must not move. */
export function serverFindings() {
  const summary = h("summary", {}, "Servers: examining …");
  const list = h("div");
  const element = h("details", { class: "findings" }, summary, list);
  let readAt = 0;
  let shown = "";

  /** Reads them, if what is known is old. */
  async function refresh() {
    if (Date.now() - readAt < LIVE) return;
    readAt = Date.now();
    const { findings } = await get("/api/findings");
    const count = (severity) => findings.filter((it) => it.severity === severity).length;
    const several = (severity, name) => count(severity) === 1 ? `1 ${severity}` : `${count(severity)} ${name}`;
    const counts = [several("critical", "critical"), several("warning", "warnings"), several("note", "notes")];
    const found = counts.filter((it) => !it.startsWith("0")).join(", ");
    say(summary, `Servers: ${found || "nothing is wrong"}`);
    summary.classList.toggle("alarming", count("critical") > 0);
    // What is the same can be selected while the page is live.
    if (shown === JSON.stringify(findings)) return;
    shown = JSON.stringify(findings);
    list.replaceChildren(...findings.map(show));
  }

  return { element, refresh };
}

function show(finding) {
  const { severity, what, example, why, advice, issues, server } = finding;
  return h("article", { class: severity },
    h("h3", {}, h("span", { class: severity === "critical" ? "note alarming" : "note" }, severity), ` ${what}`),
    h("dl", { class: "facts" }, ...[
      ["Example", example && h("code", {}, example)],
      ["Server", server],
      ["Why", why],
      ["What to do", h("span", { class: "advice" }, advice)],
      ["Redisson", issues?.length ? issues.join(", ") : null],
    ].flatMap(([name, fact]) => fact ? [h("dt", {}, name), h("dd", {}, fact)] : [])));
}
