// @ts-check
import { announce, h, icon, noticePlace, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "./problem-view.js";

/** @typedef {"ok" | "info" | "warn" | "bad"} Tone */

/** How long a notice stays, in milliseconds: one with only a text, and one with a button. */
const stays = { plain: 8000, withAction: 20_000 };

/** The timers that hide notices. @type {WeakMap<HTMLElement, number>} */
const timers = new WeakMap();

/**
 * Shows and announces a text in a notice of `.notices`, which floats over the page. A failure stays until a person closes it; any
 * other notice closes by itself, except while it is under the pointer or has the focus.
 * @param {HTMLElement} notice
 * @param {Tone} tone
 * @param {string | HTMLElement} text
 * @param {...(HTMLElement | null | undefined)} actions
 */
export function say(notice, tone, text, ...actions) {
  const buttons = actions.filter((action) => action instanceof HTMLElement);
  const close = plainButton("button button-quiet button-icon", {
    "aria-label": t("notice.close"),
    onclick: () => hide(notice),
  }, icon("close"));
  notice.dataset.tone = tone;
  notice.replaceChildren(h("span", { class: "grow", dir: "auto" }, text), ...buttons, close);
  notice.hidden = false;
  if (!timers.has(notice)) notice.addEventListener("keydown", escape);
  announce(typeof text === "string" ? text : text.textContent ?? "");
  clearTimeout(timers.get(notice));
  timers.set(notice, 0);
  if (tone !== "bad") hideAfter(notice, buttons.length ? stays.withAction : stays.plain);
}

/** Makes room for a toast: the newest one that offers something else to press stays. @param {string[]} ids of the new one's buttons */
function clearToasts(ids) {
  let isKept = false;
  for (const toast of Array.from(document.querySelectorAll(".toast")).toReversed()) {
    const offers = Array.from(toast.querySelectorAll("button[id]"), (button) => button.id);
    if (toast.querySelector("[aria-busy=true]")) toast.removeAttribute("id");
    else if (isKept || !offers.length || offers.some((id) => ids.includes(id))) toast.remove();
    else {
      isKept = true;
      toast.removeAttribute("id");
    }
  }
}

/**
 * Shows a completed action in its own notice, with buttons for the next steps; it replaces the previous notice, unless that has
 * other buttons. An action that throws leaves it in place with the problem.
 * @param {string | HTMLElement} text
 * @param {{label: string, id: string, act: () => Promise<void>}[]} [actions]
 * @param {Tone} [tone]
 */
export function showToast(text, actions = [], tone = "ok") {
  clearToasts(actions.map((action) => action.id));
  const toast = h("p", { class: "notice toast", id: "toast" });
  const failed = (/** @type {unknown} */ error) => say(toast, "bad", problemText(error), ...buttons);
  /** @type {HTMLButtonElement[]} */
  const buttons = actions.map(({ label, id, act }) =>
    plainButton("button button-small", { id, failed, work: () => act().then(() => hide(toast)) }, label)
  );
  noticePlace().append(toast);
  say(toast, tone, text, ...buttons);
}

/** Shows a notice about an error. @param {unknown} error */
export const showFailure = (error) => showToast(problemText(error), [], "bad");

/** @param {KeyboardEvent} event */
function escape(event) {
  if (event.key !== "Escape" || !(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  hide(event.currentTarget);
}

/** @param {HTMLElement} notice */
function hide(notice) {
  clearTimeout(timers.get(notice));
  const hadFocus = notice.contains(document.activeElement);
  notice.hidden = true;
  if (notice.classList.contains("toast")) notice.remove();
  // The pressed button no longer shows.
  if (hadFocus) document.getElementById("main")?.focus({ preventScroll: true });
}

/** @param {HTMLElement} notice @param {number} duration milliseconds */
function hideAfter(notice, duration) {
  timers.set(
    notice,
    setTimeout(() => {
      if (notice.matches(":hover, :focus-within")) hideAfter(notice, duration);
      else hide(notice);
    }, duration),
  );
}
