// Shows the page that the address names, and keeps it live.

import { get, post } from "./api.js";
import { help, login } from "./dialog.js";
import { byId, say } from "./dom.js";
import { queueView } from "./queue.js";
import { queuesView } from "./queues.js";

/** What the server says about itself and about this browser. */
let about = { right: "nothing", read_only: true, servers: [] };

/** The page that is shown: `{ refresh(), every, key(name) }`. */
let view = null;
let turn = 0;
let told;

async function open() {
  const mine = ++turn;
  const path = location.hash.slice(1);
  if (path && !path.startsWith("/")) return;
  if (!await learn() || mine !== turn) return;
  const [, kind, name] = path.split("/");
  view = kind === "queue" ? queueView(decodeURIComponent(name), context) : queuesView(context);
  document.title = `${view.title} – rdq`;
  byId("main").replaceChildren(view.element);
  view.element.querySelector("h1")?.focus();
  keepLive(mine);
}

/** What the pages need of this one. */
const context = {
  /** Whether this browser may change something. It may log in first. */
  mayChange: async () => about.right === "write" || logIn("Changes need the write token."),
  readOnly: () => about.read_only,
  tell,
};

/** Says for some seconds what was done. */
function tell(text) {
  say(byId("status"), text);
  clearTimeout(told);
  told = setTimeout(() => say(byId("status"), ""), 8_000);
}

/** Asks what this browser may do. False if it must log in and does not. */
async function learn() {
  try {
    about = await get("/api/server");
  } catch (error) {
    trouble(error.message);
    setTimeout(open, 2_000);
    return false;
  }
  trouble("");
  say(byId("servers"), about.servers.join(", "));
  say(byId("right"), about.right === "write" ? "may change" : about.right === "read" ? "read-only" : "");
  byId("right").className = about.right;
  const session = byId("session");
  say(session, about.right === "write" ? "Log out" : "Log in");
  session.hidden = about.read_only && about.right !== "nothing";
  return about.right !== "nothing" || logIn("Show the token of this server to read.");
}

async function logIn(reason) {
  const done = await login(reason);
  if (done) await learn();
  return done;
}

async function logOut() {
  await post("/api/logout").catch((error) => trouble(error.message));
  open();
}

/** Refreshes the page as long as it is shown and somebody can see it. */
async function keepLive(mine) {
  while (mine === turn) {
    await visible();
    if (mine !== turn) return;
    try {
      await view.refresh();
      if (mine === turn) trouble("");
    } catch (error) {
      if (mine !== turn) return;
      trouble(error.message);
      if (error.status === 401) return open();
    }
    await new Promise((done) => setTimeout(done, view.every));
  }
}

function visible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

/** Shows what is wrong until it is right again. */
function trouble(text) {
  say(byId("trouble"), text);
  byId("trouble").hidden = !text;
  byId("main").classList.toggle("stale", Boolean(text));
}

function pressed(event) {
  const typing = event.target.matches("input, select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "?") help();
  else if (event.key === "u") location.hash = "#/";
  else if (event.key === "/") document.querySelector("input[type=search]")?.focus();
  else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (!view?.key?.(event.key)) return;
  event.preventDefault();
}

/** Moves the focus to the next or the previous row. */
function step(by) {
  const rows = [...document.querySelectorAll("tbody tr:not([hidden]) :is(a, button.open)")];
  const at = rows.indexOf(document.activeElement);
  rows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

byId("help").addEventListener("click", help);
byId("session").addEventListener("click", () => about.right === "write" ? logOut() : logIn().then((done) => done && open()));
byId("skip").addEventListener("click", (event) => {
  // The address names the page, so it cannot name a place in it.
  event.preventDefault();
  byId("main").focus();
});
window.addEventListener("hashchange", open);
document.addEventListener("keydown", pressed);
open();
