// @ts-check
// Whose rows a page shows: those of the tab's device, of the recording that its address names, or of the page itself on a disk.

/** The id of the recording, or null for the log of the device. */
export const recording = new URLSearchParams(location.search).get("recording");

/** The path of a call about the device or the recording. @param {string} rest the rest of the path, such as `timeline` */
export const sourcePath = (rest) => `/api/${recording === null ? "" : `recordings/${encodeURIComponent(recording)}/`}${rest}`;

/** The path of a call about the rows. @param {string} [rest] the rest of the path after `network` */
export const logPath = (rest = "") => sourcePath(`network${rest}`);

/** The path of a call about one row. @param {string} id @param {string} [rest] */
export const rowPath = (id, rest = "") => logPath(`/${encodeURIComponent(id)}${rest}`);

/** When the log of a page on a disk ends, or undefined for a page with a console. */
const end = document.documentElement.dataset.offline;

/** Whether the page has its log in itself, and no console that could do more with it. */
export const isOffline = end !== undefined;

/** When the log is seen, in milliseconds: now, or the end of one that is looked at later. */
export const logTime = () => (end === undefined ? Date.now() : Date.parse(end));
