// Plots: SVG, drawn anew for each reading.

import { h, svg } from "./dom.js";
import { span } from "./format.js";

const HEIGHT = 150;
const LEFT = 52;
const BOTTOM = 20;
const TOP = 8;

/** Draws bars under their labels. A bar is `{ label, value, alarming }`. */
export function bars(figure, data, text) {
  const most = Math.max(...data.map((it) => it.value), 1);
  const rows = data.map(({ label, value, alarming }) => {
    const part = value === 0 ? 0 : Math.max(value / most, 0.01);
    const bar = svg("svg", { class: "bar", "aria-hidden": "true" },
      svg("rect", { class: alarming && value ? "alarming" : "", width: `${part * 100}%`, height: "100%", rx: 2 }));
    return [h("dt", {}, label), h("dd", {}, bar, h("span", {}, text(value)))];
  });
  figure.replaceChildren(...rows.flat());
}

/**
 * Draws lines over time. `series` is a list of `{ name, style, points: [[ms, value]] }`; a point
 * without a value is a gap. The axis ends at `least` or above.
 */
export function lines(figure, series, now, least, text, axisText = text) {
  const width = Math.max(figure.clientWidth, 200);
  const begin = Math.min(oldest(series) ?? now, now - 60_000);
  const most = ceiling(Math.max(least, ...series.flatMap((it) => it.points.map(([, value]) => value ?? 0))));
  const x = (ms) => LEFT + ((ms - begin) / (now - begin)) * (width - LEFT - 4);
  const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);

  const grid = [0, 0.5, 1].map((part) => [
    svg("line", { class: "grid", x1: LEFT, x2: width, y1: y(part * most), y2: y(part * most) }),
    svg("text", { x: LEFT - 6, y: y(part * most) + 4, "text-anchor": "end" }, axisText(part * most)),
  ]);
  const axis = [
    svg("text", { x: LEFT, y: HEIGHT - 4 }, `${span(Math.round((now - begin) / 1_000) * 1_000)} ago`),
    svg("text", { x: width, y: HEIGHT - 4, "text-anchor": "end" }, "now"),
  ];
  const drawn = series.map(({ style, points }) =>
    svg("path", { class: `line ${style}`, d: path(points, x, y) }));
  const said = series.map((it) => `${it.name}: ${latest(it.points, text)}`).join(", ");
  const picture = svg("svg", { width, height: HEIGHT, role: "img", "aria-label": said }, ...grid.flat(), ...axis, ...drawn);
  const legend = h("figcaption", {}, ...series.map((it) =>
    h("span", { class: `key ${it.style}` }, `${it.name} `, h("b", {}, latest(it.points, text)))));
  figure.replaceChildren(picture, legend);
}

/** Readings more than this many times farther apart than usual were not read one after the other. */
const GAP = 5;

function path(points, x, y) {
  const usual = median(points.slice(1).map(([ms], i) => ms - points[i][0])) ?? 0;
  let before = -Infinity;
  let text = "";
  for (const [ms, value] of points) {
    if (value == null) continue;
    text += `${ms - before > GAP * Math.max(usual, 2_000) ? "M" : "L"}${x(ms).toFixed(1)} ${y(value).toFixed(1)}`;
    before = ms;
  }
  return text;
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function oldest(series) {
  const first = series.map((it) => it.points[0]?.[0]).filter((it) => it != null);
  return first.length ? Math.min(...first) : null;
}

function latest(points, text) {
  const value = points.at(-1)?.[1];
  return value == null ? "–" : text(value);
}

/** The end of an axis: 1, 2 or 5 with zeros. */
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].find((it) => it * power >= most) * power;
}
