// @ts-check
import { call, lazily } from "../../api.js";
import { announce, h, need, plainButton, setParameter, showView } from "../../helpers/dom.js";
import { byteSize, dateTime, t } from "../../helpers/i18n.js";
import { Loader } from "../common/loader.js";
import { say } from "../common/notice.js";
import { problemPanel } from "../common/problem-view.js";
import { found, pagesOf } from "../../models/recordings/recordings.js";
import { LiveElement, ready } from "../../page.js";
import { deleteRecording, editRecording } from "./edit-recording.js";
import { loadWorkspaces, workspaceName } from "../common/workspace-select.js";

/**
 * @typedef {import("../../models/recordings/recordings.js").Recording} Recording
 * @typedef {import("../../models/team/team.js").Workspace} Workspace
 */

const chooseComparison = lazily(() => import("./choose-comparison.js"), "chooseComparison");
const importFile = lazily(() => import("./import-recording.js"), "importFile");
const showComparison = lazily(() => import("./comparison-view.js"), "showComparison");

/** The saved recordings: search, rename, delete, compare, and import of a file; or the differences between two in the address. */
export class RecordingsView extends LiveElement {
  /** @type {Loader<Recording[]> | null} */
  #loader = null;
  /** The recording whose name is being edited. @type {string | null} */
  #edited = null;
  /** The workspaces of the recordings; none on a console without people. @type {Workspace[]} */
  workspaces = [];

  async connectedCallback() {
    const { signal } = this;
    const parameters = new URLSearchParams(location.search);
    const [first, second] = [parameters.get("compare"), parameters.get("with")];
    if (first && second) return this.#showComparison([first, second], signal);
    showView(this, "loading");
    this.#search.value = parameters.get("q") ?? "";
    this.#search.addEventListener("input", () => {
      setParameter("q", this.#search.value.trim());
      this.show();
      announce(need(this, "#recording-count", HTMLElement).textContent ?? "");
    }, { signal });
    need(this, "#clear-search", HTMLElement).addEventListener("click", () => {
      this.#search.value = "";
      setParameter("q", "");
      this.show();
      this.#search.focus();
    }, { signal });
    this.#place.addEventListener("change", () => {
      setParameter("workspace", this.#place.value);
      this.show();
    }, { signal });
    need(this, "#compare-recordings", HTMLElement).addEventListener("click", () => void chooseComparison(this.recordings), { signal });
    this.#listenToImport(signal);
    await ready;
    this.#loader = new Loader(this, {
      read: async (given) => {
        const [{ recordings }, workspaces] = await Promise.all([call("GET", "/api/recordings", { signal: given }), loadWorkspaces()]);
        this.#showWorkspaces(workspaces);
        return recordings;
      },
      show: () => this.show(),
      isCached: () => false,
      isForAnybody: true,
    }, signal);
    this.#loader.start();
  }

  get #search() {
    return need(this, "#recording-search", HTMLInputElement);
  }

  get #place() {
    return need(this, "#recording-workspace", HTMLSelectElement);
  }

  /** The id of the workspace that the page shows alone and that can be written to. @returns {string | undefined} */
  get target() {
    return this.workspaces.find((one) => one.workspace_id === this.#place.value && one.access !== "read")?.workspace_id;
  }

  /** Offers to show one workspace alone. @param {Workspace[]} workspaces */
  #showWorkspaces(workspaces) {
    this.workspaces = workspaces;
    const chosen = new URLSearchParams(location.search).get("workspace") ?? "";
    this.#place.hidden = workspaces.length < 2;
    this.#place.replaceChildren(
      h("option", { value: "" }, t("recordings.all_workspaces")),
      ...workspaces.map((one) => h("option", { value: one.workspace_id }, `\u2068${workspaceName(one)}\u2069`)),
    );
    this.#place.value = workspaces.some((one) => one.workspace_id === chosen) ? chosen : "";
  }

  get recordings() {
    return this.#loader?.value ?? [];
  }

  /** Shows the differences in place of the list. @param {[string, string]} ids @param {AbortSignal} signal */
  async #showComparison(ids, signal) {
    const card = need(this, "#recordings-card", HTMLElement);
    card.hidden = true;
    await ready;
    try {
      await showComparison(this, ids, signal);
    } catch (error) {
      // A part of the page did not load.
      need(this, '[data-view="error"]', HTMLElement).replaceChildren(problemPanel(error, () => location.reload()));
      showView(this, "error");
      card.hidden = false;
    }
  }

  /** @param {AbortSignal} signal */
  #listenToImport(signal) {
    const file = need(this, "#import-file", HTMLInputElement);
    need(this, "#import-recording", HTMLElement).addEventListener("click", () => file.click(), { signal });
    const take = (/** @type {File | undefined | null} */ chosen) => {
      if (chosen) void importFile(this, chosen);
    };
    file.addEventListener("change", () => {
      take(file.files?.[0]);
      // The same file can be chosen again.
      file.value = "";
    }, { signal });
    for (const name of ["dragenter", "dragover"]) {
      this.addEventListener(name, (event) => this.#drag(/** @type {DragEvent} */ (event), true), { signal });
    }
    this.addEventListener("dragleave", (event) => this.#drag(event, this.contains(/** @type {Node | null} */ (event.relatedTarget))), {
      signal,
    });
    this.addEventListener("drop", (event) => {
      this.#drag(event, false);
      take(event.dataTransfer?.files[0]);
    }, { signal });
  }

  /** @param {DragEvent} event @param {boolean} isOver */
  #drag(event, isOver) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.toggleAttribute("data-over", isOver);
  }

  show() {
    const value = this.#loader?.value;
    // Text that is being typed stays unchanged.
    if (!value || (this.#edited !== null && value.some((one) => one.id === this.#edited))) return;
    this.#edited = null;
    const place = this.#place.value;
    const shown = found(value, this.#search.value).filter((one) => !place || one.workspace === place);
    showView(this, value.length === 0 ? "empty" : shown.length === 0 ? "none" : "ready");
    need(this, "#recording-tools", HTMLElement).hidden = value.length === 0;
    need(this, "#recording-count", HTMLElement).textContent = t("recordings.count", { n: shown.length });
    need(this, "#recordings-none", HTMLElement).textContent = t("recordings.none", { filter: this.#search.value.trim() });
    const focused = document.activeElement?.id;
    need(this, "#recording-list", HTMLElement).replaceChildren(...shown.map((one) => this.#line(one)));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {Recording} recording */
  #line(recording) {
    const { id, title, note, created_at: at, device_name: device, backend_url: backend, rows, bytes } = recording;
    const { network, timeline } = pagesOf(id);
    const workspace = this.workspaces.find((one) => one.workspace_id === recording.workspace);
    const isReadOnly = workspace?.access === "read";
    const facts = [
      workspace && !workspace.is_own ? t("recordings.in", { name: workspace.name }) : "",
      dateTime(at),
      device ? t("recordings.by", { device }) : "",
      backend ?? "",
      t("rows.count", { n: rows }),
      byteSize(bytes),
    ].filter(Boolean);
    const name = { title };
    const line = h(
      "li",
      { "data-recording": id },
      h(
        "div",
        { class: "stack-none grow" },
        h("a", { class: "recording-title", id: `open-${id}`, href: network }, h("bdi", {}, title)),
        note ? h("p", {}, h("bdi", {}, note)) : null,
        h("p", { class: "small muted facts" }, ...facts.map((fact) => h("bdi", { class: "nums" }, fact))),
      ),
      h(
        "div",
        { class: "row" },
        h("a", {
          class: "button button-small",
          href: timeline,
          "aria-label": t("recordings.timeline_of", name),
        }, t("nav.timeline")),
        plainButton("button button-small", {
          id: `compare-${id}`,
          "aria-haspopup": "dialog",
          "aria-label": t("recordings.compare_named", name),
          onclick: () => void chooseComparison(this.recordings, id),
        }, t("recordings.compare_with")),
        isReadOnly ? null : plainButton("button button-small", {
          id: `rename-${id}`,
          "aria-label": t("recordings.rename_named", name),
          onclick: () => this.#rename(line, recording),
        }, t("recordings.rename")),
        isReadOnly ? null : plainButton("button button-small button-danger", {
          id: `delete-${id}`,
          "aria-label": t("recordings.delete_named", name),
          onclick: () => void deleteRecording(this, recording),
        }, t("recordings.delete")),
      ),
    );
    return line;
  }

  /** @param {HTMLElement} line @param {Recording} recording */
  #rename(line, recording) {
    if (this.#edited !== null) return;
    this.#edited = recording.id;
    editRecording(line, recording, this.workspaces, (changed) => {
      this.#edited = null;
      if (changed) this.put(changed);
      else this.show();
      document.getElementById(`rename-${recording.id}`)?.focus();
      if (changed) this.say("ok", t("recordings.renamed", { title: changed.title }));
    });
  }

  /** Shows a recording as it is now, a new one in front. @param {Recording} recording */
  put(recording) {
    const at = this.recordings.findIndex((one) => one.id === recording.id);
    this.#loader?.take(at < 0 ? [recording, ...this.recordings] : this.recordings.with(at, recording));
  }

  /** Takes a recording from the list. @param {string} id */
  take(id) {
    const at = this.recordings.findIndex((one) => one.id === id);
    this.#loader?.take(this.recordings.filter((one) => one.id !== id));
    const next = this.querySelectorAll(".recording-title")[Math.max(0, at)] ?? this.querySelector(".recording-title");
    (next instanceof HTMLElement ? next : need(this, "#import-recording", HTMLElement)).focus();
  }

  /** Reports a completed or failed action. @param {"ok" | "bad"} tone @param {string} text @param {HTMLElement} [action] */
  say(tone, text, action) {
    say(need(this, "#recordings-result", HTMLElement), tone, text, action);
  }
}

customElements.define("recordings-view", RecordingsView);
