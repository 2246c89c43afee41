// @ts-check
import { loadStyle } from "./dialog.js";
import { h } from "./dom.js";

/**
 * An item of a menu; null is a line between two groups.
 * @typedef {{label: string, act: () => unknown, isChecked?: boolean, id?: string} | null} MenuItem
 * Where a menu opens: at a point, or below an element.
 * @typedef {{x: number, y: number} | Element} MenuPlace
 */

/**
 * Opens a menu, which closes at a choice, at Escape, or at a press elsewhere. The focus returns to where it was.
 * @param {string} label
 * @param {MenuItem[]} items
 * @param {MenuPlace} place
 */
export async function openMenu(label, items, place) {
  await loadStyle("menu");
  document.getElementById("context-menu")?.remove();
  const before = document.activeElement;
  const buttons = /** @type {HTMLButtonElement[]} */ ([]);
  const lifetime = new AbortController();
  const { signal } = lifetime;
  let isPressed = false;
  const menu = h(
    "div",
    { class: "context-menu", id: "context-menu", role: "menu", "aria-label": label, tabindex: "-1", popover: "manual" },
    ...items.map((item) => {
      if (!item) return h("hr", { role: "separator" });
      const isBox = item.isChecked !== undefined;
      const button = h("button", {
        type: "button",
        class: "menu-item",
        role: isBox ? "menuitemcheckbox" : "menuitem",
        "aria-checked": isBox ? String(item.isChecked) : null,
        "data-item": item.id,
        tabindex: "-1",
        title: item.label,
      }, item.label);
      button.addEventListener("click", (event) => {
        // A finger that opened the menu and lifts over an item has not chosen it.
        if (event.detail > 0 && !isPressed) return;
        menu.hidePopover();
        void item.act();
      });
      buttons.push(button);
      return button;
    }),
  );
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    lifetime.abort();
    menu.remove();
  });
  document.addEventListener("pointerdown", (event) => {
    isPressed = event.target instanceof Node && menu.contains(event.target);
    if (!isPressed) menu.hidePopover();
  }, { capture: true, signal });
  for (const name of ["blur", "resize"]) addEventListener(name, () => menu.hidePopover(), { signal });
  menu.addEventListener("beforetoggle", (event) => {
    const isEnd = /** @type {ToggleEvent} */ (event).newState === "closed";
    const isHeld = menu.contains(document.activeElement) || document.activeElement === document.body;
    if (isEnd && isHeld && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  menu.addEventListener("keydown", (event) => walk(event, menu, buttons));
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  (before?.closest("dialog[open]") ?? document.body).append(menu);
  menu.showPopover();
  put(menu, place);
  buttons[0]?.focus({ preventScroll: true });
}

/** @param {KeyboardEvent} event @param {HTMLElement} menu @param {HTMLElement[]} buttons */
function walk(event, menu, buttons) {
  const at = buttons.findIndex((one) => one === document.activeElement);
  const { length } = buttons;
  /** @type {Record<string, number>} */
  const targets = { ArrowDown: (at + 1) % length, ArrowUp: (at + length - 1) % length, Home: 0, End: length - 1 };
  const { key } = event;
  event.stopPropagation();
  if (key === "Tab" || key === "Escape") menu.hidePopover();
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
