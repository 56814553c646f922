// Pauses and resumes a queue.

import { post, queuePath } from "./api.js";
import { confirm } from "./dialog.js";
import { h, say } from "./dom.js";
import { visible } from "./format.js";

/** A button that does the one or the other. Tell it whether the queue is paused by `update`. */
export function pauseButton(queue, context, changed) {
  let paused = false;
  const element = h("button", { type: "button", hidden: true, onclick: ask });

  function update(isPaused) {
    paused = isPaused;
    say(element, paused ? "Resume …" : "Pause …");
    element.hidden = context.readOnly();
  }

  async function ask() {
    if (!await context.mayChange()) return;
    const name = visible(queue);
    const [path, title, question, verb, done] = paused
      ? ["resume", "Resume this queue?", `All Rust clients of ${name} move and take elements again, at once.`, "Resume queue", "Resumed."]
      : ["pause", "Pause this queue?", `Rust clients of ${name} move and take nothing until somebody resumes it. Java services do not know pauses: they go on.`, "Pause queue", "Paused."];
    if (!await confirm({ title, question, verb, act: () => post(queuePath(queue, path)) })) return;
    context.tell(done);
    changed();
  }

  return { element, update };
}
