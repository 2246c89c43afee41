// @ts-check
import { h, isPressed, isTyping, need, plainButton } from "../../helpers/dom.js";
import { dateTime, preciseTime, t } from "../../helpers/i18n.js";
import { folds } from "../../models/timeline/timeline.js";
import { entryRow, headline, kindCell, span } from "./timeline-parts.js";

/** @typedef {import("../../models/timeline/timeline.js").Listed} Listed */

/** How many rows are shown at first and added each time. */
const page = 100;

/** The table of entries: the newest first, equal neighbours folded, more of them on demand, and a row that the keys move. */
export class EntryList {
  #body;
  #older;
  #limit = page;
  /** The folds that are open, by the `seq` of their oldest entry, which stays. @type {Set<number>} */
  #open = new Set();
  /** Whether it is drawn again after a press. */
  #isHeld = false;
  /** The key of the active row. @type {string | null} */
  #current = null;
  /** @type {Listed[][]} */
  #folds = [];

  /** @param {HTMLElement} view @param {AbortSignal} signal */
  constructor(view, signal) {
    this.#body = need(view, "#entries", HTMLElement);
    this.#older = need(view, "#older", HTMLElement);
    this.#older.addEventListener("click", () => this.#showOlder(), { signal });
    this.#body.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button[aria-expanded]") : null;
      if (button) this.#toggle(Number(button.closest("tr")?.dataset.fold));
      else this.#follow(event.target);
    }, { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  /** Begins at the newest again. */
  reset() {
    this.#limit = page;
  }

  /** Shows these entries, the newest first. @param {Listed[]} found */
  show(found) {
    this.#folds = folds(found);
    this.#draw();
  }

  #draw() {
    if (isPressed(this.#body)) {
      if (!this.#isHeld) {
        requestAnimationFrame(() => {
          this.#isHeld = false;
          this.#draw();
        });
      }
      this.#isHeld = true;
      return;
    }
    const kept = new Map(this.#rows.map((row) => [keyOf(row), row]));
    const rows = this.#folds.slice(0, this.#limit).flatMap((fold) => {
      const oldest = fold.at(-1)?.entry.seq ?? 0;
      const isOpen = this.#open.has(oldest);
      const entries = fold.length > 1 && !isOpen ? [] : fold.map(entryRow);
      return fold.length > 1 ? [foldRow(fold, isOpen), ...entries] : entries;
    }).map((row) => kept.get(keyOf(row)) ?? row);
    // Rows that are already shown stay, and keep the focus.
    const isShown = rows.length === this.#body.children.length && rows.every((row, at) => this.#body.children[at] === row);
    if (!isShown) {
      const active = document.activeElement;
      const [place, part] = [active?.closest("tr"), active?.tagName.toLowerCase()];
      const fold = place?.dataset.fold;
      this.#body.replaceChildren(...rows);
      const again = active instanceof HTMLElement && this.#body.contains(active)
        ? active
        : fold && part
        ? this.#body.querySelector(part === "tr" ? `tr[data-fold="${fold}"]` : `tr[data-fold="${fold}"] ${part}`)
        : null;
      if (again instanceof HTMLElement) again.focus();
    }
    if (!rows.some((row) => keyOf(row) === this.#current)) this.#current = rows[0] ? keyOf(rows[0]) : null;
    for (const row of rows) row.tabIndex = keyOf(row) === this.#current ? 0 : -1;
    const rest = this.#folds.slice(this.#limit).reduce((sum, fold) => sum + fold.length, 0);
    this.#older.hidden = rest === 0;
    this.#older.textContent = t("timeline.older", { n: rest });
  }

  /** @returns {HTMLElement[]} */
  get #rows() {
    return Array.from(this.#body.querySelectorAll("tr"));
  }

  /** A press on a row is one on its link or button, unless text is selected. @param {EventTarget | null} target */
  #follow(target) {
    if (!(target instanceof Element) || target.closest("a, button") || !getSelection()?.isCollapsed) return;
    const part = target.closest("tr")?.querySelector("a, button");
    if (part instanceof HTMLElement) part.click();
  }

  /** @param {number} oldest */
  #toggle(oldest) {
    if (!this.#open.delete(oldest)) this.#open.add(oldest);
    this.#draw();
  }

  /** Shows an entry wherever it is, and puts the focus on it. @param {number} seq @returns {boolean} whether it is in the list */
  reveal(seq) {
    const at = this.#folds.findIndex((fold) => fold.some(({ entry }) => entry.seq === seq));
    const fold = this.#folds[at];
    if (!fold) return false;
    if (at >= this.#limit) this.#limit = Math.ceil((at + 1) / page) * page;
    if (fold.length > 1) this.#open.add(fold.at(-1)?.entry.seq ?? 0);
    this.#draw();
    const row = this.#rows.find((one) => one.dataset.seq === String(seq) && !one.dataset.fold);
    row?.scrollIntoView({ block: "center" });
    if (row) this.#point(row);
    return true;
  }

  #showOlder() {
    const first = this.#rows.length;
    this.#limit += page;
    this.#draw();
    const row = this.#rows[first];
    if (row) this.#point(row);
  }

  /** @param {HTMLElement} row */
  #point(row) {
    this.#current = keyOf(row);
    for (const one of this.#rows) one.tabIndex = one === row ? 0 : -1;
    row.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (isTyping(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const rows = this.#rows;
    const isInside = event.target instanceof HTMLTableRowElement && rows.includes(event.target);
    const isNext = event.key === "j" || (isInside && event.key === "ArrowDown");
    if (isNext || event.key === "k" || (isInside && event.key === "ArrowUp")) {
      const at = rows.findIndex((row) => keyOf(row) === this.#current);
      const next = rows[isInside ? Math.min(rows.length - 1, Math.max(0, at + (isNext ? 1 : -1))) : Math.max(0, at)];
      if (!next) return;
      event.preventDefault();
      this.#point(next);
    } else if (event.key === "Enter" && isInside) {
      const [part] = event.target.querySelectorAll("a, button");
      if (part instanceof HTMLElement) part.click();
    }
  }
}

/** The key of a row and its state. @param {HTMLElement} row */
const keyOf = ({ dataset, textContent }) =>
  dataset.fold ? `fold ${dataset.fold} ${dataset.open} ${textContent}` : `${dataset.seq} ${dataset.row ?? ""}`;

/**
 * Equal neighbors as one row, with a button that shows each.
 * @param {Listed[]} fold the newest first
 * @param {boolean} isOpen
 */
function foldRow(fold, isOpen) {
  const [first, last] = [fold[0]?.entry, fold.at(-1)?.entry];
  if (!first || !last) return h("tr");
  const what = headline(first);
  const rest = { n: fold.length, what };
  return h(
    "tr",
    { role: "row", "data-seq": first.seq, "data-kind": first.kind, "data-fold": last.seq, "data-open": isOpen, tabindex: "-1" },
    h(
      "td",
      { role: "cell", class: "entry-time nums" },
      h("time", { datetime: first.at, title: dateTime(first.at) }, preciseTime(first.at)),
      h(
        "span",
        { class: "faint" },
        t("timeline.since", { time: span(Math.max(0, Date.parse(first.at) - Date.parse(last.at))) }),
      ),
    ),
    kindCell(first),
    h("td", { role: "cell" }, h("span", { class: "entry-name" }, what)),
    h(
      "td",
      { role: "cell", class: "entry-request" },
      plainButton("button button-small nums", {
        "aria-expanded": String(isOpen),
        "aria-label": t("timeline.unfold", rest),
      }, t("timeline.folded", { n: fold.length })),
    ),
  );
}
