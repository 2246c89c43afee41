// @ts-check
import { ApiError, call, lazily } from "../../api.js";
import { events } from "../../events.js";
import { announce, delay, everySecond, h, need, painted, showView } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { isOffline, logPath, recording, sourcePath } from "../../helpers/log-source.js";
import { showBanner } from "../common/dialogs.js";
import { Loader } from "../common/loader.js";
import { kinds, lifetimes, listed, readKinds, transitions, writeKinds } from "../../models/timeline/timeline.js";
import { LiveElement, loadWords, ready, session } from "../../page.js";
import { EntryList } from "./entry-list.js";
import { TimelineAxis } from "./timeline-axis.js";
import { headline, lifetimeBar, machine, stateName, transitionRows } from "./timeline-parts.js";

/** @typedef {import("../../models/timeline/timeline.js").Entry} Entry */
/** @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow */

const showFamilies = lazily(() => import("../common/token-families.js"), "showFamilies");

/** The tones of the session's states. @type {Record<string, string>} */
const tones = { authenticated: "ok", refreshing: "info", error: "warn" };

/** How long after a network event the timeline is loaded again, in milliseconds. */
const rowPause = 1000;

/** The events of the device: the session as a state machine, the tokens as bars, and every entry with its request. */
class TimelineView extends LiveElement {
  #shown = readKinds(new URLSearchParams(location.search).get("kind"));
  /** The calls of the device, by id. @type {Map<string, NetworkRow>} */
  #rows = new Map();
  #axis = need(this, "timeline-axis", TimelineAxis);
  /** Whether the calls are read, which the page does after the first entries are shown. */
  #hasRows = false;
  #isReading = false;
  /** The request whose place is shown once all is there. */
  #wanted = new URLSearchParams(location.search).get("row");
  /** @type {EntryList | null} */
  #list = null;
  /** @type {Loader<Entry[]> | null} */
  #loader = null;
  #isDue = false;
  #newest = 0;
  /** The last change of the session of which the refresh tokens are shown. @type {number | null} */
  #told = null;
  #isTelling = false;

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    need(this, "#all-kinds", HTMLElement).addEventListener("click", () => this.#choose(new Set(kinds)), { signal });
    this.#list = new EntryList(this, signal);
    await Promise.all([ready, loadWords("errors")]);
    this.#drawKinds();
    this.#loader = new Loader(this, {
      read: async (given) => {
        const [{ entries = [] }] = await Promise.all([
          call("GET", sourcePath("timeline"), { signal: given }),
          this.#hasRows && this.#rows.size === 0 ? this.#readRows(given) : null,
        ]);
        // Presets have names of their own in every language.
        if (entries.some((/** @type {Entry} */ one) => one.kind === "fault")) await loadWords("faults");
        return entries;
      },
      show: () => this.show(),
      isCached: () => false,
      isForAnybody: true,
      isOfEvents: true,
    }, signal);
    if (recording === null) this.#follow();
    else if (!isOffline) void showBanner(this, t("timeline.live"));
    this.toggleAttribute("data-recording", recording !== null);
    this.#loader.start();
    everySecond(() => this.#showTokens(), signal);
    this.#axis.addEventListener("entry", (event) => void this.#reveal(/** @type {CustomEvent} */ (event).detail), { signal });
  }

  /** Shows the device's events from now on. */
  #follow() {
    const { signal } = this;
    for (
      const [name, pause] of /** @type {[string, number][]} */ ([
        ["session", 0],
        ["fault", 0],
        ["gap", 0],
        ["network", rowPause],
        // Analytics events of other tabs have no event in the stream.
        ["heartbeat", 0],
      ])
    ) events.addEventListener(name, () => void this.#readSoon(pause), { signal });
    events.addEventListener("network", (event) => this.#takeRow(/** @type {CustomEvent} */ (event).detail), { signal });
    // After a gap all calls are read again.
    events.addEventListener("gap", () => this.#rows.clear(), { signal });
    session.addEventListener("change", () => this.#showMachine(), { signal });
  }

  /** Loads again after a pause; requests during the pause share that load. @param {number} pause milliseconds */
  async #readSoon(pause) {
    if (pause) {
      if (this.#isDue) return;
      this.#isDue = true;
      await delay(pause, this.signal);
      this.#isDue = false;
    }
    if (!this.signal.aborted && this.#loader?.asOf) await this.#loader.load();
  }

  /** Reads the calls of the device, for the axis. @param {AbortSignal | undefined} signal */
  async #readRows(signal) {
    const rows = [];
    for (let after = 0;;) {
      const answer = await call("GET", `${logPath()}?limit=2000${after ? `&after=${after}` : ""}`, { signal });
      rows.push(...answer.events);
      if (!answer.events.length || !(answer.next > after)) break;
      after = answer.next;
    }
    for (const row of rows) this.#takeRow(row);
  }

  /** Reads the calls for the first time; while the console is away, the next entries try again. */
  async #readFirstRows() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await painted();
      await this.#readRows(this.signal);
      this.#hasRows = true;
    } catch {
      // The page itself reports that the console does not respond.
      return;
    } finally {
      this.#isReading = false;
    }
    this.#showAxis();
  }

  /** Takes a newer state of a call; the axis shows it with the next entries. @param {NetworkRow} row */
  #takeRow(row) {
    if (row?.id && (this.#rows.get(row.id)?.rev ?? 0) <= row.rev) this.#rows.set(row.id, row);
  }

  #showAxis() {
    if (!this.#loader?.asOf) return;
    if (!this.#hasRows) return void this.#readFirstRows();
    const expiry = recording === null ? session.state?.session.access_expires_at : undefined;
    this.#axis.show(this.entries, [...this.#rows.values()], expiry);
    if (this.#wanted) this.#axis.reveal(this.#wanted);
    this.#wanted = null;
  }

  /** Shows an entry of any kind in the table. @param {number} seq */
  async #reveal(seq) {
    const { kind } = this.entries.find((one) => one.seq === seq) ?? {};
    if (kind && !this.#shown.has(kind)) await this.#choose(new Set([...this.#shown, kind]));
    this.#list?.reveal(seq);
  }

  /** @returns {Entry[]} */
  get entries() {
    return this.#loader?.value ?? [];
  }

  show() {
    const { entries } = this;
    const found = listed(entries, this.#shown);
    showView(this, entries.length === 0 ? "empty" : found.length === 0 ? "none" : "ready");
    // Another program's file has requests only.
    if (recording !== null && entries.length === 0) {
      this.toggleAttribute("data-requests-only", true);
      need(this, '[data-view="empty"] .title', HTMLElement).textContent = t("timeline.requests_only_title");
      need(this, '[data-view="empty"] p:not(.title)', HTMLElement).textContent = t("timeline.requests_only");
    }
    need(this, "#kinds", HTMLElement).hidden = entries.length === 0;
    need(this, "#entry-count", HTMLElement).textContent = entries.length
      ? t("timeline.count", { n: found.length })
      : "";
    need(this, "#timeline-none", HTMLElement).textContent = t("timeline.none", { n: entries.length });
    for (const kind of kinds) {
      const count = entries.filter((one) => one.kind === kind).length;
      need(this, `#kind-${kind} + span .nums`, HTMLElement).textContent = String(count);
    }
    this.#list?.show(found);
    this.#showMachine();
    this.#showTokens();
    this.#showAxis();
    void this.#showFamilies();
    this.#sayNewest();
  }

  /** Shows the lines of the refresh tokens, again after each change of the session. */
  async #showFamilies() {
    // Without entries there is no token, and a page that opens needs no more files. An import has only rows.
    if (recording === null && this.entries.length === 0) return;
    // A refresh that began has issued nothing yet.
    const change = this.entries.findLast((one) => one.kind === "session" && one.to !== "refreshing")?.seq ?? 0;
    if (this.#isTelling || change === this.#told) return;
    this.#isTelling = true;
    this.#told = change;
    await painted();
    try {
      await showFamilies(need(this, "#families-card", HTMLElement));
    } catch (error) {
      // Without them, the rest of the page works. A log that is too long stays so.
      if (!(error instanceof ApiError && error.code === "payload_too_large")) this.#told = null;
    }
    this.#isTelling = false;
    if (this.#told !== null) void this.#showFamilies();
  }

  #showMachine() {
    const state = session.state;
    if (!state || !this.#loader?.asOf) return;
    const now = recording === null ? state.session.state : lastState(this.entries) ?? "signed_out";
    const chip = need(this, "#machine-now", HTMLElement);
    chip.textContent = stateName(now);
    chip.dataset.tone = tones[now] ?? "";
    const found = transitions(this.entries);
    const key = now + found.map((one) => `${one.times}:${one.last?.row_id ?? ""}`).join();
    const place = need(this, "#machine", HTMLElement);
    if (place.dataset.key === key) return;
    place.dataset.key = key;
    place.replaceChildren(machine(found, now));
    need(this, "#machine-rows", HTMLElement).replaceChildren(...transitionRows(found));
  }

  #showTokens() {
    const state = session.state;
    if (!state || !this.#loader?.asOf || recording !== null) return;
    const found = lifetimes(state.session, state.config?.session?.refresh_margin_seconds);
    need(this, "#tokens-none", HTMLElement).hidden = found.length > 0;
    need(this, "#tokens", HTMLElement).replaceChildren(...found.map((life) => lifetimeBar(life, Date.now())));
  }

  #sayNewest() {
    const last = this.entries.at(-1);
    if (last && this.#newest && last.seq > this.#newest && this.#shown.has(last.kind)) announce(headline(last));
    this.#newest = last?.seq ?? this.#newest;
  }

  #drawKinds() {
    for (const kind of kinds) {
      const box = h("input", {
        type: "checkbox",
        id: `kind-${kind}`,
        class: "visually-hidden",
        onchange: () => {
          const chosen = new Set(this.#shown);
          if (box.checked) chosen.add(kind);
          else chosen.delete(kind);
          this.#choose(chosen);
        },
      });
      box.checked = this.#shown.has(kind);
      need(this, "#kinds", HTMLElement).append(
        h(
          "label",
          { class: "kind" },
          box,
          h("span", {}, t(`timeline.kind.${kind}`), " ", h("span", { class: "nums faint" })),
        ),
      );
    }
  }

  /** Shows these kinds and stores them in the address. @param {Set<string>} chosen */
  async #choose(chosen) {
    this.#shown = chosen;
    this.#list?.reset();
    const address = new URL(location.href);
    const text = writeKinds(chosen);
    if (text) address.searchParams.set("kind", text);
    else address.searchParams.delete("kind");
    history.replaceState(null, "", address);
    for (const kind of kinds) need(this, `#kind-${kind}`, HTMLInputElement).checked = chosen.has(kind);
    await painted();
    this.show();
    announce(need(this, "#entry-count", HTMLElement).textContent ?? "");
    if (!this.contains(document.activeElement)) need(this, "#kind-session", HTMLElement).focus();
  }
}

/** The state of the session after these entries. @param {Entry[]} entries */
const lastState = (entries) => entries.findLast((one) => one.kind === "session")?.to;

customElements.define("timeline-view", TimelineView);
