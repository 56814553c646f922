// All queues.

import { get } from "./api.js";
import { h, say } from "./dom.js";
import { serverFindings } from "./findings.js";
import { number, relative, visible } from "./format.js";
import { held, rank, troubles } from "./trouble.js";

/** Columns: heading, what is shown, what is sorted by. */
const COLUMNS = [
  ["Queue", null, (it) => it.queue],
  ["Pending", (it) => number(it.pending), (it) => it.pending],
  ["Overdue", (it) => number(it.overdue), (it) => it.overdue],
  ["Ready", (it) => number(it.ready), (it) => it.ready],
  ["In flight", (it) => number(held(it)), held],
  ["Dead", (it) => number(it.dead), (it) => it.dead],
  ["Listeners", (it) => number(it.subscribers), (it) => it.subscribers],
  ["Next due", (it) => it.next_due_ms == null ? "–" : relative(it.next_due_ms, it.at_ms), (it) => it.next_due_ms ?? Infinity],
];

export function queuesView(context) {
  const rows = new Map();
  // Without a column, queues in trouble come first.
  let sort = { column: null, down: false };
  let data = [];

  const filter = h("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", oninput: show });
  const summary = h("p", { class: "summary" }, "Looking for queues …");
  const silent = h("div", { role: "status" });
  const servers = serverFindings();
  const headings = COLUMNS.map(([name], column) => h("th", { scope: "col", class: column ? "number" : "" },
    h("button", { type: "button", onclick: () => sortBy(column) }, name)));
  const body = h("tbody");
  const table = h("table", { class: "cards", hidden: true }, h("thead", {}, h("tr", {}, ...headings)), body);
  const unknown = h("p", { hidden: true });
  const element = h("section", {},
    h("div", { class: "bar-of-tools" }, h("h1", { tabindex: "-1" }, "Queues"), filter), summary, silent, servers.element, table, unknown);

  async function refresh() {
    const answer = await get("/api/queues");
    data = answer.queues;
    const count = `${number(data.length)} ${data.length === 1 ? "queue" : "queues"}`;
    const more = answer.searching ? ", still looking for more …" : "";
    const failed = answer.error ? ` – the last search failed: ${answer.error}` : "";
    say(summary, count + more + failed);
    silent.replaceChildren(...answer.silent.map((it) => h("p", { class: "problem" }, `${it.server}: ${it.reason}. Some of its queues may be missing here.`)));
    show();
    // The list is as good without them.
    servers.refresh().catch(() => {});
  }

  function sortBy(column) {
    const first = column > 0;
    if (sort.column !== column) sort = { column, down: first };
    else sort = sort.down === first ? { column, down: !first } : { column: null, down: false };
    show();
  }

  function show() {
    const wanted = filter.value.trim().toLowerCase();
    const by = sort.column === null ? rank : COLUMNS[sort.column][2];
    // A queue that cannot be counted comes first: somebody must look.
    const key = (it) => it.error ? -Infinity : by(it);
    const order = (a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.queue < b.queue ? -1 : 1;
    const sorted = [...data].sort((a, b) => sort.down && !a.error && !b.error ? order(b, a) : order(a, b));

    const present = new Set(data.map((it) => it.queue));
    for (const [name, row] of rows) {
      if (present.has(name)) continue;
      row.element.remove();
      rows.delete(name);
    }
    let shown = 0;
    let before = null;
    for (const queue of sorted) {
      const row = rows.get(queue.queue) ?? rowOf(queue.queue);
      rows.set(queue.queue, row);
      row.update(queue);
      row.element.hidden = !queue.queue.toLowerCase().includes(wanted);
      shown += !row.element.hidden;
      // A row that stands where it is to stand is not moved, so it keeps the focus.
      const next = before ? before.nextSibling : body.firstChild;
      if (next !== row.element) body.insertBefore(row.element, next);
      before = row.element;
    }
    headings.forEach((it, column) => {
      if (column === sort.column) it.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      else it.removeAttribute("aria-sort");
    });
    table.hidden = shown === 0;
    unknown.hidden = shown > 0;
    if (shown === 0) unknown.replaceChildren(...nothing(filter.value.trim()));
  }

  return { title: "Queues", element, refresh, every: 2_000 };
}

function nothing(name) {
  if (!name) return ["No queue has a pending element or a client. A queue that has only ready elements looks like any other list: type its name to open it."];
  return ["No queue is known by that name. A queue that has only ready elements looks like any other list: ",
    h("a", { href: linkTo(name) }, `open ${visible(name)}`), "."];
}

const linkTo = (queue) => `#/queue/${encodeURIComponent(queue)}`;

function rowOf(name) {
  const notes = h("span", { class: "notes" });
  const cells = COLUMNS.slice(1).map(([heading]) => h("td", { class: "number", "data-label": heading }));
  const first = h("th", { scope: "row" }, h("a", { class: "name", href: linkTo(name) }, visible(name)), notes);
  const element = h("tr", {}, first, ...cells);
  const update = (queue) => {
    const found = troubles(queue);
    while (notes.children.length > found.length) notes.lastChild.remove();
    while (notes.children.length < found.length) notes.append(h("span"));
    found.forEach(({ text, bad }, i) => {
      say(notes.children[i], text);
      notes.children[i].className = bad ? "note alarming" : "note";
    });
    cells.forEach((cell, i) => {
      const text = queue.error ? "" : COLUMNS[i + 1][1](queue);
      say(cell, text);
      cell.classList.toggle("zero", text === "0" || text === "–");
    });
  };
  return { element, update };
}
