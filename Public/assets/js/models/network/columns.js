// @ts-check
import { endpointLabel, flowName, isUndecodable, masked, statusLabel } from "./row-view.js";

/** @typedef {import("./row-view.js").NetworkRow} NetworkRow */

/**
 * A user's settings of the grid's columns: their order, the hidden ones, those always shown, and widths in rem.
 * @typedef {{order: string[], hidden: string[], wanted: string[], widths: Record<string, number>, isCompact: boolean,
 *   split: number | null}} GridSettings
 */

/**
 * How values are put into words, and whether personal text is covered.
 * @typedef {{words: Pick<typeof import("../../helpers/i18n.js"), "byteSize" | "milliseconds" | "preciseTime" | "t">,
 *   isMasked: boolean}} Context
 * Also when a row started, in milliseconds.
 * @typedef {Context & {started: number}} RowContext
 * The line above the rows of a call, or of a user action: the last of them, and what they come to.
 * @typedef {Context & {isCall: boolean, last: NetworkRow, summary: import("./row-lines.js").Summary}} Group
 */

/**
 * A column. Its title is the message `network.col.NAME`, and its cells have the class `c-NAME`.
 * @typedef {object} Column
 * @property {string} name
 * @property {number} width rem; of a flexible column the least
 * @property {number} [narrow] rem in a narrow grid, if less
 * @property {number} [share] of the spare room, in `fr`
 * @property {number} [yields] in which turn it gives way if there is no room; a column without a turn stays
 * @property {true} [isRare] whether it shows only where the log calls for it, as `RowStore.varied` says
 * @property {"seq" | "started" | "method" | "path" | "host" | "endpoint" | "status" | "responseBytes" | "duration"} [sort] of the store
 * @property {(row: NetworkRow, context: RowContext) => string} [text]
 * @property {(group: Group) => string} [groupText]
 * @property {(row: NetworkRow, context: RowContext) => string} [title] the tooltip
 * @property {(group: Group) => string} [groupTitle]
 */

/** The columns in their first order. @type {Column[]} */
export const columns = [
  { name: "seq", width: 3, yields: 4, sort: "seq", text: (row) => String(row.seq) },
  {
    name: "time",
    width: 6,
    yields: 3,
    sort: "started",
    text: (_, { started, words }) => words.preciseTime(started),
    groupText: ({ summary, words }) => words.preciseTime(summary.start),
  },
  {
    name: "method",
    width: 4,
    narrow: 3.5,
    yields: 8,
    sort: "method",
    text: (row) => row.method,
    groupText: ({ isCall, last }) => isCall ? last.method : "",
  },
  {
    name: "host",
    width: 7,
    share: 1,
    yields: 9,
    isRare: true,
    sort: "host",
    text: (row) => row.host ?? "",
    groupText: ({ isCall, last }) => isCall ? last.host ?? "" : "",
    title: (row) => row.host ?? "",
  },
  {
    name: "path",
    width: 7,
    share: 3,
    sort: "path",
    text: pathText,
    groupText: (group) => group.isCall ? pathText(group.last, group) : flowName(group.last.flow, group.words.t),
  },
  {
    name: "endpoint",
    width: 5,
    share: 1,
    yields: 2,
    isRare: true,
    sort: "endpoint",
    text: endpointText,
    groupText: (group) => group.isCall ? endpointText(group.last, group) : "",
  },
  {
    name: "status",
    width: 6.5,
    narrow: 5.5,
    sort: "status",
    text: statusText,
    groupText: (group) => group.isCall ? statusText(group.last, group) : failures(group),
    title: (row) => [row.error, row.error_detail].filter(Boolean).join(": "),
    groupTitle: failures,
  },
  {
    name: "size",
    width: 4.5,
    yields: 6,
    sort: "responseBytes",
    text: (row, { words }) => words.byteSize(row.response_bytes),
  },
  {
    name: "ms",
    width: 4.5,
    narrow: 4,
    yields: 7,
    sort: "duration",
    text: (row, { words }) => words.milliseconds(row.duration_ms),
    groupText: ({ summary, words }) => summary.isRunning ? "…" : words.milliseconds(summary.end - summary.start),
  },
  {
    name: "source",
    width: 7.25,
    yields: 5,
    text: marks,
    groupText: countText,
    // A long language needs more than the column.
    title: marks,
    groupTitle: countText,
  },
  // Its cells hold the bars.
  { name: "fall", width: 6, share: 2, yields: 1 },
];

/** More characters of a path than any column shows; the column's edge cuts them. */
const longestPath = 400;

/** @param {NetworkRow} row @param {Context} context */
function pathText({ path }, { isMasked }) {
  return (isMasked ? masked(path) : path).slice(0, longestPath);
}

/** @param {NetworkRow} row @param {Context} context */
function endpointText(row, { isMasked }) {
  return isMasked ? masked(endpointLabel(row)) : endpointLabel(row);
}

/** @param {NetworkRow} row @param {Context} context */
function statusText(row, { words }) {
  const label = statusLabel(row);
  return label.digits ?? words.t(label.key ?? "row.pending");
}

/** @param {Group} group */
function failures({ summary, words }) {
  return summary.failed ? words.t("row.failures", { n: summary.failed }) : "";
}

/** The marks of a row. @param {NetworkRow} row @param {Context} context */
function marks(row, { words: { t } }) {
  const parts = [isUndecodable(row) && t("row.undecodable"), row.is_pinned && t("row.pinned")];
  parts.push(row.attempt > 1 && t("row.attempt", { n: row.attempt }), row.source !== "network" && t(`row.source.${row.source}`));
  return parts.filter(Boolean).join(" · ");
}

/** @param {Group} group */
function countText({ isCall, summary, words }) {
  return words.t(isCall ? "row.tries" : "rows.count", { n: summary.count });
}

/** @type {Map<string, Column>} */
const byName = new Map(columns.map((column) => [column.name, column]));

/** The column of this name. @param {string} name @returns {Column} */
export function columnNamed(name) {
  const column = byName.get(name);
  if (!column) throw new RangeError(`no column ${name}`);
  return column;
}

/** The names of all columns in their first order. */
export const allColumns = columns.map((column) => column.name);
/** Columns that cannot be hidden, because they identify a line. */
export const fixedColumns = ["path"];
/** The columns that are hidden first if there is no room. */
const yielding = columns.filter((column) => column.yields).toSorted((a, b) => (a.yields ?? 0) - (b.yields ?? 0));
/** The least and the greatest width in rem. */
const [least, most] = [2.5, 60];
/** A grid with less room than this, in rem, is narrow. */
const narrowRoom = 40;
/** The room between columns and at each edge, in rem. */
const [wideSpace, narrowSpace] = [{ gap: 0.75, edge: 1 }, { gap: 0.5, edge: 0.75 }];

/** @returns {GridSettings} */
export const firstSettings = () => ({ order: [...allColumns], hidden: [], wanted: [], widths: {}, isCompact: false, split: null });

/** The settings in a stored text; unreadable ones get their defaults. @param {string | null} stored @returns {GridSettings} */
export function readSettings(stored) {
  const settings = firstSettings();
  try {
    const value = JSON.parse(stored ?? "{}") ?? {};
    const known = (/** @type {unknown} */ list) =>
      Array.isArray(list) ? [...new Set(list.filter((name) => byName.has(name)))] : [];
    const order = known(value.order);
    settings.order = [...order, ...allColumns.filter((name) => !order.includes(name))];
    settings.hidden = known(value.hidden).filter((name) => !fixedColumns.includes(name));
    settings.wanted = known(value.wanted);
    for (const [name, width] of Object.entries(value.widths ?? {})) {
      if (byName.has(name) && Number.isFinite(width)) settings.widths[name] = bounded(Number(width));
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
 * Whether a column is to show if there is room.
 * @param {GridSettings} settings
 * @param {string} name
 * @param {readonly string[]} varied the rare columns that the log calls for
 */
export const isWanted = ({ hidden, wanted }, name, varied) =>
  !hidden.includes(name) && (!columnNamed(name).isRare || wanted.includes(name) || varied.includes(name));

/**
 * The settings after a column is shown or hidden.
 * @param {GridSettings} settings
 * @param {string} name
 * @param {readonly string[]} varied
 */
export function toggled(settings, name, varied) {
  const without = (/** @type {string[]} */ list) => list.filter((one) => one !== name);
  const [hidden, wanted] = [without(settings.hidden), without(settings.wanted)];
  if (isWanted(settings, name, varied)) hidden.push(name);
  else if (columnNamed(name).isRare) wanted.push(name);
  return { hidden, wanted };
}

/**
 * The columns that fit, in order, their `grid-template-columns`, and the room around them.
 * @param {GridSettings} settings
 * @param {number} room rem
 * @param {readonly string[]} [varied] the rare columns that the log calls for
 */
export function columnLayout(settings, room, varied = []) {
  const { order, widths } = settings;
  const isNarrow = room < narrowRoom;
  const space = isNarrow ? narrowSpace : wideSpace;
  const widthOf = (/** @type {Column} */ { name, width, narrow }) => widths[name] ?? (isNarrow && narrow || width);
  let shown = order.filter((name) => isWanted(settings, name, varied)).map(columnNamed);
  const needed = () => shown.reduce((sum, column) => sum + widthOf(column) + space.gap, 2 * space.edge - space.gap);
  for (const column of yielding) {
    if (needed() <= room) break;
    shown = shown.filter((one) => one !== column);
  }
  const isFlexible = (/** @type {Column} */ { name, share }) => widths[name] === undefined && share !== undefined;
  const taker = shown.some(isFlexible) ? null : shown.at(-1);
  const template = shown.map((column) => {
    const width = `${widthOf(column)}rem`;
    if (isFlexible(column)) return `minmax(${width}, ${column.share}fr)`;
    return column === taker ? `minmax(${width}, 1fr)` : width;
  });
  return { shown: shown.map((column) => column.name), template: template.join(" "), space };
}
