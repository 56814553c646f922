// What the doctor finds in a queue.

import { get, queuePath } from "./api.js";
import { h } from "./dom.js";

export function findingsTab(queue) {
  const element = h("div", { class: "findings" });

  async function load() {
    element.replaceChildren(h("p", {}, "Examining …"));
    try {
      const { findings } = await get(queuePath(queue, "findings"));
      element.replaceChildren(...(findings.length ? findings.map(show) : [h("p", {}, "Nothing is wrong.")]));
    } catch (error) {
      element.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  return { element, load, tick() {} };
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
