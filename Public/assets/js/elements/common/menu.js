// @ts-check
import { h, loadStyle, plainButton } from "../../helpers/dom.js";

/**
 * An item of a menu; null is a line between two groups. `secret` is the part of the label that a presentation covers, and `reason`
 * why the item is disabled.
 * @typedef {{label: string, act: () => unknown, isChecked?: boolean, id?: string, secret?: string, reason?: string} | null} MenuItem
 * Where a menu opens: at a point, or below an element.
 * @typedef {{x: number, y: number} | Element} MenuPlace
 */

/** The menu that was opened last, and where. @type {{menu: HTMLElement, place: MenuPlace} | null} */
let last = null;

/** Closes the open menu, if there is one. Returns where that was. @returns {MenuPlace | null} */
function close() {
  if (!last?.menu.matches(":popover-open")) return null;
  const { menu, place } = last;
  menu.hidePopover();
  menu.remove();
  return place;
}

/**
 * Opens a menu, which closes at a choice, at Escape, or at a press elsewhere; the focus returns to where it was. A button that
 * opened it closes it at its next press.
 * @param {string} label
 * @param {MenuItem[]} items
 * @param {MenuPlace} place
 * @param {{isLast?: boolean}} [wish] whether the focus goes to the last item first
 */
export async function openMenu(label, items, place, { isLast = false } = {}) {
  if (close() === place) return;
  await loadStyle("menu");
  // Another one may have opened meanwhile.
  close();
  const opener = place instanceof Element && place.getAttribute("aria-haspopup") === "menu" ? place : null;
  // Safari does not focus a button that is pressed.
  const before = opener ?? document.activeElement;
  const lifetime = new AbortController();
  const { signal } = lifetime;
  let isPressed = false;
  /** @param {NonNullable<MenuItem>} item */
  const choose = (item) => (/** @type {MouseEvent} */ event) => {
    // A finger that opened the menu and lifts over an item has not chosen it.
    if ((event.detail > 0 && !isPressed) || item.reason) return;
    close();
    void item.act();
  };
  const menu = h(
    "div",
    { class: "context-menu", id: "context-menu", role: "menu", "aria-label": label, tabindex: "-1", popover: "manual" },
    ...items.map((item) => item ? button(item, choose(item)) : h("hr", { role: "separator" })),
  );
  const buttons = [...menu.querySelectorAll("button")];
  // However it was closed.
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "closed") menu.remove();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    isPressed = target instanceof Node && menu.contains(target);
    // The opener's own press closes it by itself.
    if (!isPressed && !(target instanceof Node && opener?.contains(target))) close();
  }, { capture: true, signal });
  for (const name of ["blur", "resize"]) addEventListener(name, close, { signal });
  menu.addEventListener("beforetoggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    lifetime.abort();
    opener?.setAttribute("aria-expanded", "false");
    const isHeld = menu.contains(document.activeElement) || document.activeElement === document.body;
    if (isHeld && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  menu.addEventListener("keydown", (event) => walk(event, buttons));
  // One item is marked, whether by the keyboard or by the pointer.
  menu.addEventListener("pointermove", ({ target }) => {
    const item = target instanceof Element ? target.closest("button") : null;
    if (item !== document.activeElement) item?.focus({ preventScroll: true });
  });
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  (before?.closest("dialog[open]") ?? document.getElementById("main") ?? document.body).append(menu);
  menu.showPopover();
  last = { menu, place };
  opener?.setAttribute("aria-expanded", "true");
  put(menu, place);
  buttons.at(isLast ? -1 : 0)?.focus({ preventScroll: true });
}

/** @param {NonNullable<MenuItem>} item @param {(event: MouseEvent) => void} choose */
function button({ label, isChecked, id, secret, reason }, choose) {
  const isBox = isChecked !== undefined;
  const isCovered = secret !== undefined && document.documentElement.dataset.present !== undefined;
  const at = secret ? label.indexOf(secret) : -1;
  const parts = at < 0 || !secret
    ? [label]
    : [label.slice(0, at), h("bdi", { "data-secret": "" }, secret), label.slice(at + secret.length)];
  return plainButton("menu-item", {
    role: isBox ? "menuitemcheckbox" : "menuitem",
    "aria-checked": isBox ? String(isChecked) : null,
    "data-item": id,
    "aria-disabled": reason ? "true" : null,
    tabindex: "-1",
    title: isCovered ? null : label,
    onclick: choose,
  }, ...parts, reason ? h("span", { class: "menu-reason small" }, reason) : null);
}

/** @param {KeyboardEvent} event @param {HTMLElement[]} buttons */
function walk(event, buttons) {
  const at = buttons.findIndex((one) => one === document.activeElement);
  const { length } = buttons;
  /** @type {Record<string, number>} */
  const targets = { ArrowDown: (at + 1) % length, ArrowUp: (at + length - 1) % length, Home: 0, End: length - 1 };
  const { key } = event;
  event.stopPropagation();
  if (key === "Tab" || key === "Escape") close();
  else if (Object.hasOwn(targets, key)) buttons[targets[key] ?? 0]?.focus();
  else if (key.length === 1 && key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const order = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)];
    order.find((one) => one.textContent?.toLowerCase().startsWith(key.toLowerCase()))?.focus();
  } else return;
  event.preventDefault();
}

/** Puts a menu where it fits in the window. @param {HTMLElement} menu @param {MenuPlace} place */
function put(menu, place) {
  const { width, height } = menu.getBoundingClientRect();
  const isRightToLeft = getComputedStyle(menu).direction === "rtl";
  let [x, y] = [0, 0];
  if (place instanceof Element) {
    const box = place.getBoundingClientRect();
    [x, y] = [isRightToLeft ? box.right - width : box.left, box.bottom + 4];
    if (y + height > innerHeight) y = box.top - height - 4;
  } else {
    [x, y] = [isRightToLeft ? place.x - width : place.x, place.y];
    if (y + height > innerHeight) y = place.y - height;
  }
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
}
