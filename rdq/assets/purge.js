// Deletes dead letters. It saves them to a file before, so that nothing is lost by a slip.

import { get, post, queuePath } from "./api.js";
import { confirm } from "./dialog.js";
import { number } from "./format.js";

/** How many letters to delete at a time. */
const BATCH = 100;

/** Asks whether to delete these letters, or all if none are named, and does it. Says what was done by `tell`. */
export async function purge(queue, wanted, tell) {
  const one = wanted?.length === 1;
  const which = one ? "this dead letter" : wanted ? `these ${number(wanted.length)} dead letters` : "all dead letters";
  await confirm({
    title: `Purge ${which}?`,
    question: `Nobody will get ${one ? "it" : "them"}. Your browser saves ${one ? "it" : "them"} to a file before: rdq import reads it.`,
    verb: wanted ? "Save and purge" : "Save and purge all",
    danger: true,
    act: async (closed) => {
      const { header, letters } = await read(queue, wanted, closed);
      if (letters.length === 0) throw new Error(one ? "The dead letter is gone." : wanted ? "The dead letters are gone." : "There are no dead letters.");
      // The oldest first, as rdq import brings them back.
      const records = letters.toReversed().flatMap((it) => it.records);
      save(`${queue}-dead`, [header, ...records, { kind: "end", records: records.length }]);
      const count = await remove(queue, letters.map((it) => it.letter), closed, tell);
      const some = `Purged ${number(count)} of ${number(wanted?.length ?? letters.length)} dead letters.`;
      const all = one ? "Purged." : `Purged ${number(count)} dead letters.`;
      tell(count === (wanted?.length ?? letters.length) ? all : some);
    },
  });
}

/** The letters with their records, the newest first, and the first line of their file. */
async function read(queue, wanted, signal) {
  const letters = [];
  // Any letter of a name will do, but as many as are wanted.
  const missing = new Map();
  for (const { letter } of wanted ?? []) missing.set(letter, (missing.get(letter) ?? 0) + 1);
  const isWanted = ({ letter }) => {
    if (!wanted) return true;
    const count = missing.get(letter) ?? 0;
    if (count > 1) missing.set(letter, count - 1);
    else missing.delete(letter);
    return count > 0;
  };
  let header;
  let place = "0";
  do {
    const query = new URLSearchParams({ records: true, place });
    if (wanted?.length === 1) query.set("letter", wanted[0].letter);
    const page = await get(`${queuePath(queue, "dead")}?${query}`, signal);
    header ??= page.header;
    letters.push(...page.rows.filter(isWanted));
    place = page.next;
  } while (place != null && (!wanted || missing.size > 0));
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
