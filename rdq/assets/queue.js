// One queue: what is in it, how it goes, and its elements.

import { get, queuePath } from "./api.js";
import { bars, lines } from "./chart.js";
import { h, say } from "./dom.js";
import { deadTab, leasesTab, pendingTab, quarantineTab, readyTab } from "./elements.js";
import { findingsTab } from "./findings.js";
import { number, rate, relative, short, span, unit, visible } from "./format.js";
import { pauseButton } from "./pause.js";
import { held, isStuck } from "./trouble.js";

/** Tiles: name, count, what it means, and when it is bad. */
const TILES = [
  ["Pending", (it) => it.pending, "Not yet moved to the target queue"],
  ["Overdue", (it) => it.overdue, "Due, and not yet moved", isStuck],
  ["Ready", (it) => it.ready, "In the target queue"],
  ["In flight", held, "Consumers have them"],
  ["Retrying", (it) => it.retrying + it.grouped, "Wait for another attempt or for their turn"],
  ["Dead", (it) => it.dead, "Dead letters", () => true],
  ["Quarantined", (it) => it.quarantined, "Members that nobody can read", () => true],
  ["Listeners", (it) => it.subscribers, "Clients on Redisson's channel"],
];

/** How long the plots go back. */
const WINDOW = 600_000;
const DAY = 86_400_000;

export function queueView(name, context) {
  let history = [];
  let minutes = [];
  const note = h("span", { class: "note" });
  const next = h("span", { class: "summary" });
  const values = TILES.map(() => h("b", {}, "–"));
  const tiles = h("dl", { class: "tiles" }, ...TILES.map(([label, , meaning], i) =>
    h("div", { title: meaning }, h("dt", {}, label), h("dd", {}, values[i]))));
  const ahead = h("dl", { class: "bars" });
  const lateness = h("figure");
  const rates = h("figure");
  const counts = h("figure");
  const worst = h("figure");
  const panel = (title, hint, content) => h("section", { class: "panel" }, h("h2", {}, title), h("p", { class: "hint" }, hint), content);
  const tabs = tabsOf(name, context);
  const pause = pauseButton(name, context, refresh);
  const element = h("section", {},
    h("div", { class: "bar-of-tools" }, h("h1", { class: "name", tabindex: "-1" }, visible(name)), note, next, pause.element),
    tiles,
    h("div", { class: "panels" },
      panel("Due ahead", "Pending elements by when they become due", ahead),
      panel("Lateness", "For how long the first pending element has been due", lateness),
      panel("Rates", "Estimated from counts, about one a second", rates),
      panel("Counts of the day", "Once a minute, since rdq serve began", counts),
      panel("Lateness of the day", "The longest in each minute", worst)),
    tabs.element);

  async function refresh() {
    const since = history.at(-1)?.at_ms ?? 0;
    const queue = await get(`${queuePath(name)}?since_ms=${since}`);
    history = [...history, ...queue.history].filter((it) => it.at_ms > queue.at_ms - WINDOW);
    // The last minute comes again, with what it has got since.
    const began = queue.minutes[0]?.at_ms ?? Infinity;
    minutes = [...minutes.filter((it) => it.at_ms < began), ...queue.minutes].filter((it) => it.at_ms > queue.at_ms - DAY);
    say(note, queue.note);
    pause.update(queue.paused);
    note.classList.toggle("alarming", queue.note.includes("stalled"));
    say(next, queue.next_due_ms == null ? "nothing pending" : `next due ${relative(queue.next_due_ms, queue.at_ms)}`);
    TILES.forEach(([, count, , bad], i) => {
      const value = count(queue);
      say(values[i], number(value));
      values[i].className = value === 0 ? "zero" : bad?.(queue) ? "alarming" : "";
    });
    const labels = ["overdue", ...queue.ahead_ms.map((ms) => `within ${span(ms)}`), "later"];
    bars(ahead, [queue.overdue, ...queue.due_ahead].map((value, i) => ({ label: labels[i], value, alarming: i === 0 })), number);
    const points = (value) => history.map((it) => [it.at_ms, value(it)]);
    lines(lateness, [{ name: "late by", style: "first", points: points((it) => it.late_ms) }], queue.at_ms, 1_000, span, unit);
    const flow = (field) => points((it) => it.flow?.[field]);
    lines(rates, [
      { name: "offered", style: "first", points: flow("offered_per_s") },
      { name: "moved", style: "second", points: flow("moved_per_s") },
      { name: "taken", style: "third", points: flow("taken_per_s") },
    ], queue.at_ms, 2, (it) => it < 1_000 ? rate(it) : `${short(it)}/s`);
    const daily = (field) => minutes.map((it) => [it.at_ms, it[field]]);
    lines(counts, [
      { name: "pending", style: "first", points: daily("pending") },
      { name: "ready", style: "second", points: daily("ready") },
      { name: "dead", style: "third", points: daily("dead") },
    ], queue.at_ms, 2, short);
    lines(worst, [{ name: "late by", style: "first", points: daily("late_ms") }], queue.at_ms, 1_000, span, unit);
    tabs.counted(queue);
  }

  return { title: visible(name), element, refresh, every: 1_000, key: tabs.key };
}

function tabsOf(queue, context) {
  const tabs = [
    { label: "Pending", count: (it) => it.pending, tab: pendingTab(queue, context) },
    { label: "Ready", count: (it) => it.ready, tab: readyTab(queue, context) },
    { label: "Dead letters", count: (it) => it.dead, tab: deadTab(queue, context) },
    { label: "Leases", count: (it) => it.claimed + it.in_flight + it.retrying, tab: leasesTab(queue, context) },
    { label: "Quarantine", count: (it) => it.quarantined, tab: quarantineTab(queue, context) },
    { label: "Findings", tab: findingsTab(queue) },
  ];
  const panel = h("div", { role: "tabpanel", id: "panel" });
  const buttons = tabs.map(({ label }, i) => h("button",
    { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": "panel", onclick: () => open(i), onkeydown: (event) => arrow(event, i) },
    label, h("span", { class: "count" })));
  let current = -1;

  function open(i) {
    if (current !== i) {
      current = i;
      buttons.forEach((it, at) => {
        it.setAttribute("aria-selected", at === i);
        it.tabIndex = at === i ? 0 : -1;
      });
      panel.setAttribute("aria-labelledby", `tab-${i}`);
      panel.replaceChildren(tabs[i].tab.element);
    }
    tabs[i].tab.load();
  }

  function arrow(event, i) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = (i + by + tabs.length) % tabs.length;
    open(at);
    buttons[at].focus();
  }

  function key(name) {
    const at = Number(name) - 1;
    if (tabs[at]) {
      open(at);
      buttons[at].focus();
    } else if (name === "r") tabs[current].tab.load();
    else return false;
    return true;
  }

  function counted(stats) {
    tabs.forEach(({ count }, i) => count && say(buttons[i].querySelector(".count"), number(count(stats))));
    tabs[current].tab.tick(stats.at_ms);
  }

  open(0);
  return { element: h("section", { class: "elements" }, h("div", { role: "tablist", "aria-label": "Elements" }, ...buttons), panel), key, counted };
}
