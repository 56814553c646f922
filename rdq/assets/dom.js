// Makes and finds elements. Texts become text nodes, never markup.

import { moment, utc } from "./format.js";

/** An element with attributes, listeners (`onclick`), and children. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same in an SVG picture. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((it) => it != null && it !== false));
  return element;
}

/** A moment, which has the exact time in UTC as its title. */
export const momentOf = (ms) => h("time", { title: utc(ms) }, moment(ms));

/** Changes a text, if it is another: a text that stays can be selected while the page is live. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const byId = (id) => document.getElementById(id);
