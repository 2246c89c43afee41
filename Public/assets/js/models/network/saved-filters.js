// @ts-check
/** A filter that was given a name. @typedef {{name: string, text: string}} SavedFilter */

/** Where the browser keeps the filters. */
export const filtersKey = "understudy.filters";

/** The most filters that are kept, and the longest name. */
export const [mostFilters, longestName] = [12, 40];

/** The filters in a stored text; unreadable ones are left out. @param {string | null} stored @returns {SavedFilter[]} */
export function readFilters(stored) {
  try {
    const list = JSON.parse(stored ?? "[]");
    if (!Array.isArray(list)) return [];
    return list.filter((one) => typeof one?.name === "string" && typeof one?.text === "string" && one.name && one.text)
      .slice(0, mostFilters).map(({ name, text }) => ({ name: name.slice(0, longestName), text }));
  } catch {
    return [];
  }
}

/**
 * The list with a filter added; one with the same name is replaced. If the list is full, the oldest leaves.
 * @param {SavedFilter[]} list
 * @param {SavedFilter} filter
 */
export const withFilter = (list, filter) =>
  [...list.filter((one) => one.name !== filter.name), filter].slice(-mostFilters);
