// @ts-check
import { folded } from "../shell/language.js";

/**
 * A named copy of a log, as `GET /api/recordings` lists it.
 * @typedef {{id: string, title: string, note: string, created_at: string, rows: number, bytes: number, device_name?: string,
 *   backend_url?: string, version?: string, workspace?: string}} Recording
 */

/** The most bytes of a title, in UTF-8. */
const titleLimit = 200;

/** The types of files that can be imported, by the end of their names. @type {Record<string, string>} */
const types = { zip: "application/zip", har: "application/json", json: "application/json" };

/** The end of a file's name, in small letters. @param {string} name */
const endOf = (name) => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** The type of a file that can be imported, else null. @param {{name: string, type: string}} file */
export const importType = ({ name, type }) =>
  types[endOf(name)] ?? (Object.values(types).includes(type) ? type : type === "application/x-zip-compressed" ? "application/zip" : null);

/** The title of an imported file: its name without the end. @param {string} name */
export const importTitle = (name) => truncateTitle(Object.hasOwn(types, endOf(name)) ? name.replace(/\.\w+$/, "") : name);

/** The text, cut to the maximum length of a title. @param {string} text */
export function truncateTitle(text) {
  const encoder = new TextEncoder();
  let kept = "";
  let size = 0;
  for (const letter of text.trim()) {
    size += encoder.encode(letter).length;
    if (size > titleLimit) break;
    kept += letter;
  }
  return kept.trim();
}

/** Whether a text can be a title. @param {string} text */
export const isTitle = (text) => text.trim() !== "" && truncateTitle(text) === text.trim();

/** The recordings that have every word of a text, in their order. @param {Recording[]} recordings @param {string} text */
export function found(recordings, text) {
  const words = folded(text.trim()).split(/\s+/).filter(Boolean);
  return recordings.filter((one) => {
    const place = folded([one.title, one.note, one.device_name, one.backend_url].filter(Boolean).join("\n"));
    return words.every((word) => place.includes(word));
  });
}

/** The addresses of a recording's pages. @param {string} id */
export const pagesOf = (id) => ({
  network: `/network?recording=${encodeURIComponent(id)}`,
  timeline: `/timeline?recording=${encodeURIComponent(id)}`,
});
