// @ts-check
import { call, fetchText, lazily } from "../../api.js";
import { covered } from "../../helpers/covered.js";
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { isOffline, recording, rowPath } from "../../helpers/log-source.js";
import { openMenu } from "../common/menu.js";
import { showFailure, showToast } from "../common/notice.js";
import { isNeverSentAgain, isSentAgain } from "../../models/exports/composer.js";
import { blockingRule, termsOfRow } from "../../models/network/row-menu.js";
import { callName, flowName } from "../../models/network/row-view.js";
import { loadWords, session } from "../../page.js";
import { compareHere } from "../common/dialogs.js";
import { beginRule, openAnswer } from "../faults/dialogs.js";

/**
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 * @typedef {import("./network-console.js").NetworkConsole} NetworkConsole
 * @typedef {import("./network-tools.js").NetworkTools} NetworkTools
 */

const sendAgain = lazily(() => import("../exports/row-actions.js"), "sendAgain");

/** The row to compare with the next one. @type {string | null} */
let marked = null;

/**
 * Opens the menu of a row.
 * @param {NetworkConsole} view
 * @param {NetworkTools} tools
 * @param {string} id
 * @param {import("../common/menu.js").MenuPlace} place
 */
export async function openRowMenu(view, tools, id, place) {
  const { store } = view.grid;
  const slot = store.slotOf(id);
  if (slot < 0) return;
  const row = store.row(slot);
  await loadWords("exports").catch(() => {});
  const isNever = isNeverSentAgain(row, session.state?.never_sent_again);
  const terms = termsOfRow(row).map(({ term, shown }) => ({ term, shown: shown === row.flow ? flowName(row.flow, t) : shown }));
  /** @param {string} term */
  const demand = (term) => tools.filter.demand(term);
  const other = partner(view, tools, id);
  /**
   * The actions on the device, which do not apply to rows of a recording or of the console itself.
   * @template Item
   * @param {Item[]} items
   * @returns {Item[]}
   */
  const only = (items) => (recording === null && row.source !== "tool" ? items : []);
  await openMenu(t("menu.row", { n: row.seq }), [
    { id: "open", label: t("menu.open"), act: () => view.grid.open(id) },
    ...only([{ id: "pin", label: t(row.is_pinned ? "menu.unpin" : "menu.pin"), act: () => tools.pin(id) }]),
    null,
    { id: "copy-url", label: t("menu.copy_url"), act: () => copy(async () => (await call("GET", rowPath(id))).url) },
    ...(isOffline
      ? []
      : [{ id: "copy-curl", label: t("menu.copy_curl"), act: () => copy(() => fetchText(rowPath(id, "/curl"))) }]),
    null,
    ...terms.map(({ term, shown }) => ({
      id: `only ${term}`,
      label: t("menu.only", { what: shown }),
      secret: row.path,
      act: () => demand(term),
    })),
    null,
    ...terms.map(({ term, shown }) => ({
      id: `without ${term}`,
      label: t("menu.without", { what: shown }),
      secret: row.path,
      act: () => demand(`-${term}`),
    })),
    null,
    ...only([
      {
        id: "again",
        label: t("replay.send"),
        act: () => again(view, id).catch(showFailure),
        ...(isNever ? { reason: t("replay.never") } : {}),
      },
      null,
      { id: "block", label: t("menu.block", { what: row.path }), secret: row.path, act: () => block(row).catch(showFailure) },
      {
        id: "fault",
        label: t("menu.fault"),
        act: () => beginRule({ method: row.method, endpoint: row.endpoint }).catch(showFailure),
      },
      { id: "answer", label: t("menu.answer"), act: () => answer(id).catch(showFailure) },
      null,
    ]),
    other
      ? { id: "compare", label: t("menu.compare_with", { n: numberOf(view, other) }), act: () => compare(view, other, id) }
      : { id: "mark", label: t("menu.compare"), act: () => mark(id, row.seq) },
    ...firstOf(row).map((first) => ({ id: "compare-first", label: t("replay.compare"), act: () => compare(view, first, id) })),
  ], place);
}

/** The row that was sent again as this one, if it was. @param {NetworkRow} row */
const firstOf = (row) => isSentAgain(row) ? [row.parent_id ?? ""] : [];

/** @param {NetworkConsole} view @param {string} id */
const numberOf = (view, id) => view.grid.store.row(view.grid.store.slotOf(id)).seq;

/**
 * The row that this one would be compared with: the marked one, the only other selected one, or the open one.
 * @param {NetworkConsole} view
 * @param {NetworkTools} tools
 * @param {string} id
 */
function partner(view, tools, id) {
  const { ids } = tools.selection;
  const selected = ids.filter((one) => one !== id);
  const open = view.detail.hidden ? null : view.detail.rowId;
  const isKnown = (/** @type {string | null | undefined} */ one) => one && one !== id && view.grid.store.slotOf(one) >= 0;
  return [marked, selected.length === 1 ? selected[0] : null, open].find(isKnown) ?? null;
}

/** @param {string} id @param {number} seq */
function mark(id, seq) {
  marked = id;
  showToast(t("menu.marked", { n: seq }), []);
}

/** @param {NetworkConsole} view @param {string} one @param {string} other */
async function compare(view, one, other) {
  marked = null;
  // The notice's next step was taken.
  document.querySelector("#toast:not([data-tone=bad], :has(button[id]))")?.remove();
  await compareHere([one, other], (id) => view.openWanted(id));
}

/** @param {() => Promise<string>} read */
async function copy(read) {
  try {
    await navigator.clipboard.writeText(await read());
    showToast(t("copy.done"), []);
  } catch {
    showToast(t("copy.failed"), [], "bad");
  }
}

/** Arms a rule that blocks such calls, and offers to remove it. @param {NetworkRow} row */
async function block(row) {
  const name = t("menu.block", { what: callName(row) });
  const { id } = await call("POST", "/api/faults", { body: blockingRule(row, name) });
  await session.load();
  showToast(h("span", {}, ...covered(t("menu.blocked", { what: callName(row) }))), [{
    label: t("action.undo"),
    id: "undo-block",
    act: async () => {
      await call("DELETE", `/api/faults/${id}`);
      await session.load();
    },
  }]);
}

/** @param {NetworkConsole} view @param {string} id */
const again = async (view, id) => sendAgain(await call("GET", rowPath(id)), (sent) => view.openWanted(sent));

/** @param {string} id */
const answer = async (id) => openAnswer({ row: await call("GET", `/api/network/${encodeURIComponent(id)}`) });
