// @ts-check
import { h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { stages } from "../../models/cues/board.js";

/** @typedef {import("../../models/cues/board.js").Cue} Cue */

/**
 * Makes these the children of a list; existing ones stay and keep the focus.
 * @param {Element} list
 * @param {Element[]} children
 */
export function keepChildren(list, children) {
  const wanted = new Set(children);
  for (const child of Array.from(list.children)) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (list.children[at] !== child) list.insertBefore(child, list.children[at] ?? null);
  });
}

/** A stage's name. @param {string} stage */
export const stageName = (stage) =>
  stages.includes(stage) ? t(`cues.stage.${stage}`) : t("cues.stage.other", { name: stage });

/** The content of a card, which stays unchanged while its cue only moves. @param {Cue} cue */
export const cardFacts = (
  { prompt, answer, pending, conflict, stage },
) => [prompt, answer, pending, conflict && [conflict, stage]];

/**
 * A card of the board: the prompt, the collapsed answer, badges, and a menu button.
 * @param {Cue} cue
 * @param {{openMenu: (id: string, button: HTMLElement) => void, resolve: (cue: Cue, stage: string, button: HTMLElement) => void}} acts
 * @param {HTMLElement} [before] the card whose place it takes; an answer that is open there stays so
 */
export function cueCard(cue, acts, before) {
  const menu = plainButton("button button-quiet button-icon cue-menu", {
    tabindex: "-1",
    "aria-haspopup": "menu",
    "aria-label": t("cues.move", { name: cue.prompt }),
    onclick: () => acts.openMenu(cue.cue_id, menu),
  }, icon("more"));
  return h(
    "li",
    { class: "cue", draggable: "true", tabindex: "-1", "data-cue": cue.cue_id, "data-pending": cue.pending === true },
    h("div", { class: "cue-head" }, h("bdi", { class: "cue-prompt grow" }, cue.prompt), menu),
    h(
      "details",
      { class: "cue-answer", open: before?.querySelector("details")?.open },
      h("summary", { tabindex: "-1" }, t("cues.answer")),
      h("bdi", {}, cue.answer),
    ),
    cue.pending && !cue.conflict ? h("span", { class: "badge", "data-tone": "info" }, t("cues.pending")) : null,
    cue.conflict ? conflictPart(cue, cue.conflict.stage, acts.resolve) : null,
  );
}

/** @param {Cue} cue @param {string} theirs @param {(cue: Cue, stage: string, button: HTMLElement) => void} resolve */
function conflictPart(cue, theirs, resolve) {
  /** @param {string} key @param {string} stage */
  const choice = (key, stage) => {
    const onclick = () => resolve(cue, stage, button);
    const button = plainButton("button button-small", { onclick }, t(key, { stage: stageName(stage) }));
    return button;
  };
  return h(
    "div",
    { class: "cue-conflict stack-tight" },
    h("span", { class: "badge", "data-tone": "warn" }, t("cues.conflict")),
    h(
      "p",
      { class: "small" },
      t("cues.conflict_why", { name: cue.prompt, mine: stageName(cue.stage), theirs: stageName(theirs) }),
    ),
    h("div", { class: "row" }, choice("cues.keep_mine", cue.stage), choice("cues.take_theirs", theirs)),
  );
}

/**
 * The menu of a card: the stages, with the current one checked. Arrow keys move; Escape or a click outside closes it.
 * @param {Cue} cue
 * @param {string[]} order
 * @param {(stage: string) => void} choose
 */
export function stageMenu(cue, order, choose) {
  const menu = h(
    "div",
    { role: "menu", class: "menu", popover: "auto", "aria-label": t("cues.move_to") },
    ...order.map((stage) =>
      h("button", {
        type: "button",
        role: "menuitemradio",
        "aria-checked": String(stage === cue.stage),
        onclick: () => {
          menu.hidePopover();
          choose(stage);
        },
      }, stageName(stage))
    ),
  );
  const items = [...menu.children].filter((one) => one instanceof HTMLElement);
  menu.addEventListener("keydown", (event) => {
    const at = items.findIndex((one) => one === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") menu.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  });
  return menu;
}

/**
 * Shows a menu under its button, inside the window, with the ticked item focused.
 * @param {HTMLElement} menu
 * @param {HTMLElement} button
 */
export function showBeside(menu, button) {
  menu.showPopover();
  const place = button.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const start = document.documentElement.dir === "rtl" ? place.left : place.right - size.width;
  menu.style.setProperty("inset-block-start", `${Math.min(place.bottom + 4, innerHeight - size.height - 8)}px`);
  menu.style.setProperty("left", `${Math.max(8, Math.min(start, innerWidth - size.width - 8))}px`);
  const checked = menu.querySelector("[aria-checked='true']");
  if (checked instanceof HTMLElement) checked.focus();
}

/**
 * Lets the cards of a board be dragged into another column.
 * @param {HTMLElement} board
 * @param {(id: string, stage: string) => void} move
 * @param {AbortSignal} signal
 */
export function dragCues(board, move, signal) {
  /** @type {string | null} */
  let dragged = null;
  /** @param {Event} event */
  const stageOf = (event) => (event.target instanceof Element ? event.target.closest("[data-stage]") : null);
  const clear = () => board.querySelectorAll("[data-over]").forEach((one) => one.removeAttribute("data-over"));
  board.addEventListener("dragstart", (event) => {
    const card = event.target instanceof Element ? event.target.closest("[data-cue]") : null;
    dragged = card?.getAttribute("data-cue") ?? null;
    event.dataTransfer?.setData("text/plain", dragged ?? "");
  }, { signal });
  board.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    clear();
    stageOf(event)?.setAttribute("data-over", "");
  }, { signal });
  board.addEventListener("drop", (event) => {
    event.preventDefault();
    clear();
    const stage = stageOf(event)?.getAttribute("data-stage");
    if (dragged && stage) move(dragged, stage);
    dragged = null;
  }, { signal });
  board.addEventListener("dragend", clear, { signal });
}
