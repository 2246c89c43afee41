// @ts-check
import { fetchText } from "../../api.js";
import { copyText } from "../../helpers/copy.js";
import { rowPath } from "../../helpers/log-source.js";
import { showFailure } from "../common/notice.js";

/**
 * Copies a report about rows for a ticket.
 * @param {HTMLElement} button says in place whether it was copied
 * @param {string[]} ids
 */
export async function copyReport(button, ids) {
  try {
    const texts = await Promise.all(ids.map((id) => fetchText(rowPath(id, "/markdown"))));
    await copyText(button, texts.join("\n"));
  } catch (error) {
    showFailure(error);
  }
}
