// @ts-check
/**
 * What a user chose of the grid's columns: their order, those that are hidden, and widths in rem.
 * @typedef {{order: string[], hidden: string[], widths: Record<string, number>, isCompact: boolean, split: number | null}} GridSettings
 */

/** The columns in their first order: width in rem, and the share of spare room that a flexible one takes. */
const columns = new Map(Object.entries({
  seq: { width: 3, share: 0 },
  time: { width: 6, share: 0 },
  method: { width: 4, share: 0 },
  path: { width: 7, share: 3 },
  endpoint: { width: 5, share: 1 },
  status: { width: 6.5, share: 0 },
  size: { width: 4.5, share: 0 },
  ms: { width: 4.5, share: 0 },
  source: { width: 6.5, share: 0 },
  fall: { width: 6, share: 2 },
}));

/** The names of all columns in their first order. */
export const allColumns = [...columns.keys()];
/** Columns that cannot be hidden, because without them nothing says what a line is. */
export const fixedColumns = ["path"];
/** Those that give way first if there is no room. */
const yielding = ["fall", "endpoint", "time", "seq", "source", "size", "ms", "method"];
/** The least and the greatest width in rem, the room between columns, and at the edges. */
const [least, most, gap, edges] = [2.5, 60, 0.75, 2];

/** @returns {GridSettings} */
export const firstSettings = () => ({ order: [...allColumns], hidden: [], widths: {}, isCompact: false, split: null });

/** The settings in a stored text; what cannot be read is as at first. @param {string | null} stored @returns {GridSettings} */
export function readSettings(stored) {
  const settings = firstSettings();
  try {
    const value = JSON.parse(stored ?? "{}") ?? {};
    const known = (/** @type {unknown} */ list) =>
      Array.isArray(list) ? [...new Set(list.filter((name) => columns.has(name)))] : [];
    const order = known(value.order);
    settings.order = [...order, ...allColumns.filter((name) => !order.includes(name))];
    settings.hidden = known(value.hidden).filter((name) => !fixedColumns.includes(name));
    for (const [name, width] of Object.entries(value.widths ?? {})) {
      if (columns.has(name) && Number.isFinite(width)) settings.widths[name] = bounded(Number(width));
    }
    settings.isCompact = value.isCompact === true;
    settings.split = Number.isFinite(value.split) ? boundedSplit(value.split) : null;
  } catch {
    return firstSettings();
  }
  return settings;
}

/** @param {number} width rem */
export const bounded = (width) => Math.round(Math.min(most, Math.max(least, width)) * 100) / 100;

/** The share of the width that the details take, in percent. @param {number} share */
export const boundedSplit = (share) => Math.round(Math.min(75, Math.max(20, share)) * 10) / 10;

/**
 * The columns that fit, in order, and their `grid-template-columns`.
 * @param {GridSettings} settings
 * @param {number} room rem
 */
export function columnLayout({ order, hidden, widths }, room) {
  let shown = order.filter((name) => !hidden.includes(name));
  const widthOf = (/** @type {string} */ name) => widths[name] ?? columns.get(name)?.width ?? least;
  const needed = () => shown.reduce((sum, name) => sum + widthOf(name) + gap, edges - gap);
  for (const name of yielding) {
    if (needed() <= room) break;
    shown = shown.filter((one) => one !== name);
  }
  const isFlexible = (/** @type {string} */ name) => widths[name] === undefined && (columns.get(name)?.share ?? 0) > 0;
  const taker = shown.some(isFlexible) ? null : shown.at(-1);
  const template = shown.map((name) => {
    const width = `${widthOf(name)}rem`;
    if (isFlexible(name)) return `minmax(${width}, ${columns.get(name)?.share}fr)`;
    return name === taker ? `minmax(${width}, 1fr)` : width;
  });
  return { shown, template: template.join(" ") };
}

/**
 * The order with a column moved by one place among those that are not hidden.
 * @param {GridSettings} settings
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
