// What the tests ask of pages.

/** The dialog that was opened last, or else the page: the rest cannot be used. */
function front() {
  const dialogs = [...document.querySelectorAll("dialog[open]")];
  // At first there is no page.
  return dialogs.at(-1) ?? document.body ?? document.createElement("body");
}

/** The control whose name begins so: a link, a button, a tab, a heading of a column, a field. */
function find(name) {
  const controls = front().querySelectorAll("a, button, input, select");
  const called = (it) => it.getAttribute("aria-label") ?? it.labels?.[0]?.firstChild?.textContent ?? it.textContent;
  return [...controls].find((it) => it.checkVisibility() && called(it).trim().replace(/^"/, "").startsWith(name)) ?? null;
}

/** The middle of the control of this name, if a click there meets it. */
function place(name) {
  const control = find(name);
  if (!control || control.disabled) return null;
  control.scrollIntoView({ block: "center" });
  // The first line of a text that has several.
  const box = control.getClientRects()[0];
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return control.contains(document.elementFromPoint(x, y)) ? { x, y } : null;
}

/** The texts whose contrast to what is behind them is less than 4.5. */
function faint() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const parts = rgba(color).slice(0, 3).map((it) => it / 255);
    const [r, g, b] = parts.map((it) => it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (it) => {
    for (; it; it = it.parentElement) {
      const color = getComputedStyle(it).backgroundColor;
      if (rgba(color)[3] === 255) return color;
    }
    return "white";
  };
  const has_text = (it) => [...it.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const texts = [...front().querySelectorAll("*")].filter((it) => has_text(it) && it.checkVisibility() && !it.disabled);
  return texts.filter((it) => {
    const style = getComputedStyle(it);
    const ink = light(it instanceof SVGElement ? style.fill : style.color);
    const paper = light(behind(it));
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
  }).map((it) => it.outerHTML.slice(0, 120));
}
