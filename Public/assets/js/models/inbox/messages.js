// @ts-check
import { isSentTo, restorePending } from "../sign-in/login.js";

/**
 * A message of the embedded backend's inbox.
 * @typedef {object} InboxMessage
 * @property {string} id
 * @property {string} to
 * @property {string} kind
 * @property {string} subject
 * @property {string} text
 * @property {string} [link]
 * @property {string} [code]
 * @property {string} delivered_at
 * @property {string} expires_at
 * @property {"live" | "used" | "blocked" | "replaced" | "expired"} [state] whether it worked when it was read
 */

/** Newest first; the order of arrival decides between equals. @param {InboxMessage[]} messages */
export const newestFirst = (messages) =>
  messages
    .map((message, index) => ({ message, index }))
    .toSorted((a, b) => Date.parse(b.message.delivered_at) - Date.parse(a.message.delivered_at) || b.index - a.index)
    .map((one) => one.message);

/**
 * Whether a message's code and link no longer work by this clock.
 * @param {InboxMessage} message
 * @param {number} now milliseconds
 */
export const isExpired = (message, now) => Date.parse(message.expires_at) <= now;

/**
 * The newest message to the typed identifier, or null if there is none or it no longer works: a new message ends the older ones.
 * @param {InboxMessage[]} messages
 * @param {string} typed
 * @param {number} now milliseconds
 */
export function liveMessage(messages, typed, now) {
  const message = newestFirst(messages).find((one) => isSentTo(one.to, typed));
  return message && (message.state ?? "live") === "live" && !isExpired(message, now) ? message : null;
}

/**
 * The sign-in that a message belongs to, as the tab keeps it: the one that waits for its code already, or one made of the message.
 * @param {InboxMessage} message
 * @param {string | null} stored what the tab keeps now
 * @param {number} now by the backend's clock, in milliseconds
 * @param {number} wall
 * @returns {string} JSON
 */
export function pendingOf(message, stored, now, wall) {
  const waiting = restorePending(stored, wall);
  if (stored && waiting && isSentTo(message.to, waiting.identifier)) return stored;
  /** @type {import("../sign-in/login.js").PendingLogin} */
  const made = {
    identifier: message.to,
    masked: message.to,
    kind: message.link ? "link" : "code",
    // An expired message is still tried, to show the backend's response.
    expiresAt: wall + Math.max(60_000, Date.parse(message.expires_at) - now),
    cooldown: null,
  };
  return JSON.stringify(made);
}

/**
 * The effect of a simulated mail scanner's visit.
 * @typedef {object} MailScan
 * @property {string} url
 * @property {{method: string, status?: number}[]} steps
 * @property {boolean} unchanged
 */

/** The requests of a visit with their statuses, `HEAD 200 · GET 200`. @param {MailScan} scan */
export const scanSteps = (scan) => scan.steps.map(({ method, status }) => `${method} ${status ?? "–"}`).join(" · ");

/**
 * The counts of the limits for one identifier.
 * @typedef {object} LimitEntry
 * @property {string} identifier
 * @property {number} sent
 * @property {string} last_sent_at
 * @property {string} next_at
 */

/** Whole seconds until the next message may go, rounded up; 0 for now. @param {LimitEntry} entry @param {number} now milliseconds */
export const secondsUntilNext = (entry, now) => Math.max(0, Math.ceil((Date.parse(entry.next_at) - now) / 1000));

/** A code in two halves, as it is read aloud. @param {string} code */
export function spacedCode(code) {
  const half = Math.ceil(code.length / 2);
  return code.length < 5 ? code : `${code.slice(0, half)} ${code.slice(half)}`;
}

/**
 * Which message stays open after the list changed: the one that was, else the newest.
 * @param {InboxMessage[]} messages newest first
 * @param {string | null} selected
 */
export const keepSelected = (messages, selected) =>
  messages.some((message) => message.id === selected) ? selected : messages[0]?.id ?? null;
