// @ts-check
import { tabDevice } from "../../api.js";
import { setParameter } from "../../helpers/dom.js";
import { recording } from "../../helpers/log-source.js";

/** The row that the address named at first, and its device. */
const linked = new URLSearchParams(location.search);
/** The mark of the history entry that the open details added. */
const mark = "detail";

/** @returns {boolean} */
const isOwn = () => history.state?.[mark] === true;

/** Whether the history goes back because the user closed the details. */
let isLeaving = false;

/**
 * Open details are a place of their own: the browser's Back closes them, and Forward opens them again.
 * @param {import("./network-detail.js").NetworkDetail} detail dispatches `close` and `show`
 * @param {AbortSignal} signal
 */
export function followHistory(detail, signal) {
  addEventListener("popstate", () => {
    const id = new URLSearchParams(location.search).get("row");
    const opened = isLeaving ? detail.rowId : null;
    isLeaving = false;
    if (opened) {
      setParameter("row", opened);
      enter(opened);
    } else if (id) detail.dispatchEvent(new CustomEvent("show", { detail: id }));
    else if (!detail.hidden) detail.dispatchEvent(new Event("close"));
  }, { signal });
}

/** The device of a row of the address: the one that a link named with it, else this tab's. @param {string} id */
export const deviceOf = (id) =>
  recording === null ? (id === linked.get("row") && linked.get("device")) || (tabDevice()?.device_id ?? "") : "";

/** Names the row's device in the address, and adds an entry for details that were closed. @param {string} id of the row */
export function enter(id) {
  setParameter("device", deviceOf(id));
  if (isOwn()) return;
  const here = location.href;
  const base = new URL(here);
  for (const name of ["row", "device"]) base.searchParams.delete(name);
  history.replaceState(history.state, "", base);
  history.pushState({ [mark]: true }, "", here);
}

/** Leaves the entry of the details, if they added one. */
export function leave() {
  isLeaving = isOwn();
  if (isLeaving) return history.back();
  for (const name of ["row", "device"]) setParameter(name, "");
}
