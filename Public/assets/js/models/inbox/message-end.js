// @ts-check
import { isExpired } from "./messages.js";

/** @typedef {import("./messages.js").InboxMessage} InboxMessage */

/**
 * Why a message, or its code, no longer works by this clock; null if it does.
 * @param {InboxMessage} message
 * @param {number} now milliseconds
 */
export const endOf = ({ state = "live", ...message }, now) =>
  state === "live" || state === "blocked" ? isExpired(message, now) ? "expired" : state === "blocked" ? state : null : state;

/**
 * Whether neither code nor link of a message works any more by this clock.
 * @param {InboxMessage} message
 * @param {number} now milliseconds
 */
export function isDead(message, now) {
  const end = endOf(message, now);
  return end !== null && !(end === "blocked" && message.link);
}
