// @ts-check Draws the first part of the log, then loads the whole page, whose many files would otherwise delay the rows.
import { once } from "../../api.js";
import { events } from "../../events.js";
import { need, rest, showView } from "../../helpers/dom.js";
import { withEnds } from "../../models/network/row-view.js";
import { ready } from "../../page.js";
import { firstRows } from "./first-rows.js";
import { NetworkGrid } from "./network-grid.js";

const view = need(document, "network-console", HTMLElement);
const address = new URLSearchParams(location.search);

/** Draws the rows as they come, unless the address asks for a filter, a row or another device. */
async function draw() {
  if (["q", "flat", "row", "device"].some((name) => address.has(name))) return;
  const [first] = await Promise.all([firstRows, ready]);
  const grid = need(view, "network-grid", NetworkGrid);
  const { store, lines } = grid;
  if (!first.events.length) return;
  store.begin(first);
  lines.gaps = withEnds([], store.ends);
  lines.take(store.merge(first.events));
  showView(view, "ready");
  view.ariaBusy = "true";
  grid.schedule();
  if (!document.hidden) await rest();
}

/** The last press before the page could handle it. @type {{element: HTMLElement, row: string | null} | null} */
let pressed = null;

document.addEventListener("click", ({ clientX, clientY, isTrusted, target }) => {
  if (!isTrusted) return;
  pressed = null;
  const isAbove = target instanceof Element && target.closest("dialog, [popover], header, .notices");
  if (!view.inert || isAbove) return;
  for (const element of view.querySelectorAll("button, input, [data-row]")) {
    const box = element.getBoundingClientRect();
    const isUnder = clientX >= box.left && clientX < box.right && clientY >= box.top && clientY < box.bottom;
    if (!isUnder || !(element instanceof HTMLElement) || !element.checkVisibility()) continue;
    pressed = { element, row: element.getAttribute("data-row") };
  }
});

view.addEventListener("able", () => {
  if (!pressed) return;
  const { element, row } = pressed;
  // A line of the grid may show another row by now.
  if (!element.isConnected || element.getAttribute("data-row") !== row) return;
  element.focus();
  element.click();
}, { once: true });

const load = once(() => import("./network-console.js"));
let again = 0;

/**
 * Loads the whole page; a file that failed to load is requested again. While the console is unreachable, the shell reports it.
 */
const begin = () =>
  load().catch((error) => {
    clearTimeout(again);
    again = setTimeout(begin, 3000);
    throw error;
  });

showView(view, "loading");
// The whole page shows why there are no rows.
await draw().catch(() => {});
events.addEventListener("status", () => events.status.state === "live" && void begin());
void begin();
