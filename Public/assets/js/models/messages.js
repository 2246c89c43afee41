// @ts-check
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
