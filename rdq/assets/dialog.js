// Dialogs. <dialog> keeps the focus inside, closes on Escape, and gives the focus back.

import { post } from "./api.js";
import { h } from "./dom.js";

let count = 0;

/** Shows a dialog, and returns it. It is gone when it is closed. */
export function show(title, ...content) {
  const id = `dialog-${++count}`;
  const dialog = h("dialog", { "aria-labelledby": id, onclose: () => dialog.remove() },
    h("h2", { id }, title), ...content);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks whether to do something, and does it. The dialog stays open with the reason if it fails.
 * `act` gets a signal that says when somebody closes the dialog meanwhile. Resolves to whether it
 * was done. `fields` are shown between the question and the buttons.
 */
export function confirm({ title, question, verb, danger = false, fields = [], act }) {
  return new Promise((resolve) => {
    let done = false;
    const closed = new AbortController();
    const problem = h("p", { class: "problem", role: "alert" });
    const go = h("button", { type: "submit", class: danger ? "danger" : "primary" }, verb);
    const submit = async (event) => {
      event.preventDefault();
      go.disabled = true;
      problem.textContent = "";
      try {
        await act(closed.signal);
        done = true;
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        go.disabled = false;
      }
    };
    // Nothing happens by a key that is pressed too often: the focus is on the way back.
    const back = h("button", { type: "button", autofocus: fields.length === 0, onclick: () => dialog.close() }, "Back");
    const dialog = show(title, h("form", { onsubmit: submit },
      question && h("p", {}, question), ...fields, problem, h("div", { class: "buttons" }, back, go)));
    dialog.addEventListener("close", () => {
      closed.abort();
      resolve(done);
    });
  });
}

/** Asks for a token. Resolves to whether somebody logged in. */
export function login(reason) {
  const token = h("input", { type: "password", autocomplete: "off", required: true, autofocus: true, spellcheck: "false" });
  return confirm({
    title: "Log in",
    question: reason,
    verb: "Log in",
    fields: [h("label", {}, "Token", token)],
    act: () => post("/api/login", { token: token.value }),
  });
}

export function help() {
  const keys = [
    ["/", "Filter or search"],
    ["j, k", "Next or previous row"],
    ["Enter", "Open the row"],
    ["1 to 6", "Pending, ready, dead letters, leases, quarantine, findings"],
    ["r", "Read the list again"],
    ["u", "Up to all queues"],
    ["Esc", "Close a dialog"],
  ];
  show("Keyboard shortcuts",
    h("dl", { class: "keys" }, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("form", { method: "dialog", class: "buttons" }, h("button", { autofocus: true }, "Close")));
}
