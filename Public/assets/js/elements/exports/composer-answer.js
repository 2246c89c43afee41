// @ts-check
import { ApiError, call } from "../../api.js";
import { events } from "../../events.js";
import { announce, delay, h, loadStyle, plainButton } from "../../helpers/dom.js";
import { milliseconds, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { rowTone, statusLabel } from "../../models/network/row-view.js";
import { loadWords } from "../../page.js";
import { isSentAgain } from "../../models/exports/composer.js";
import { response } from "../common/detail-parts.js";
import { compareFirst } from "./compare-first.js";

/** @typedef {import("../network/network-detail.js").Detail} Detail */

/** How long to wait before a row is read again, in milliseconds. */
const pauses = [60, 120, 250, 500, 1000];

/** The response to a composed request, in place: the last attempt of its call, until that has ended. */
export class ComposerAnswer {
  #open;
  #turn = 0;
  element = h("section", { class: "composer-answer", id: "compose-answer", "aria-label": t("compose.answer"), hidden: true });

  /** @param {(id: string) => void} open opens a row */
  constructor(open) {
    this.#open = open;
  }

  /**
   * Follows a request that was sent, until it has its response or the signal stops it.
   * @param {string} id of its first row
   * @param {AbortSignal} signal
   */
  async follow(id, signal) {
    const turn = this.#turn += 1;
    this.element.hidden = false;
    this.element.replaceChildren(h("p", { class: "muted", role: "status" }, t("detail.no_response_yet")));
    let wanted = id;
    let callId = "";
    const stop = new AbortController();
    events.addEventListener("network", (event) => {
      const row = /** @type {CustomEvent} */ (event).detail;
      if (row?.call_id === callId && row.id !== wanted && row.attempt > 1) wanted = row.id;
    }, { signal: stop.signal });
    try {
      await Promise.all([loadWords("network"), loadWords("detail"), loadStyle("network-detail")]);
      let ended = 0;
      for (let read = 0; turn === this.#turn && !signal.aborted; read += 1) {
        const row = await call("GET", `/api/network/${encodeURIComponent(wanted)}`, { signal });
        callId = row.call_id;
        if (turn !== this.#turn) return;
        const hasEnded = row.state !== "pending" && row.state !== "waiting";
        if (hasEnded) this.#show(row);
        ended = hasEnded ? ended + 1 : 0;
        // A retry or the replay after a refresh may follow; the next reading finds it.
        if (hasEnded && row.id === wanted && (row.state === "success" || ended > pauses.length)) return;
        await delay(pauses[Math.min(read, pauses.length - 1)] ?? 1000, signal);
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.code === "aborted")) return;
      this.element.replaceChildren(h("p", { class: "field-error", role: "alert" }, problemText(error)));
    } finally {
      stop.abort();
    }
  }

  /** @param {Detail} row */
  #show(row) {
    if (this.element.dataset.shown === `${row.id} ${row.rev}`) return;
    this.element.dataset.shown = `${row.id} ${row.rev}`;
    const label = statusLabel(row);
    const status = label.digits ?? t(label.key ?? "");
    const time = milliseconds(row.duration_ms);
    const [count, headers, ...body] = response(row);
    this.element.replaceChildren(
      h(
        "div",
        { class: "spread" },
        h(
          "p",
          { class: "row", id: "compose-status" },
          h("strong", {}, t("compose.answer")),
          h("span", { class: "badge nums", "data-tone": rowTone(row) }, status),
          h("span", { class: "muted nums" }, time),
        ),
        h(
          "div",
          { class: "row" },
          isSentAgain(row) ? compareFirst(row, this.#open) : null,
          plainButton("button button-small", { id: "composed-row", onclick: () => this.#open(row.id) }, t("cause.show")),
        ),
      ),
      row.error_detail ? h("p", { class: "small", dir: "auto" }, row.error_detail) : "",
      ...(row.response
        ? [...body, h("details", { class: "composer-more" }, h("summary", {}, count?.textContent ?? ""), headers)]
        : [count ?? ""]),
    );
    announce(`${t("compose.answer")}: ${status}, ${time}`);
  }
}
