// @ts-check
import { call } from "../../api.js";
import { logPage } from "../../models/recordings/comparison.js";
import { truncateTitle } from "../../models/recordings/recordings.js";

/** The addresses of rows that were shared, by the rows' ids: who copies again needs no second recording. @type {Map<string, string>} */
const shared = new Map();

/**
 * Saves the rows of a row's user action as a recording, because another person cannot read the device's log.
 * @param {{id: string, flow?: string, flow_id?: string, method?: string, path: string}} row
 * @returns {Promise<string>} the address of the row in the recording
 */
export async function shareRow({ id, flow = "", flow_id: action, method = "", path }) {
  const known = shared.get(id);
  if (known) return known;
  const { events } = await call("GET", `/api/network?${new URLSearchParams(flow ? { q: flow } : {})}`);
  const rows = events.filter((/** @type {{flow_id: string}} */ one) => one.flow_id === action);
  const ids = new Set([...rows.map((/** @type {{id: string}} */ one) => one.id), id]);
  const saved = await call("POST", "/api/recordings", { body: { title: truncateTitle(`${method} ${path}`), ids: [...ids] } });
  const address = new URL(logPage(saved.id, id), location.origin).href;
  shared.set(id, address);
  return address;
}
