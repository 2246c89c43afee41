// @ts-check
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Creates an element; strings become text, never markup.
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

/**
 * A button that submits no form.
 * @param {string} className
 * @param {Record<string, any>} attributes as of `h`; `work` and `failed` as of `busy`
 * @param {...Child} children
 */
export function plainButton(className, { work, failed, ...attributes }, ...children) {
  const button = h("button", { type: "button", class: className, ...attributes }, ...children);
  if (work) button.addEventListener("click", () => void busy(button, work, failed));
  return button;
}

/** A line of a list of facts. @param {string} name @param {...Child} value */
export const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));

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
 * The element of this selector, which the page must have.
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

/**
 * Loads a style sheet when it is first needed; if that fails, the content stays unstyled.
 * @param {string} name @returns {Promise<void>}
 */
export function loadStyle(name) {
  return new Promise((resolve) => {
    const href = `/assets/css/components/${name}.css`;
    if (document.querySelector(`link[href="${href}"]`)) return resolve();
    const link = h("link", { rel: "stylesheet", href, onload: () => resolve(), onerror: () => resolve(link.remove()) });
    document.head.append(link);
  });
}

/** Shows the child with this `data-view` and hides the others that have one. @param {Element} root @param {string} name */
export function showView(root, name) {
  for (const child of root.querySelectorAll("[data-view]")) {
    if (child instanceof HTMLElement) child.hidden = child.dataset.view !== name;
  }
  root.setAttribute("aria-busy", String(name === "loading"));
}

/** Sets a parameter of the address. @param {string} name @param {string} value empty removes it */
export function setParameter(name, value) {
  const url = new URL(location.href);
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

/** Disables a button, which keeps its focus and its label. @param {Element} button @param {boolean} off */
export function setDisabled(button, off) {
  if (off) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Whether a button can be pressed: neither disabled nor busy. @param {Element} button */
export const isPressable = (button) =>
  button.getAttribute("aria-disabled") !== "true" && button.getAttribute("aria-busy") !== "true";

/**
 * Whether the pointer presses something in an element. An element that is moved or replaced before the release gets no click.
 * @param {Element} place
 */
export const isPressed = (place) => place.matches(":active");

/**
 * Runs the work of a button, which shows progress and cannot start it twice.
 * @param {Element} button
 * @param {() => Promise<unknown>} work
 * @param {(error: unknown) => unknown} [failed] takes its error
 */
export async function busy(button, work, failed) {
  if (!isPressable(button)) return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    if (!failed) throw error;
    failed(error);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

/** Shows a tick on a button for a moment, after its action. @param {HTMLElement} button */
export function showDone(button) {
  button.dataset.done = "";
  setTimeout(() => delete button.dataset.done, 1600);
}

/**
 * Whether a key press belongs to a text control or to a shortcut of the browser, or is a single key while those are
 * switched off.
 * @param {KeyboardEvent} event
 */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (event.key.length === 1 && localStorage.getItem("understudy.keys") === "off") return true;
  const target = event.target;
  // The focus can still be in a dialog that has just closed.
  return target instanceof HTMLElement && !target.closest("dialog:not([open])") &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Where notices float: in the open dialog, because it covers the page, else over the page. @returns {Element} */
export function noticePlace() {
  const place = Array.from(document.querySelectorAll("dialog[open]")).at(-1) ?? document.getElementById("main") ?? document.body;
  return place.querySelector(".notices") ?? place.appendChild(h("div", { class: "notices" }));
}

/** Announces a sentence to screen readers, politely. @param {string} text */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region) return;
  region.textContent = "";
  // Screen readers miss a change in the same task.
  setTimeout(() => {
    region.textContent = text;
  }, 50);
}

/**
 * Calls back now and every second until the signal stops it, also after the tab slept. The callee computes the rest from a
 * deadline and never decrements.
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

/** Resolves after the next frame, so that a press shows a response first. @returns {Promise<void>} */
export const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Resolves when the page is painted and idle. */
export async function rest() {
  await painted();
  await new Promise((done) => requestIdleCallback(done, { timeout: 1000 }));
  performance.mark("rest");
}
