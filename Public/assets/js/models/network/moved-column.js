// @ts-check
/**
 * The order with a column moved by one place among those that are not hidden.
 * @param {Pick<import("./columns.js").GridSettings, "order" | "hidden">} settings
 * @param {string} name
 * @param {number} step -1 or 1
 */
export function movedOrder({ order, hidden }, name, step) {
  const visible = order.filter((one) => !hidden.includes(one));
  const other = visible[visible.indexOf(name) + step];
  if (!other || !visible.includes(name)) return order;
  const rest = order.filter((one) => one !== name);
  const at = rest.indexOf(other) + (step > 0 ? 1 : 0);
  return [...rest.slice(0, at), name, ...rest.slice(at)];
}
