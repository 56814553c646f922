// The rows of a page that somebody selected, and what can be done with them.

import { h, say } from "./dom.js";
import { number } from "./format.js";

/** `actions` are names, whether they destroy something, and what does it with rows. */
export function selectionOf(actions) {
  const boxes = new Map();
  const all = h("input", { type: "checkbox", "aria-label": "Select this page", onchange: () => {
    for (const box of boxes.keys()) box.checked = all.checked;
    show();
  } });
  const count = h("span", { class: "summary", role: "status" });
  const buttons = actions.map(({ name, danger, act }) => h("button",
    { type: "button", class: danger ? "danger" : "", disabled: true, onclick: () => act(rows()) }, `${name} selected …`));
  // It is always there: rows must not move when the first is selected.
  const element = h("div", { class: "bar-of-tools for-writers" }, count, ...buttons);

  const rows = () => [...boxes].filter(([box]) => box.checked).map(([, row]) => row);

  function show() {
    const selected = rows().length;
    say(count, `${number(selected)} selected`);
    for (const button of buttons) button.disabled = selected === 0;
    all.checked = selected > 0 && selected === boxes.size;
    all.indeterminate = selected > 0 && selected < boxes.size;
  }

  /** The cells of the rows that are shown from now on. Those that were selected before still are. */
  function cells(shown) {
    const before = rows().map((row) => JSON.stringify(row));
    boxes.clear();
    const made = shown.map((row, i) => {
      // Of rows that look the same, no more are selected than before.
      const at = before.indexOf(JSON.stringify(row));
      const checked = at !== -1;
      if (checked) before.splice(at, 1);
      const box = h("input", { type: "checkbox", "aria-label": `Select row ${i + 1}`, checked, onchange: show });
      boxes.set(box, row);
      return h("td", { class: "check for-writers" }, box);
    });
    show();
    return made;
  }

  return { element, heading: h("th", { class: "check for-writers", scope: "col" }, all), cells, isEmpty: () => rows().length === 0 };
}
