// @ts-check
import { ApiError, call } from "../../api.js";
import { chosenMessageKey } from "../../page.js";

// The message whose code or link a person clicked in the inbox. The page that opens then uses it without another confirmation.

/** Keeps a message for the page that this tab goes to next. @param {string} id */
export const keepChosen = (id) => sessionStorage.setItem(chosenMessageKey, id);

/** Returns the kept message, once. @returns {string | null} its id */
export function takeChosen() {
  const id = sessionStorage.getItem(chosenMessageKey);
  sessionStorage.removeItem(chosenMessageKey);
  return id;
}

/**
 * The message with this id, or null if the inbox does not have it or cannot be read: then the page asks as usual.
 * @param {string} id
 * @returns {Promise<import("../../models/inbox/messages.js").InboxMessage | null>}
 */
export async function readMessage(id) {
  try {
    const { messages } = await call("GET", "/api/inbox");
    return messages.find((/** @type {{id: string}} */ one) => one.id === id) ?? null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
