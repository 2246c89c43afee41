// @ts-check
/** When the log of a page on a disk ends, or undefined for a page with a console. */
const end = document.documentElement.dataset.offline;

/** Whether the page has its log in itself, and no console that could do more with it. */
export const isOffline = end !== undefined;

/** When the log is seen, in milliseconds: now, or the end of one that is looked at later. */
export const logTime = () => (end === undefined ? Date.now() : Date.parse(end));
