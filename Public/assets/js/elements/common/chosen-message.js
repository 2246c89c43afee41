// @ts-check
import { ApiError, call } from "../../api.js";
import { chosenMessageKey } from "../../page.js";

// A message whose code or link somebody pressed in the inbox: the page that the press leads to uses it without asking again.

/** Keeps a message for the page that this tab goes to next. @param {string} id */
export const keepChosen = (id) => sessionStorage.setItem(chosenMessageKey, id);

/** The message that was kept, once. @returns {string | null} its id */
export function takeChosen() {
  const id = sessionStorage.getItem(chosenMessageKey);
  sessionStorage.removeItem(chosenMessageKey);
  return id;
}

/**
 * The message with this id, or null if the inbox does not have it or cannot be read: then the page asks as it always does.
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
