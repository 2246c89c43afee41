// @ts-check
import { isWanted } from "./columns.js";

/**
 * The order with a column moved by one place among those that are not hidden.
 * @param {import("./columns.js").GridSettings} settings
 * @param {string} name
 * @param {number} step -1 or 1
 * @param {readonly string[]} [varied] the rare columns that the log calls for
 */
export function movedOrder(settings, name, step, varied = []) {
  const { order } = settings;
  const visible = order.filter((one) => isWanted(settings, one, varied));
  const other = visible[visible.indexOf(name) + step];
  if (!other || !visible.includes(name)) return order;
  const rest = order.filter((one) => one !== name);
  const at = rest.indexOf(other) + (step > 0 ? 1 : 0);
  return [...rest.slice(0, at), name, ...rest.slice(at)];
}
