// @ts-check
import { openRowMenu } from "./row-menu.js";

/**
 * @typedef {import("./network-console.js").NetworkConsole} NetworkConsole
 * @typedef {import("./network-tools.js").NetworkTools} NetworkTools
 */

/** How long a finger rests on a line to open its menu, in milliseconds, and how far it may move, in pixels. */
const [hold, reach] = [500, 10];

/**
 * Opens a line's menu when a finger rests on it, or at a press of the right button or the menu key.
 * @param {NetworkConsole} view
 * @param {NetworkTools} tools
 * @param {AbortSignal} signal
 */
export function attachRowMenu(view, tools, signal) {
  const { place } = view.grid.rows;
  let [timer, rested] = [0, -Infinity];
  const cancel = () => clearTimeout(timer);
  /** @param {EventTarget | null} target @param {number} x @param {number} y */
  const open = async (target, x, y) => {
    const id = rowUnder(view, target);
    if (!id || !(target instanceof Element)) return;
    await openRowMenu(view, tools, id, x || y ? { x, y } : target);
  };
  place.addEventListener("pointerdown", (event) => {
    cancel();
    if (event.pointerType !== "touch") return;
    const { target, clientX, clientY } = event;
    timer = setTimeout(() => {
      rested = performance.now();
      void open(target, clientX, clientY);
    }, hold);
    /** @param {PointerEvent} now */
    const moved = (now) => {
      if (Math.hypot(now.clientX - clientX, now.clientY - clientY) > reach) cancel();
    };
    const over = new AbortController();
    place.addEventListener("pointermove", moved, { signal: over.signal });
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      place.addEventListener(name, () => {
        cancel();
        over.abort();
      }, { signal: over.signal });
    }
  }, { signal });
  // The finger that leaves the line is no press of it.
  place.addEventListener("click", (event) => {
    if (performance.now() - rested < 700) event.stopPropagation();
  }, { capture: true, signal });
  view.grid.grid.addEventListener("contextmenu", (event) => {
    // While the active line is out of view, the grid has its focus, and the menu key means that line.
    const isOnLine = event.target instanceof Node && place.contains(event.target);
    const isByKey = event.target === view.grid.grid && document.activeElement === view.grid.grid && event.button !== 2 &&
      !event.ctrlKey;
    if (!isOnLine && !isByKey) return;
    event.preventDefault();
    cancel();
    // Some browsers also report the press of the finger that opened it already.
    if (performance.now() - rested > 700) void open(event.target, event.clientX, event.clientY);
  }, { signal });
}

/** The row of a line: its own, or the last one of a group. @param {NetworkConsole} view @param {EventTarget | null} target */
function rowUnder({ grid }, target) {
  const element = target instanceof Element ? target.closest('[role="row"]') : null;
  const shown = grid.rows.drawn.find((one) => one.element === element);
  const place = shown ? shown.drawn.index : target === grid.grid ? grid.lines.placeOf(grid.active) : -1;
  if (place < 0) return null;
  const line = grid.lines.line(place);
  if (line.kind === "row") return grid.store.idOf(line.slot);
  return line.kind === "flow" || line.kind === "call"
    ? grid.store.idOf(grid.lines.summary(line.kind, line.id).last)
    : null;
}
