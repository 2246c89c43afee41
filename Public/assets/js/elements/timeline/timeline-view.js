// @ts-check
import { call } from "../../api.js";
import { events } from "../../events.js";
import { announce, delay, everySecond, h, isTyping, need, painted, showView } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { Loader } from "../../helpers/loader.js";
import { kinds, lifetimes, listed, readKinds, transitions, writeKinds } from "../../models/timeline/timeline.js";
import { ready, session } from "../../page.js";
import { entryRow, headline, lifetimeBar, machine, stateName, transitionRows } from "./timeline-parts.js";

/** @typedef {import("../../models/timeline/timeline.js").Entry} Entry */

/** How many entries are shown at first and added each time. */
const page = 100;
/** How long after a network event the timeline is loaded again, in milliseconds. */
const rowPause = 1000;

/** What happened to the device: the session as a state machine, the tokens as bars, and every entry with its request. */
class TimelineView extends HTMLElement {
  #lifetime = new AbortController();
  #shown = readKinds(new URLSearchParams(location.search).get("kind"));
  #limit = page;
  /** @type {Loader<Entry[]> | null} */
  #loader = null;
  #isDue = false;
  /** The `seq` of the active entry. @type {number | null} */
  #current = null;
  #newest = 0;

  async connectedCallback() {
    const { signal } = this.#lifetime;
    showView(this, "loading");
    need(this, "#all-kinds", HTMLElement).addEventListener("click", () => this.#choose(new Set(kinds)), { signal });
    need(this, "#older", HTMLElement).addEventListener("click", () => this.#showOlder(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    await ready;
    this.#drawKinds();
    this.#loader = new Loader(this, {
      read: async (given) => (await call("GET", "/api/timeline", { signal: given })).entries ?? [],
      show: () => this.show(),
      isCached: () => false,
      isForAnybody: true,
    }, signal);
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
    session.addEventListener("change", () => this.#showMachine(), { signal });
    this.#loader.start();
    everySecond(() => this.#showTokens(), signal);
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  /** Loads again after a pause; requests during the pause share that load. @param {number} pause milliseconds */
  async #readSoon(pause) {
    if (pause) {
      if (this.#isDue) return;
      this.#isDue = true;
      await delay(pause, this.#lifetime.signal);
      this.#isDue = false;
    }
    if (!this.#lifetime.signal.aborted && this.#loader?.asOf) await this.#loader.load();
  }

  /** @returns {Entry[]} */
  get entries() {
    return this.#loader?.value ?? [];
  }

  show() {
    const { entries } = this;
    const found = listed(entries, this.#shown);
    showView(this, entries.length === 0 ? "empty" : found.length === 0 ? "none" : "ready");
    need(this, "#kinds", HTMLElement).hidden = entries.length === 0;
    need(this, "#entry-count", HTMLElement).textContent = entries.length
      ? t("timeline.count", { n: found.length })
      : "";
    need(this, "#timeline-none", HTMLElement).textContent = t("timeline.none", { n: entries.length });
    for (const kind of kinds) {
      const count = entries.filter((one) => one.kind === kind).length;
      need(this, `#kind-${kind} + span .nums`, HTMLElement).textContent = String(count);
    }
    this.#showEntries(found);
    this.#showMachine();
    this.#showTokens();
    this.#sayNewest();
  }

  /** @param {ReturnType<typeof listed>} found */
  #showEntries(found) {
    const shown = found.slice(0, this.#limit);
    const body = need(this, "#entries", HTMLElement);
    const kept = new Map(
      Array.from(body.querySelectorAll("tr"), (row) => [row.dataset.seq + (row.dataset.row ?? ""), row]),
    );
    const rows = shown.map((one) => kept.get(one.entry.seq + (one.entry.row_id ?? "")) ?? entryRow(one));
    // Rows that are already shown stay, and keep the focus.
    const isSame = rows.length === body.children.length && rows.every((row, at) => body.children[at] === row);
    if (!isSame) {
      const active = document.activeElement;
      body.replaceChildren(...rows);
      if (active instanceof HTMLElement && body.contains(active)) active.focus();
    }
    if (!shown.some(({ entry }) => entry.seq === this.#current)) this.#current = shown[0]?.entry.seq ?? null;
    for (const row of rows) row.tabIndex = row.dataset.seq === String(this.#current) ? 0 : -1;
    const older = need(this, "#older", HTMLElement);
    const rest = found.length - shown.length;
    older.hidden = rest === 0;
    older.textContent = t("timeline.older", { n: rest });
  }

  #showMachine() {
    const state = session.state;
    if (!state || !this.#loader?.asOf) return;
    const now = state.session.state;
    const chip = need(this, "#machine-now", HTMLElement);
    chip.textContent = stateName(now);
    chip.dataset.tone = { authenticated: "ok", refreshing: "info", error: "warn", signed_out: "" }[now];
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
    if (!state || !this.#loader?.asOf) return;
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

  /** Shows these kinds and keeps them in the address. @param {Set<string>} chosen */
  async #choose(chosen) {
    this.#shown = chosen;
    this.#limit = page;
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

  #showOlder() {
    const first = this.#limit;
    this.#limit += page;
    this.show();
    const row = need(this, "#entries", HTMLElement).children[first];
    if (row instanceof HTMLElement) this.#point(Number(row.dataset.seq));
  }

  /** Puts the focus on an entry. @param {number} seq */
  #point(seq) {
    this.#current = seq;
    for (const row of this.querySelectorAll("#entries tr")) {
      if (!(row instanceof HTMLElement)) continue;
      row.tabIndex = row.dataset.seq === String(seq) ? 0 : -1;
      if (row.tabIndex === 0) row.focus();
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (isTyping(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const rows = Array.from(this.querySelectorAll("#entries tr"));
    const isInside = event.target instanceof HTMLTableRowElement && rows.includes(event.target);
    const isNext = event.key === "j" || (isInside && event.key === "ArrowDown");
    if (isNext || event.key === "k" || (isInside && event.key === "ArrowUp")) {
      const at = rows.findIndex((row) => row.getAttribute("data-seq") === String(this.#current));
      const next = rows[isInside ? Math.min(rows.length - 1, Math.max(0, at + (isNext ? 1 : -1))) : Math.max(0, at)];
      if (!next) return;
      event.preventDefault();
      this.#point(Number(next.getAttribute("data-seq")));
    } else if (event.key === "Enter" && isInside) event.target.querySelector("a")?.click();
  }
}

customElements.define("timeline-view", TimelineView);
