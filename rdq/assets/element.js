// One pending element: all of it, and what can be done with it.

import { post, queuePath } from "./api.js";
import { cancel, promote, reschedule, which } from "./change.js";
import { show } from "./dialog.js";
import { h, momentOf } from "./dom.js";
import { bytes, pretty, relative, visible } from "./format.js";

/** Opens an element of a list. Calls `changed` if something was done. */
export async function openElement(queue, row, context, changed) {
  let element;
  try {
    element = await post(queuePath(queue, "element"), which(row));
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
    const done = await action(queue, [row]);
    if (!done) return;
    dialog.close();
    context.tell(done);
    changed();
  }
}
