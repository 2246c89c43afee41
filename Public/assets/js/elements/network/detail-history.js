// @ts-check
/** The mark of the history entry that the open details added. */
const mark = "detail";

/** @returns {boolean} */
const isOwn = () => history.state?.[mark] === true;

/**
 * Details that cover the list are a place of their own: the browser's Back closes them, and Forward opens them again.
 * @param {HTMLElement} detail dispatches `close` and `show`
 * @param {AbortSignal} signal
 */
export function followHistory(detail, signal) {
  addEventListener("popstate", () => {
    const id = new URLSearchParams(location.search).get("row");
    if (!id && !detail.hidden) detail.dispatchEvent(new Event("close"));
    else if (id) detail.dispatchEvent(new CustomEvent("show", { detail: id }));
  }, { signal });
}

/** Adds an entry for details that were opened over the list; those beside it add none. @param {HTMLElement} detail */
export function enter(detail) {
  const list = detail.parentElement?.querySelector(".grid-pane");
  const isCovering = list instanceof Element && list.getClientRects().length === 0;
  if (!isCovering || isOwn()) return;
  const here = location.href;
  const base = new URL(here);
  base.searchParams.delete("row");
  history.replaceState(history.state, "", base);
  history.pushState({ [mark]: true }, "", here);
}

/** Leaves the entry of the details, if they added one. */
export function leave() {
  if (isOwn()) history.back();
}
