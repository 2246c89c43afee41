// @ts-check
// Runs as soon as it is there, before the page's other modules are loaded.
import { call } from "../../api.js";

/** How many rows the first part of the log has: few, so that they appear quickly. */
export const firstCount = 100;

/** The first part of the log. @type {Promise<any>} */
export const firstRows = call("GET", `/api/network?limit=${firstCount}`);
firstRows.catch(() => {});

// The browser reads its data about languages at its first format, which takes 20 ms: now, while it waits for files.
new Intl.DateTimeFormat().format();
new Intl.NumberFormat().format(1);
new Intl.PluralRules().select(1);
