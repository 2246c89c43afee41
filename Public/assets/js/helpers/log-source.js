// @ts-check
// Whose rows a page shows: those of the tab's device, or of the recording that its address names.

/** The id of the recording, or null for the log of the device. */
export const recording = new URLSearchParams(location.search).get("recording");

/** The path of a call about the rows. @param {string} [rest] what follows `network` */
export const logPath = (rest = "") =>
  `/api/${recording === null ? "" : `recordings/${encodeURIComponent(recording)}/`}network${rest}`;

/** The path of a call about one row. @param {string} id @param {string} [rest] */
export const rowPath = (id, rest = "") => logPath(`/${encodeURIComponent(id)}${rest}`);
