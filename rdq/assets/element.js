// One pending element: all of it, and what can be done with it.

import { post, queuePath } from "./api.js";
import { confirm, show } from "./dialog.js";
import { h, momentOf } from "./dom.js";
import { bytes, pretty, relative, visible } from "./format.js";

/** Opens an element of a list. Calls `changed` if something was done. */
export async function openElement(queue, row, context, changed) {
  const which = row.ticket ? { ticket: row.ticket } : { id: row.id, due_ms: row.due_ms };
  let element;
  try {
    element = await post(queuePath(queue, "element"), which);
  } catch (error) {
    context.tell(error.message);
    return;
  }
  const facts = [
    ["Due", [momentOf(element.due_ms), ` (${relative(element.due_ms, Date.now())})`]],
    ["Expires", element.expires_ms == null ? "never" : momentOf(element.expires_ms)],
    ["In the offer order", element.listed ? "yes" : "no, it is unlisted"],
    ["Size", bytes(element.size)],
    ["Id", element.id],
  ];
  const value = element.value == null
    ? h("p", { class: "problem" }, `No codec reads the payload: ${element.error}`)
    : h("pre", { tabindex: "0", "aria-label": "Value" }, element.cut ? `${visible(element.value)}\n… cut off` : pretty(element.value).split("\n").map(visible).join("\n"));
  const act = (name, action) => h("button", { type: "button", class: name === "Cancel" ? "danger" : "", onclick: () => begin(action) }, `${name} …`);
  const actions = context.readOnly() ? [] : [act("Cancel", cancel), act("Reschedule", reschedule), act("Promote", promote)];
  const dialog = show("Pending element",
    h("dl", { class: "facts" }, ...facts.flatMap(([name, fact]) => [h("dt", {}, name), h("dd", {}, fact)])),
    value,
    element.payload && h("pre", { "aria-label": "Payload in Base64" }, element.payload),
    h("div", { class: "buttons" },
      h("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close"), ...actions));

  async function begin(action) {
    if (!await context.mayChange()) return;
    const done = await action();
    if (!done) return;
    dialog.close();
    context.tell(done);
    changed();
  }

  const to = (path, body) => () => post(queuePath(queue, path), body);

  async function cancel() {
    const done = await confirm({
      title: "Cancel this element?",
      question: "Nobody will get it. This cannot be taken back.",
      verb: "Cancel element",
      danger: true,
      act: to("cancel", which),
    });
    return done && "Cancelled.";
  }

  async function promote() {
    const done = await confirm({
      title: "Promote this element?",
      question: "It becomes due now, and the next consumer gets it.",
      verb: "Promote",
      act: to("promote", which),
    });
    return done && "Promoted.";
  }

  async function reschedule() {
    const amount = h("input", { type: "number", min: "0", step: "any", value: "10", required: true, autofocus: true });
    const units = [["seconds", 1_000], ["minutes", 60_000], ["hours", 3_600_000], ["days", 86_400_000]];
    const unit = h("select", { "aria-label": "Unit" }, ...units.map(([name, ms]) => h("option", { value: ms, selected: name === "minutes" }, name)));
    const done = await confirm({
      title: "Reschedule this element",
      verb: "Reschedule",
      fields: [h("label", {}, "Due from now in", h("span", { class: "pair" }, amount, unit))],
      act: () => to("reschedule", { element: which, delay_ms: Math.round(amount.valueAsNumber * unit.value) })(),
    });
    return done && "Rescheduled.";
  }
}
