// @ts-check
import { announce, delay } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";

/** How long rows are collected before they are announced, in milliseconds. */
const pause = 5000;

/** Announces new rows to screen readers, at most once every five seconds, because the grid itself is not a live region. */
export class RowReport {
  #signal;
  #isWaiting = false;
  count = 0;
  failed = 0;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.#signal = signal;
  }

  /**
   * Takes new rows; `added` of them are visible.
   * @param {number} added
   * @param {import("../../models/network/row-view.js").NetworkRow[]} rows
   */
  take(added, rows) {
    this.count += added;
    this.failed += rows.filter((row) => row.state === "failure" || (row.status ?? 0) >= 400).length;
    if (this.#isWaiting || !added) return;
    this.#isWaiting = true;
    void delay(pause, this.#signal).then(() => this.#tell());
  }

  #tell() {
    const { count, failed } = this;
    [this.#isWaiting, this.count, this.failed] = [false, 0, 0];
    if (count) announce(failed ? t("network.said_failed", { n: count, failed }) : t("network.said", { n: count }));
  }
}
