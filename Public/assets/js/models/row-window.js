// @ts-check
/**
 * Where a key moves the active row; null when the key moves nothing.
 * @param {string} key of a keyboard event
 * @param {number} active the active place, -1 for none
 * @param {number} count
 * @param {number} page rows a page
 * @returns {number | null}
 */
export function moveActive(key, active, count, page) {
  if (count === 0) return null;
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active < 0 ? count - 1 : active - 1,
    k: active < 0 ? count - 1 : active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  return target === undefined ? null : Math.min(count - 1, Math.max(0, target));
}

/** @typedef {{start: number, end: number, offset: number, height: number}} RowWindow */

/**
 * The rows to draw of a list with fixed row height: from `start` up to `end`, `offset` pixels down.
 * @param {number} count
 * @param {number} rowHeight pixels
 * @param {number} scrollTop pixels
 * @param {number} viewport pixels
 * @param {number} overscan rows drawn beyond each edge
 * @returns {RowWindow}
 */
export function rowWindow(count, rowHeight, scrollTop, viewport, overscan = 8) {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const visible = Math.ceil(viewport / rowHeight) + 1;
  const start = Math.max(0, Math.min(first, count - visible) - overscan);
  const end = Math.min(count, Math.max(first, 0) + visible + overscan);
  return { start, end: Math.max(start, end), offset: start * rowHeight, height: count * rowHeight };
}

/**
 * Whether a view stands at the end of its list, within five pixels.
 * @param {number} scrollTop
 * @param {number} viewport
 * @param {number} height
 */
export const isAtEnd = (scrollTop, viewport, height) => scrollTop + viewport >= height - 5;

/**
 * The scroll position that brings a row into view with the least movement.
 * @param {number} index
 * @param {number} rowHeight
 * @param {number} scrollTop
 * @param {number} viewport
 */
export function scrollToRow(index, rowHeight, scrollTop, viewport) {
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < scrollTop) return top;
  return bottom > scrollTop + viewport ? bottom - viewport : scrollTop;
}
