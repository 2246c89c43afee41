// @ts-check The actions of the pages. A page declares an action once, with `data-action` on a button; the palette offers it on
// every page.
import { fetchText } from "../../api.js";
import { delay, isPressable } from "../../helpers/dom.js";
import { currentWords, t } from "../../helpers/i18n.js";
import { showToast } from "../common/notice.js";
import { actionsIn } from "../../models/shell/palette.js";

/** @typedef {{id: string, words: string, act: () => void}} PageAction */

/** The key in the tab's storage for the action that another page's palette chose. */
const wantedKey = "understudy.action";

/** How long a page has to show the button of an action, in milliseconds. */
const patience = 8000;

/** The button of an action, once it can be pressed. @param {string} name */
const buttonOf = (name) =>
  Array.from(document.querySelectorAll(`[data-action="${name}"]`)).find((one) =>
    one instanceof HTMLElement && one.checkVisibility({ visibilityProperty: true }) && isPressable(one) &&
    !one.closest(":not(:defined)")
  );

/** The words of an action: those of the palette, or else those of its button. @param {string} name @param {Element} [button] */
const wordsOf = (name, button) =>
  currentWords().has(`command.${name}`)
    ? t(`command.${name}`)
    : button?.getAttribute("aria-label") ?? button?.textContent?.trim() ?? "";

/** The current actions of this page. @returns {PageAction[]} */
export function actionsHere() {
  const names = Array.from(document.querySelectorAll("[data-action]"), (one) => one.getAttribute("data-action") ?? "");
  return [...new Set(names)].flatMap((name) => {
    const button = buttonOf(name);
    return button instanceof HTMLElement
      ? [{ id: name, words: wordsOf(name, button), act: () => button.click() }]
      : [];
  });
}

/**
 * The actions of other pages, from their documents.
 * @param {string[]} addresses
 * @returns {Promise<PageAction[]>}
 */
export async function actionsElsewhere(addresses) {
  const pages = await Promise.all(addresses.map(async (address) => {
    // A page that cannot be read now cannot be opened either.
    const names = actionsIn(await fetchText(address).catch(() => ""));
    return names.map((name) => ({ id: name, words: wordsOf(name), act: () => pressOn(address, name) }));
  }));
  return pages.flat().filter((action) => action.words);
}

/** Opens a page and presses a button there. @param {string} address @param {string} name */
function pressOn(address, name) {
  sessionStorage.setItem(wantedKey, name);
  location.assign(address);
}

/** Presses the button that was chosen on the previous page as soon as it appears; reports if it does not. */
export async function pressWanted() {
  const name = sessionStorage.getItem(wantedKey) ?? "";
  sessionStorage.removeItem(wantedKey);
  const deadline = performance.now() + patience;
  for (;;) {
    const button = buttonOf(name);
    if (button instanceof HTMLElement) {
      button.focus();
      return button.click();
    }
    if (performance.now() > deadline) break;
    await delay(50);
  }
  showToast(t("command.unavailable", { name: wordsOf(name) }), [], "warn");
}
