// @ts-check
// Runs as soon as it is there, before the page's other modules are loaded.
import { call } from "../../api.js";
import { events } from "../../events.js";

/** How many rows the first part of the log has: few, so that they appear quickly. */
export const firstCount = 100;

const address = new URLSearchParams(location.search);

/** The path of the calls about the rows: those of the device, or of a recording, which does not change. */
export const log = `/api/${address.has("recording") ? `recordings/${encodeURIComponent(address.get("recording") ?? "")}/` : ""}network`;

/** The first part of the log. @type {Promise<any>} */
export const firstRows = call("GET", `${log}?limit=${firstCount}`);
firstRows.catch(() => {});

/** Rows that the stream brought since. @type {any[]} */
const arrived = [];
/** @param {Event} event */
const keep = (event) => void arrived.push(/** @type {CustomEvent} */ (event).detail);
events.addEventListener("network", keep);

/** The rows that came before the log listened for itself, which it does from now on. */
export function takeArrived() {
  events.removeEventListener("network", keep);
  return arrived.splice(0);
}

/**
 * Reads the rows after a `seq`: some may have come after they were asked for, and before the stream was open.
 * @param {number} after @param {(row: any) => void} take
 */
export async function takeRowsSince(after, take) {
  const answer = await call("GET", `${log}?limit=2000${after ? `&after=${after}` : ""}`).catch(() => null);
  for (const row of answer?.events ?? []) take(row);
}

// The browser reads its data about languages at its first format, which takes 20 ms: now, while it waits for files.
new Intl.DateTimeFormat().format();
new Intl.NumberFormat().format(1);
new Intl.PluralRules().select(1);
