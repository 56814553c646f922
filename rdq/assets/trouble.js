// What is wrong with a queue at first sight.

import { number, span } from "./format.js";

/** An element that is overdue for so long waits for somebody. */
const LATE = 2_000;

/** Whether due elements wait for somebody who moves them. */
export const isStuck = (queue) => !queue.paused && queue.overdue > 0 && queue.at_ms - queue.next_due_ms > LATE;

/** How many elements Rust clients have. Nobody looks for lost leases if too many are claimed. */
export const held = (queue) => queue.in_flight + queue.claimed + (queue.unleased ?? 0);

/** What is wrong with a queue of the list: texts, and whether each needs somebody soon. */
export function troubles(queue) {
  if (queue.error) return [{ text: queue.error, bad: true }];
  const found = [];
  const add = (is, text, bad) => is && found.push({ text, bad });
  add(queue.note, queue.note, queue.note !== "paused");
  add(isStuck(queue) && !queue.note.includes("stalled"), `stuck for ${span(queue.at_ms - queue.next_due_ms)}`, true);
  const { critical = 0, warnings = 0 } = queue.findings ?? {};
  add(critical > 0, `${number(critical)} critical`, true);
  add(warnings > 0, warnings === 1 ? "1 warning" : `${number(warnings)} warnings`, false);
  return found;
}

/** By which queues stand in the list: what cannot be counted, what is bad, what is odd, the rest. */
export function rank(queue) {
  if (queue.error) return 0;
  const found = troubles(queue);
  return found.some((it) => it.bad) ? 1 : found.length > 0 ? 2 : 3;
}
