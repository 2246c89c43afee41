// @ts-check
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element; children that are strings become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 *   `onclick` and the like take a function; null, undefined and false leave the attribute out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An icon of the sprite, hidden from assistive technology. @param {string} name @param {number} [size] pixels */
export function icon(name, size = 16) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `/assets/icons/sprite.svg#${name}`);
  svg.append(use);
  return svg;
}

/**
 * The element of this selector, which the page's HTML promises.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {abstract new (...args: any[]) => Kind} kind
 * @returns {Kind}
 */
export function need(root, selector, kind) {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`no ${selector}`);
}

/** Shows the one child that has this `data-view`, and hides the others that have one. @param {Element} root @param {string} name */
export function showView(root, name) {
  for (const child of root.querySelectorAll("[data-view]")) {
    if (child instanceof HTMLElement) child.hidden = child.dataset.view !== name;
  }
  root.setAttribute("aria-busy", String(name === "loading"));
}

/** Keeps something in the address. @param {string} name @param {string} value empty takes it away */
export function setParameter(name, value) {
  const url = new URL(location.href);
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  if (url.href !== location.href) history.replaceState(null, "", url);
}

/** Marks a button as not to be pressed now; it keeps its focus and its words. @param {Element} button @param {boolean} off */
export function setDisabled(button, off) {
  if (off) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Whether a button may be pressed: neither disabled nor at work. @param {Element} button */
export const isPressable = (button) =>
  button.getAttribute("aria-disabled") !== "true" && button.getAttribute("aria-busy") !== "true";

/**
 * Runs the work of a button, which shows progress meanwhile and cannot start it twice.
 * @param {Element} button
 * @param {() => Promise<void>} work
 */
export async function busy(button, work) {
  if (!isPressable(button)) return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}

/**
 * Whether a key press belongs to a control that takes text, to a shortcut of the browser, or is a single key while those are
 * switched off.
 * @param {KeyboardEvent} event
 */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (event.key.length === 1 && localStorage.getItem("understudy.keys") === "off") return true;
  const target = event.target;
  // The focus can still lie in a dialog that has just closed.
  return target instanceof HTMLElement && !target.closest("dialog:not([open])") &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Says a sentence to a screen reader, politely. @param {string} text */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region) return;
  region.textContent = "";
  // A change in the same turn would be lost.
  setTimeout(() => {
    region.textContent = text;
  }, 50);
}

/**
 * Calls back now and at every second until told to stop, also after the tab slept; what is left is always counted from a
 * deadline by the callee, never by decrementing.
 * @param {() => void} tick
 * @param {AbortSignal} signal
 */
export function everySecond(tick, signal) {
  tick();
  const timer = setInterval(tick, 1000);
  const awake = () => {
    if (document.visibilityState === "visible") tick();
  };
  document.addEventListener("visibilitychange", awake, { signal });
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/**
 * Resolves after this many milliseconds, or at once when aborted.
 * @param {number} duration
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function delay(duration, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, duration);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
  });
}

/** Resolves after the next frame, which answers the press that asks for more. @returns {Promise<void>} */
export const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Resolves once what is shown is painted and the page has nothing to do. */
export async function rest() {
  await painted();
  await new Promise((done) => requestIdleCallback(done, { timeout: 1000 }));
  performance.mark("rest");
}
