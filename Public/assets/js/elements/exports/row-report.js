// @ts-check
import { announce, delay } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";

/** How long rows are collected before they are announced, in milliseconds. */
const pause = 5000;

/** Tells a screen reader of new rows: the rows are no live region, one sentence at most every five seconds is. */
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
   * Takes rows of which so many are new in view.
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
