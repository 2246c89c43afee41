// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, h, icon, loadStyle, plainButton, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { openComparison } from "../common/dialogs.js";
import { problemPanel } from "../common/problem-view.js";
import { comparePath, countsOf, linesOf, live, logPage, ofKind, rowPathIn } from "../../models/recordings/comparison.js";
import { loadWords } from "../../page.js";
import { comparisonLine } from "./comparison-line.js";

/**
 * @typedef {import("../../models/recordings/comparison.js").Comparison} Comparison
 * @typedef {import("../../models/recordings/comparison.js").Line} Line
 * @typedef {import("../../models/recordings/comparison.js").Side} Side
 * @typedef {import("../../models/recordings/comparison.js").Call} Call
 */

/** How many lines are added at a time. */
const stride = 200;

/** The differences between two logs, in place of the list of recordings. */
class ComparisonView {
  #ids;
  #signal;
  #kind = new URLSearchParams(location.search).get("kind") ?? "";
  #list = h("ol", { class: "difference-list", id: "difference-list" });
  #filter = h("div", { class: "row", id: "difference-kinds", role: "group", "aria-label": t("comparison.kinds") });
  #more = plainButton("button", { id: "more-differences", onclick: () => this.#grow() }, t("comparison.more"));
  /** @type {Line[]} */
  #shown = [];
  element = h("section", { class: "card stack", id: "comparison", "aria-label": t("comparison.title"), tabindex: "-1" });

  /** @param {[string, string]} ids of a recording, and of another or `live` @param {AbortSignal} signal */
  constructor(ids, signal) {
    this.#ids = ids;
    this.#signal = signal;
  }

  async load() {
    this.#show("loading", skeleton());
    try {
      /** @type {Comparison} */
      const comparison = await call("GET", comparePath(...this.#ids), { signal: this.#signal });
      this.#compared(comparison);
    } catch (error) {
      if (error instanceof ApiError && error.code === "aborted") return;
      this.#show("error", this.#failed(error));
    }
  }

  /** @param {string} state @param {...Node} content */
  #show(state, ...content) {
    this.element.dataset.state = state;
    this.element.setAttribute("aria-busy", String(state === "loading"));
    const back = h("a", { class: "button button-small", id: "all-recordings", href: "/recordings" }, t("recordings.all"));
    this.element.replaceChildren(h("div", { class: "spread" }, h("h2", {}, t("comparison.title")), back), ...content);
  }

  /** @param {unknown} error */
  #failed(error) {
    const key = error instanceof ApiError
      ? { not_found: "comparison.not_found", payload_too_large: "comparison.too_large" }[error.code]
      : undefined;
    if (!key) return problemPanel(error, () => void this.load());
    return h(
      "div",
      { class: "blank", role: "alert" },
      icon("alert", 24),
      h("p", { class: "title" }, t("comparison.failed")),
      h("p", {}, t(key)),
    );
  }

  /** @param {Comparison} comparison */
  #compared(comparison) {
    const { first, second, differences } = comparison;
    const summary = comparison.is_equal ? t("comparison.equal") : t("comparison.count", { n: differences.length });
    const sides = h("div", { class: "comparison-sides" }, this.#side(first, 0), arrow(), this.#side(second, 1));
    const said = h("p", { class: "comparison-summary", id: "comparison-summary" }, summary);
    const isEmpty = first.calls === 0 || second.calls === 0;
    const notice = isEmpty
      ? h("p", { class: "notice", "data-tone": "warn", id: "comparison-empty" }, this.#emptyText(first, second))
      : "";
    if (comparison.is_equal) {
      this.#show("equal", sides, ...(notice ? [notice] : [blank(summary)]));
    } else {
      const lines = linesOf(differences);
      this.#chips(lines, countsOf(differences));
      this.#show("different", sides, ...(notice ? [notice] : []), said, this.#filter, this.#list, this.#more);
      this.#apply(lines);
    }
    announce(summary);
  }

  /** @param {Side} side @param {0 | 1} place */
  #side({ file, calls, attempts }, place) {
    const id = this.#ids[place] ?? "";
    return h(
      "p",
      { class: "comparison-side" },
      h("span", { class: "small muted" }, t(place ? "comparison.second" : "comparison.first")),
      h("a", { href: logPage(id), id: place ? "second-log" : "first-log" }, h("bdi", {}, this.#name(file, place))),
      h("span", { class: "small muted nums" }, t("comparison.calls", { n: calls }), " · ", t("comparison.attempts", { n: attempts })),
    );
  }

  /** @param {string} file @param {0 | 1} place */
  #name(file, place) {
    return this.#ids[place] === live ? t("comparison.live_of", { device: file }) : file;
  }

  /** @param {Side} first @param {Side} second */
  #emptyText(first, second) {
    if (first.calls === 0 && second.calls === 0) return t("comparison.both_empty");
    const place = first.calls === 0 ? 0 : 1;
    return t("comparison.empty", { title: this.#name((place ? second : first).file, place) });
  }

  /** @param {Line[]} lines @param {[string, number][]} counts */
  #chips(lines, counts) {
    if (!counts.some(([kind]) => kind === this.#kind)) this.#kind = "";
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    this.#filter.replaceChildren(...[["", all], ...counts].map(([kind = "", n = 0]) =>
      plainButton("button button-small chip", {
        "data-kind": String(kind),
        "aria-pressed": String(kind === this.#kind),
        onclick: () => {
          this.#kind = String(kind);
          setParameter("kind", this.#kind);
          for (const chip of this.#filter.children) chip.setAttribute("aria-pressed", String(chip.getAttribute("data-kind") === kind));
          this.#apply(lines);
          announce(t("comparison.shown", { n: this.#shown.length }));
        },
      }, `${t(kind ? `comparison.kind.${kind}` : "comparison.kind.all")} `, h("span", { class: "nums" }, String(n)))
    ));
  }

  /** @param {Line[]} lines */
  #apply(lines) {
    this.#shown = ofKind(lines, this.#kind);
    this.#list.replaceChildren();
    this.#grow();
  }

  #grow() {
    const from = this.#list.childElementCount;
    const hadFocus = document.activeElement === this.#more;
    const more = this.#shown.slice(from, from + stride).map((line) => comparisonLine(line, this.#ids, () => void this.#open(line.call)));
    this.#list.append(...more);
    this.#more.hidden = this.#list.childElementCount >= this.#shown.length;
    if (hadFocus) more[0]?.querySelector("button")?.focus();
  }

  /** Shows both rows of a call side by side. @param {Call} compared */
  async #open({ first_row: one, second_row: other }) {
    if (!one || !other) return;
    const place = (/** @type {0 | 1} */ side, /** @type {string} */ row) => {
      const id = this.#ids[side] ?? "";
      return {
        path: rowPathIn(id, row),
        log: this.element.querySelector(side ? "#second-log" : "#first-log")?.textContent ?? "",
        show: (/** @type {string} */ shown) => location.assign(logPage(id, shown)),
      };
    };
    await openComparison([place(0, one), place(1, other)], { isOrdered: true });
  }
}

const arrow = () => h("span", { class: "difference-arrow", "aria-hidden": "true" }, "→");

const skeleton = () =>
  h(
    "div",
    { class: "skeleton", role: "status" },
    h("p", { class: "visually-hidden" }, t("state.loading")),
    ...Array.from({ length: 4 }, () => h("span")),
  );

/** @param {string} title */
const blank = (title) =>
  h(
    "div",
    { class: "blank", id: "comparison-equal" },
    icon("check", 24),
    h("p", { class: "title" }, title),
    h("p", {}, t("comparison.equal_how")),
  );

/** Shows a comparison on the page of recordings. @param {HTMLElement} page @param {[string, string]} ids @param {AbortSignal} signal */
export async function showComparison(page, ids, signal) {
  await Promise.all([loadWords("comparison"), loadWords("network"), loadStyle("comparison")]);
  const view = new ComparisonView(ids, signal);
  page.prepend(view.element);
  await view.load();
}
