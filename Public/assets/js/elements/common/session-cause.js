// @ts-check Adds the cause from the log to a notice of a lost session.
import { ApiError } from "../../api.js";
import { delay, h } from "../../helpers/dom.js";
import { findingOf } from "../../models/explain/explanation.js";
import { loadExplanation, sentence } from "./explained.js";

/**
 * The last session end whose cause was read, and the log's evidence.
 * @type {{since: string, found: ReturnType<typeof find>} | null}
 */
let last = null;

/** @param {string} since */
async function find(since) {
  const explanation = await loadExplanation(null).catch(async (error) => {
    // Other tabs send the same request at the same moment.
    if (!(error instanceof ApiError && error.status === 429)) throw error;
    await delay((error.retryAfterSeconds ?? 1) * 1000);
    return loadExplanation(null);
  });
  return findingOf(explanation, since);
}

/**
 * A sentence about the end of a session, with links to its rows; null where the log shows no cause.
 * @param {import("../../models/shell/console-state.js").Session} session
 */
export async function causeOf({ since }) {
  if (last?.since !== since) last = { since, found: find(since) };
  const finding = await last.found.catch(() => {
    last = null;
  });
  return finding ? h("span", { class: "session-cause" }, ...sentence(finding, null)) : null;
}
