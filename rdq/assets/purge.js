// Deletes dead letters. It saves them to a file before, so that nothing is lost by a slip.

import { get, post, queuePath } from "./api.js";
import { confirm } from "./dialog.js";
import { number } from "./format.js";

/** How many letters to delete at a time. */
const BATCH = 100;

/** Asks whether to delete this letter, or all if there is none, and does it. Says what was done by `tell`. */
export async function purge(queue, letter, tell) {
  const which = letter ? "this dead letter" : "all dead letters";
  await confirm({
    title: `Purge ${which}?`,
    question: `Nobody will get ${letter ? "it" : "them"}. Your browser saves ${letter ? "it" : "them"} to a file before: rdq import reads it.`,
    verb: letter ? "Save and purge" : "Save and purge all",
    danger: true,
    act: async (closed) => {
      const { header, letters } = await read(queue, letter, closed);
      if (letters.length === 0) throw new Error(letter ? "The dead letter is gone." : "There are no dead letters.");
      // The oldest first, as rdq import brings them back.
      const records = letters.toReversed().flatMap((it) => it.records);
      save(`${queue}-dead`, [header, ...records, { kind: "end", records: records.length }]);
      const count = await remove(queue, letters.map((it) => it.letter), closed, tell);
      const some = `Purged ${number(count)} of ${number(letters.length)} dead letters.`;
      const all = letter ? "Purged." : `Purged ${number(count)} dead letters.`;
      tell(count === letters.length ? all : some);
    },
  });
}

/** The letters with their records, the newest first, and the first line of their file. */
async function read(queue, letter, signal) {
  const letters = [];
  let header;
  let place = "0";
  do {
    const query = new URLSearchParams({ records: true, place });
    if (letter) query.set("letter", letter.letter);
    const page = await get(`${queuePath(queue, "dead")}?${query}`, signal);
    header ??= page.header;
    letters.push(...page.rows);
    place = page.next;
    // Any letter of that name will do.
    if (letter && letters.length > 0) return { header, letters: letters.slice(0, 1) };
  } while (place != null);
  return { header, letters };
}

/** Deletes these letters, as long as the dialog is open. Returns how many. */
async function remove(queue, names, closed, tell) {
  let count = 0;
  for (let at = 0; at < names.length && !closed.aborted; at += BATCH) {
    try {
      const answer = await post(queuePath(queue, "purge"), { letters: names.slice(at, at + BATCH) });
      count += answer.purged;
    } catch (error) {
      // Somebody else was faster.
      if (error.status !== 404) throw error;
    }
    if (names.length > BATCH) tell(`${number(count)} of ${number(names.length)} purged …`);
  }
  return count;
}

/** Gives the user a file with a line for each record. */
function save(name, records) {
  const lines = records.map((it) => `${JSON.stringify(it)}\n`);
  const file = new Blob(lines, { type: "application/jsonl" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  // Browsers replace what no file name may have in it.
  link.download = `${name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.jsonl`;
  link.click();
  // The browser may not have read all of it yet.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
