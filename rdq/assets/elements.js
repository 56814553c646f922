// The elements of a queue, a page at a time: pending, ready and dead.

import { get, post, queuePath } from "./api.js";
import { cancel, promote, requeue, reschedule } from "./change.js";
import { confirm } from "./dialog.js";
import { h, momentOf, say } from "./dom.js";
import { openElement } from "./element.js";
import { bytes, number, relative, time, visible } from "./format.js";
import { purge } from "./purge.js";
import { selectionOf } from "./selection.js";

/** How many rows a page has: what the server sends at once. */
const ROWS = 50;

/** How old the first page may become. */
const LIVE = 3_000;

export function pendingTab(queue, context) {
  const list = listTab(queue, context, {
    path: "pending",
    headings: ["Due", "Value", "Size", "Id"],
    empty: "Nothing is pending.",
    actions: [
      { name: "Cancel", danger: true, act: (rows) => list.change(cancel, rows) },
      { name: "Reschedule", act: (rows) => list.change(reschedule, rows) },
      { name: "Promote", act: (rows) => list.change(promote, rows) },
    ],
    row: (it) => [
      timeCell("Due", it.due_ms),
      h("td", { class: "value" }, opener(it, () => openElement(queue, it, context, list.load))),
      h("td", { class: "number", "data-label": "Size" }, bytes(it.size)),
      h("td", { class: "id", "data-label": "Id", title: it.id }, it.id.slice(0, 16)),
    ],
  });
  return list;
}

export function readyTab(queue, context) {
  return listTab(queue, context, {
    path: "ready",
    headings: ["Place", "Value", "Size"],
    empty: "Nothing is ready.",
    row: (it) => [
      h("td", { class: "number", "data-label": "Place" }, number(it.place + 1)),
      h("td", { class: "value" }, valueOf(it)),
      h("td", { class: "number", "data-label": "Size" }, bytes(it.size)),
    ],
  });
}

export function deadTab(queue, context) {
  const list = listTab(queue, context, {
    path: "dead",
    headings: ["Died", "Value", "Reason", "Attempts", ""],
    empty: "There are no dead letters.",
    actions: [
      { name: "Requeue", act: (rows) => list.change(requeue, rows) },
      { name: "Purge", danger: true, act: (rows) => remove(rows) },
    ],
    tools: [
      h("button", { type: "button", class: "for-writers", onclick: () => requeueAll() }, "Requeue all …"),
      h("button", { type: "button", class: "for-writers danger", onclick: () => remove() }, "Purge all …"),
    ],
    row: (it) => [
      timeCell("Died", it.died_ms),
      h("td", { class: "value" }, valueOf(it)),
      h("td", { class: "reason", "data-label": "Reason", title: it.reason }, h("span", {}, visible(it.reason ?? "–"))),
      h("td", { class: "number", "data-label": "Attempts" }, it.attempts ?? "–"),
      h("td", { class: "actions" },
        h("button", { type: "button", class: "for-writers", onclick: () => list.change(requeue, [it]) }, "Requeue …"),
        h("button", { type: "button", class: "for-writers danger", onclick: () => remove([it]) }, "Purge …")),
    ],
  });

  /** Purges these letters, or all. */
  async function remove(letters) {
    if (!await context.mayChange()) return;
    await purge(queue, letters, context.tell);
    list.load();
  }

  async function requeueAll() {
    if (!await context.mayChange()) return;
    const question = `Put all dead letters back to the end of ${visible(queue)}? They are due at once, and start again with their first attempts.`;
    const act = () => post(queuePath(queue, "requeue-all"));
    if (!await confirm({ title: "Requeue", question, verb: "Requeue", act })) return;
    context.tell("Requeued all dead letters.");
    list.load();
  }

  return list;
}

export function quarantineTab(queue, context) {
  return listTab(queue, context, {
    path: "quarantine",
    headings: ["Due", "Bytes", "Fault", "Size", "Member"],
    empty: "The quarantine is empty.",
    row: (it) => [
      timeCell("Due", it.due_ms),
      h("td", { class: "value" }, h("code", {}, visible(it.bytes))),
      h("td", { class: "reason", "data-label": "Fault" }, h("span", {}, it.fault ?? "none: it can be read")),
      h("td", { class: "number", "data-label": "Size" }, bytes(it.size)),
      h("td", { class: "id", "data-label": "Member" }, it.member),
    ],
  });
}

export function leasesTab(queue, context) {
  return listTab(queue, context, {
    path: "leases",
    headings: ["Until", "Kind", "Value", "Attempt", "Size", "Lease"],
    empty: "No Rust process holds an element.",
    row: (it) => [
      timeCell("Until", it.until_ms),
      h("td", { "data-label": "Kind" }, it.expired && it.kind !== "retrying" ? `${it.kind}, expired` : it.kind),
      h("td", { class: "value" }, valueOf(it)),
      h("td", { class: "number", "data-label": "Attempt" }, number(it.attempt)),
      h("td", { class: "number", "data-label": "Size" }, bytes(it.size)),
      h("td", { class: "id", "data-label": "Lease" }, it.lease),
    ],
  });
}

/** A list with a search and pages. */
function listTab(queue, context, { path, headings, empty, actions = [], tools = [], row }) {
  // The places at which the pages begin, up to the one that is shown.
  let places = [null];
  let text = "";
  let reading = null;
  let readAt = 0;

  const input = h("input", { type: "search", placeholder: "Search values", "aria-label": "Search values" });
  const search = h("form", { class: "search", role: "search", onsubmit: (event) => { event.preventDefault(); restart(input.value); } },
    input, h("button", { type: "submit" }, "Search"));
  input.addEventListener("input", () => input.value === "" && text !== "" && restart(""));
  const again = h("button", { type: "button", title: "r", onclick: () => load() }, "Refresh");
  const stop = h("button", { type: "button", hidden: true, onclick: () => reading?.abort() }, "Stop");
  const progress = h("span", { class: "summary", role: "status" }, "Reading …");
  const selection = actions.length > 0 && selectionOf(actions);
  const body = h("tbody");
  const table = h("table", { class: "cards", hidden: true },
    h("thead", {}, h("tr", {}, selection && selection.heading, ...headings.map((it) => h("th", { scope: "col", class: ["Size", "Place", "Attempt", "Attempts"].includes(it) ? "number" : "" }, it)))), body);
  const nothing = h("p", { hidden: true });
  const previous = h("button", { type: "button", disabled: true, onclick: () => { places.pop(); load(); } }, "Previous");
  const next = h("button", { type: "button", disabled: true }, "Next");
  const element = h("div", {},
    h("div", { class: "bar-of-tools" }, search, again, stop, ...tools, progress),
    selection && selection.element, table, nothing, h("nav", { class: "buttons", "aria-label": "Pages" }, previous, next));

  function restart(wanted) {
    text = wanted;
    places = [null];
    load();
  }

  /** Reads the page. A search reads on until it has a page full or the user stops it. */
  async function load() {
    reading?.abort();
    const mine = reading = new AbortController();
    const rows = [];
    let place = places.at(-1);
    let examined = 0;
    stop.hidden = !text;
    element.setAttribute("aria-busy", "true");
    try {
      do {
        const query = new URLSearchParams({ text });
        if (place != null) query.set("place", place);
        const page = await get(`${queuePath(queue, path)}?${query}`, mine.signal);
        rows.push(...page.rows);
        place = page.next;
        examined += page.examined;
        if (text) say(progress, `${number(examined)} searched, ${number(rows.length)} found …`);
        fill(rows, place);
      } while (text && place != null && rows.length < ROWS);
      readAt = Date.now();
      say(progress, text ? `${number(examined)} searched, ${number(rows.length)} found` : `as of ${time(readAt)}`);
    } catch (error) {
      // A list that is read anew has its own progress.
      if (mine !== reading) return;
      say(progress, error.name === "AbortError" ? `stopped after ${number(examined)}` : error.message);
    }
    if (mine !== reading) return;
    stop.hidden = true;
    element.removeAttribute("aria-busy");
  }

  /** Does something with rows that may be many. Asks for the token before. */
  async function change(how, rows) {
    if (!await context.mayChange()) return;
    const done = await how(queue, rows);
    if (!done) return;
    context.tell(done);
    load();
  }

  function fill(rows, behind) {
    const boxes = selection ? selection.cells(rows) : [];
    body.replaceChildren(...rows.map((it, i) => h("tr", {}, boxes[i], ...row(it))));
    table.hidden = rows.length === 0;
    nothing.hidden = rows.length > 0;
    say(nothing, text ? "No value has that text in it." : empty);
    const isEmpty = rows.length === 0 && !text && places.length === 1;
    for (const tool of tools) tool.disabled = isEmpty;
    previous.disabled = places.length === 1;
    next.disabled = behind == null;
    next.onclick = () => { places.push(behind); load(); };
    element.classList.toggle("read-only", context.readOnly());
  }

  /**
   * Says anew how far times are from now, by Redis's clock. The first page is live, unless
   * somebody works with it.
   */
  function tick(now) {
    const isUsed = selection && !selection.isEmpty() || body.contains(document.activeElement) || document.querySelector("dialog[open]");
    const isFirst = places.length === 1 && text === "";
    if (isFirst && !isUsed && !element.hasAttribute("aria-busy") && Date.now() - readAt > LIVE) load();
    for (const cell of body.querySelectorAll("[data-ms]")) say(cell, relative(Number(cell.dataset.ms), now));
  }

  return { element, load, tick, change };
}

/** A moment, as seen from now and by itself. */
function timeCell(name, ms) {
  if (ms == null) return h("td", { "data-label": name }, "–");
  return h("td", { class: "time", "data-label": name },
    h("span", { "data-ms": ms }, relative(ms, Date.now())), " ", momentOf(ms));
}

/** The text of a value, or why there is none. */
function valueOf(it) {
  if (it.value == null && it.error == null) return h("em", {}, "too large to show");
  if (it.value == null) return h("em", {}, `unreadable: ${it.error}`);
  return h("code", {}, visible(it.cut ? `${it.value} …` : it.value));
}

const opener = (it, open) => h("button", { type: "button", class: "open", onclick: open }, valueOf(it));
