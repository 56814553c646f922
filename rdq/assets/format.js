// Numbers and times as people read them.

const grouped = new Intl.NumberFormat("en");

export const number = (value) => grouped.format(value);

/** A count for an axis: `950`, `12k`, `1.5M`. */
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const short = (value) => compact.format(value);

/** Elements a second. */
export const rate = (value) => `${value < 9.95 ? +value.toFixed(1) : number(Math.round(value))}/s`;

/** A length of time in its one or two largest units. */
export function span(ms) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${+(ms / 1_000).toFixed(1)} s`;
  const parts = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1_000]];
  const first = parts.findIndex(([, unit]) => ms >= unit);
  const [name, unit] = parts[first];
  const [smaller, part] = parts[first + 1] ?? ["", Infinity];
  const rest = Math.floor((ms % unit) / part);
  return `${number(Math.floor(ms / unit))} ${name}${rest ? ` ${rest} ${smaller}` : ""}`;
}

/** A length of time in one unit, for an axis. */
export function unit(ms) {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${ms / 1_000} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** A moment as seen from another: `in 5 min`, `3 s ago`. */
export function relative(ms, now) {
  if (Math.abs(ms - now) < 1_000) return "now";
  // Fractions of a second flicker.
  const whole = Math.floor(Math.abs(ms - now) / 1_000) * 1_000;
  return ms > now ? `in ${span(whole)}` : `${span(whole)} ago`;
}

/** A moment in the time zone of the browser, with its offset: `2026-03-29 03:00:00 +02:00`. */
export function moment(ms) {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return `${ms} ms after 1970`;
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  // Minutes from here to UTC, so it is negative in the east.
  const offset = date.getTimezoneOffset();
  const minutes = Math.abs(offset);
  const east = `${offset > 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${day} ${time(ms)} ${east}`;
}

/** The same moment in UTC, to the millisecond. */
export function utc(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms after 1970` : date.toISOString();
}

/** The time of day. */
export function time(ms) {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

const two = (value) => String(value).padStart(2, "0");

/**
 * A text in which everything can be seen: control characters, and those that turn the direction of
 * the text, look as they do in JSON. Emojis keep the characters that join them.
 */
export const visible = (text) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, escaped);

const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (it) => SHORT[it] ?? `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function bytes(count) {
  if (count < 1_024) return `${count} B`;
  if (count < 1_048_576) return `${(count / 1_024).toFixed(1)} KiB`;
  return `${(count / 1_048_576).toFixed(1)} MiB`;
}

/** JSON in several lines, or the text itself where it is cut off. */
export function pretty(text) {
  try {
    const lines = JSON.stringify(JSON.parse(text, exact), null, 2);
    // JSON writes the mark with six characters. A quotation mark within a text has a backslash before it.
    const numbers = lines.replaceAll(/(?<!\\)"\\u0000([-+.eE\d]+)"(?!:)/g, "$1");
    return numbers.replaceAll(/(?<!\\)"(?:\\u0000){2}/g, '"\\u0000');
  } catch {
    return text;
  }
}

/**
 * Keeps numbers that JavaScript would round, such as Java's longs, as they are written: as texts behind a
 * mark. A text that begins with the mark gets it twice.
 */
function exact(_key, value, context) {
  const source = context?.source;
  if (typeof value === "string") return value.startsWith("\u0000") ? `\u0000${value}` : value;
  return typeof value === "number" && source && String(value) !== source ? `\u0000${source}` : value;
}
