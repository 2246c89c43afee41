// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, h, need, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { importTitle, importType, pagesOf } from "../../models/recordings/recordings.js";
import { loadWords } from "../../page.js";
import { upload } from "../../upload.js";

/** @typedef {import("./recordings-view.js").RecordingsView} RecordingsView */

/** The running import. @type {AbortController | null} */
let running = null;

/** Imports a file as a recording, with its progress on the page. @param {RecordingsView} view @param {File} file */
export async function importFile(view, file) {
  if (running) return;
  await loadWords("errors").catch(() => {});
  const type = importType(file);
  if (type === null) return view.say("bad", t("recordings.not_importable", { name: file.name }));
  const stop = running = new AbortController();
  const place = need(view, "#import-progress", HTMLElement);
  const bar = h("progress", { max: 1, value: 0, "aria-labelledby": "import-state" });
  const state = h("span", { id: "import-state", dir: "auto" }, t("recordings.sending", { name: file.name }));
  const button = plainButton("button button-small", { id: "stop-import", onclick: () => stop.abort() }, t("recordings.stop"));
  place.replaceChildren(state, bar, button);
  place.hidden = false;
  announce(state.textContent ?? "");
  try {
    const key = crypto.randomUUID();
    const workspace = view.target;
    const query = new URLSearchParams({ title: importTitle(file.name), key, ...(workspace ? { workspace } : {}) });
    // The console reads a zip after it has arrived, any other file while it arrives.
    const share = type === "application/zip" ? 0.5 : 1;
    const made = await upload(`/api/recordings/import?${query}`, file, type, {
      signal: stop.signal,
      sent: (part) => {
        bar.value = part * share;
        if (part < 1) return;
        state.textContent = t("recordings.reading", { name: file.name });
        if (share < 1) void follow(key, bar, share, stop.signal);
        else bar.removeAttribute("value");
      },
    });
    view.put(made);
    const link = h("a", { class: "button button-small", id: "open-imported", href: pagesOf(made.id).network }, t("recordings.open"));
    const skipped = made.skipped_entries?.length ? ` ${t("recordings.skipped", { numbers: made.skipped_entries.join(", ") })}` : "";
    view.say("ok", t("recordings.imported", { title: made.title, n: made.rows }) + skipped, link);
  } catch (error) {
    view.say(isStopped(error) ? "ok" : "bad", reason(error, file.name));
  } finally {
    running = null;
    const hadFocus = place.contains(document.activeElement);
    place.hidden = true;
    place.replaceChildren();
    if (hadFocus) need(view, "#import-recording", HTMLElement).focus();
  }
}

/**
 * Shows how far the console has read a zip, until it has ended and the bar is removed.
 * @param {string} key @param {HTMLProgressElement} bar @param {number} from where the bar stands @param {AbortSignal} signal
 */
async function follow(key, bar, from, signal) {
  while (bar.isConnected && !signal.aborted) {
    try {
      const { read, size } = await call("GET", `/api/recordings/import?key=${key}`, { signal });
      if (size > 0) bar.value = from + (1 - from) * read / size;
    } catch {
      // It has ended, or the console cannot be reached, which the import itself reports.
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** @param {unknown} error */
const isStopped = (error) => error instanceof ApiError && error.code === "aborted";

/** @param {unknown} error @param {string} name of the file */
function reason(error, name) {
  if (!(error instanceof ApiError)) throw error;
  if (isStopped(error)) return t("recordings.stopped", { name });
  if (error.code === "invalid_recording") return t("recordings.broken", { name, detail: error.detail ?? "" });
  if (error.code === "conflict") return t("recordings.full");
  return error.status === 413 ? t("recordings.too_large", { name }) : problemText(error);
}
