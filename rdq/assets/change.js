// Changes one row of a list, or several. Asks before.

import { post, queuePath } from "./api.js";
import { confirm } from "./dialog.js";
import { h } from "./dom.js";
import { number, visible } from "./format.js";

/** How a request names a pending element. */
export const which = (row) => row.ticket ? { ticket: row.ticket } : { id: row.id, due_ms: row.due_ms };

/** Each resolves to what was done, or to nothing. */
export const cancel = (queue, rows) => change(queue, rows, {
  title: `Cancel ${these(rows)}?`,
  question: `Nobody will get ${rows.length === 1 ? "it" : "them"}. This cannot be taken back.`,
  verb: rows.length === 1 ? "Cancel element" : "Cancel elements",
  danger: true,
  path: "cancel",
  body: which,
  done: "Cancelled",
});

export const promote = (queue, rows) => change(queue, rows, {
  title: `Promote ${these(rows)}?`,
  question: rows.length === 1 ? "It becomes due now, and the next consumer gets it." : "They become due now, and the next consumers get them.",
  verb: "Promote",
  path: "promote",
  body: which,
  done: "Promoted",
});

export function reschedule(queue, rows) {
  const amount = h("input", { type: "number", min: "0", step: "any", value: "10", required: true, autofocus: true });
  const units = [["seconds", 1_000], ["minutes", 60_000], ["hours", 3_600_000], ["days", 86_400_000]];
  const unit = h("select", { "aria-label": "Unit" }, ...units.map(([name, ms]) => h("option", { value: ms, selected: name === "minutes" }, name)));
  return change(queue, rows, {
    title: `Reschedule ${these(rows)}`,
    verb: "Reschedule",
    fields: [h("label", {}, "Due from now in", h("span", { class: "pair" }, amount, unit))],
    path: "reschedule",
    body: (row) => ({ element: which(row), delay_ms: Math.round(amount.valueAsNumber * unit.value) }),
    done: "Rescheduled",
  });
}

export const requeue = (queue, letters) => change(queue, letters, {
  title: "Requeue",
  question: letters.length === 1
    ? `Put this dead letter back to the end of ${visible(letters[0].from ?? queue)}? It is due at once, and starts again with its first attempt.`
    : `Put ${number(letters.length)} dead letters back to the ends of the queues that they came from? They are due at once, and start again with their first attempts.`,
  verb: "Requeue",
  path: "requeue",
  // The oldest first, as they came.
  rows: letters.toReversed(),
  body: (letter) => ({ letter: letter.letter }),
  done: "Requeued",
});

const these = (rows) => rows.length === 1 ? "this element" : `these ${number(rows.length)} elements`;

/** Sends a request for each row, one after the other. A second try goes on where the first failed. */
async function change(queue, all, { path, body, done, rows = all, ...asked }) {
  const left = [...rows];
  let changed = 0;
  const act = async (closed) => {
    while (left.length > 0 && !closed.aborted) {
      try {
        await post(queuePath(queue, path), body(left[0]));
        changed += 1;
      } catch (error) {
        // Of several, some may be gone meanwhile.
        if (error.status !== 404 || all.length === 1) throw error;
      }
      left.shift();
    }
  };
  const isDone = await confirm({ ...asked, act });
  if (all.length === 1) return isDone && `${done}.`;
  return (isDone || changed > 0) && `${done} ${number(changed)} of ${number(all.length)}.`;
}
