// @ts-check
import { ApiError, call } from "../../api.js";
import { events } from "../../events.js";
import { busy, delay, isTyping, need, plainButton, showDone, showView } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { Loader } from "../common/loader.js";
import { say } from "../common/notice.js";
import { holdButton, problemText } from "../common/problem-view.js";
import {
  besideStage,
  columns,
  cueBeside,
  Freshness,
  moved,
  MoveHistory,
  sideStep,
  UnansweredMoves,
  withCue,
} from "../../models/cues/board.js";
import { LiveElement, loadWords, ready } from "../../page.js";
import { BoardColumns } from "./board-columns.js";
import { ProfileMenu } from "./profile-menu.js";
import { dragCues, keepChildren, showBeside, stageMenu, stageName } from "./cue-card.js";

/** @typedef {import("../../models/cues/board.js").Cue} Cue */
/** @typedef {{cues: Cue[], source?: string, synced_at?: string, profile?: import("./profile-menu.js").Profile}} Deck */

/** The cues of the active profile as a board with a column for each stage; cues move by dragging, menu, and keys. */
class CueBoard extends LiveElement {
  #history = new MoveHistory();
  #unanswered = new UnansweredMoves();
  /** The last request of each cue: the moves of one cue are sent one after the other. @type {Map<string, Promise<unknown>>} */
  #sending = new Map();
  /** @type {Loader<Deck> | null} */
  loader = null;
  /** @type {string | null} */
  #current = null;
  /** Whether the device's cue store has reported the end of the last requested fetch. */
  #isHeard = false;
  /** Whether it has since reported a failed update, perhaps before the response. */
  #hasFailed = false;
  /** Whether the response to the last request was checked. */
  #isChecked = false;
  #freshness = new Freshness();
  /** Why the device's copy could not be updated. @type {ApiError | null} */
  #problem = null;
  #columns = new BoardColumns();
  #profile = new ProfileMenu(need(this, "#cue-profile", HTMLElement), {
    switched: (name) => {
      this.#say("ok", t("cues.profile_switched", { name }));
      void this.loader?.load();
    },
    failed: (error) => this.#say("bad", problemText(error)),
  });

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    const shuffle = need(this, "#shuffle", HTMLElement);
    shuffle.addEventListener("click", () => void busy(shuffle, () => this.#shuffle(shuffle)), { signal });
    this.#filter.addEventListener("input", () => this.show(), { signal });
    need(this, "#clear-filter", HTMLElement).addEventListener("click", () => {
      this.#filter.value = "";
      this.show();
      this.#filter.focus();
    }, { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    const board = need(this, "#board", HTMLElement);
    dragCues(board, (id, stage) => void this.#move(id, stage), signal);
    board.addEventListener("focusin", (event) => {
      const card = event.target instanceof Element ? event.target.closest("[data-cue]") : null;
      const id = card?.getAttribute("data-cue");
      if (id && id !== this.#current) this.#point(id, false);
    }, { signal });
    await ready;
    this.loader = new Loader(this, {
      read: (given) => {
        [this.#isHeard, this.#hasFailed, this.#isChecked] = [false, false, false];
        return call("GET", "/api/cues", { signal: given });
      },
      show: (deck) => {
        const source = this.#hasFailed ? "cache" : deck.source;
        if (source === "network") this.#problem = null;
        this.#freshness.read(source);
        if (!this.#isChecked) void delay(2500, signal).then(() => void this.#check());
        this.#isChecked = true;
        this.#profile.show(deck.profile);
        this.show();
      },
      // The device's copy is shown at once; it counts as old only if the request after it failed.
      isCached: () => this.#freshness.isAway,
      feature: "cues",
      staleText: (time, error) =>
        error
          ? `${problemText(error)} ${t("state.as_of", { time })}`
          : `${this.#problem ? problemText(this.#problem) : t("cues.not_updated")} ${t("cues.as_of", { time })}`,
    }, signal);
    events.addEventListener("gap", () => void this.loader?.load(), { signal });
    events.addEventListener("cue", (event) => this.#heard(/** @type {CustomEvent} */ (event).detail), { signal });
    this.loader.start();
  }

  /** @param {{kind?: string, cue?: Cue, cue_id?: string, reason?: string}} notice a notice of the device's cue store */
  #heard({ kind, cue, cue_id: id, reason }) {
    if (kind === "synced" || kind === "sync_failed") [this.#isHeard, this.#hasFailed] = [true, kind === "sync_failed"];
    if (kind === "sync_failed") {
      this.#freshness.isAway = true;
      this.#problem = reason ? new ApiError({ status: 0, code: reason }) : null;
      void loadWords("errors").catch(() => {}).then(() => this.loader?.showNotice());
    } else if (kind === "dropped") {
      const name = cue?.prompt ?? this.cues.find((one) => one.cue_id === id)?.prompt;
      if (name) this.#say("bad", t("cues.dropped", { name }));
      void this.loader?.load();
    } else if (cue) this.#put(withCue(this.cues, cue));
    else void this.#reread();
  }

  /** Requests the end of the fetch if none was reported: the stream may have begun after the report. */
  async #check() {
    const isTold = () => this.signal.aborted || this.#isHeard || this.#freshness.isAway;
    if (isTold()) return;
    if (this.loader?.value?.source !== "cache") await this.#reread();
    // A repeated request reports why the device's copy could not be updated.
    if (this.loader?.value?.source === "cache" && !isTold()) await this.loader.load();
  }

  /** Reads the device's copy, which was fetched recently. */
  async #reread() {
    await this.loader?.load((given) => call("GET", "/api/cues?stored=1", { signal: given }));
  }

  get #filter() {
    return need(this, "#cue-filter", HTMLInputElement);
  }

  get cues() {
    return this.#unanswered.over(this.loader?.value?.cues ?? []);
  }

  get board() {
    return columns(this.cues, this.#filter.value);
  }

  show() {
    if (!this.loader?.value) return;
    const { board, cues } = this;
    const shown = board.flatMap((one) => one.cues);
    showView(this, cues.length === 0 ? "empty" : shown.length === 0 ? "none" : "ready");
    const none = { n: cues.length, filter: this.#filter.value.trim() };
    need(this, "#cues-none", HTMLElement).textContent = t("cues.none", none);
    need(this, "#cue-total", HTMLElement).textContent = t("cues.count", { n: cues.length });
    const pending = cues.filter((one) => one.pending).length;
    const line = need(this, "#cues-pending", HTMLElement);
    line.hidden = pending === 0;
    line.textContent = t("cues.pending_count", { n: pending });
    const active = document.activeElement;
    const place = need(this, "#board", HTMLElement);
    const hadFocus = active instanceof HTMLElement && place.contains(active);
    if (!shown.some((one) => one.cue_id === this.#current)) this.#current = shown[0]?.cue_id ?? null;
    keepChildren(place, board.map((column) => this.#column(column)));
    this.#point(this.#current, hadFocus);
  }

  /** @param {import("../../models/cues/board.js").Column} column */
  #column(column) {
    return this.#columns.column(column, {
      openMenu: (cue, button) => this.#openMenu(cue, button),
      resolve: (cue, to, button) => void busy(button, () => this.#move(cue.cue_id, to, true)),
    });
  }

  /** @param {string | null} id @returns {HTMLElement | null} */
  #card(id) {
    return id === null ? null : this.querySelector(`[data-cue="${CSS.escape(id)}"]`);
  }

  /** Makes a card, with its menu and buttons, the one that Tab reaches. @param {string | null} id @param {boolean} hasFocus */
  #point(id, hasFocus) {
    const before = this.#card(this.#current);
    for (const part of before?.querySelectorAll("[tabindex='0']") ?? []) part.setAttribute("tabindex", "-1");
    before?.setAttribute("tabindex", "-1");
    this.#current = id;
    const card = this.#card(id);
    // A stage that scrolls must be reached by the keyboard; through its card, if the one in the tab order is there.
    for (const list of this.querySelectorAll(".stage-cues")) {
      list.setAttribute("tabindex", list.scrollHeight > list.clientHeight && !list.contains(card) ? "0" : "-1");
    }
    if (!card) return;
    card.setAttribute("tabindex", "0");
    for (const part of card.querySelectorAll("[tabindex='-1']")) part.setAttribute("tabindex", "0");
    if (hasFocus) card.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const deck = this.loader?.value;
    if (
      !deck || isTyping(event) || event.defaultPrevented ||
      document.querySelector("dialog[open], [popover]:popover-open")
    ) return;
    if (event.key === "/") {
      event.preventDefault();
      return this.#filter.focus();
    }
    if (event.key === "u" && !event.shiftKey) return void this.#undo();
    if (event.key === "s" && !event.shiftKey) return need(this, "#shuffle", HTMLElement).click();
    const card = event.target instanceof Element ? event.target.closest("[data-cue]") : null;
    const cue = this.cues.find((one) => one.cue_id === card?.getAttribute("data-cue"));
    if (!cue || event.target !== card) return;
    const isRightToLeft = document.documentElement.dir === "rtl";
    const step = sideStep(event.key, isRightToLeft);
    if (event.key === "m" || event.key === "Enter") {
      event.preventDefault();
      const button = card?.querySelector(".cue-menu");
      if (button instanceof HTMLElement) this.#openMenu(cue.cue_id, button);
    } else if (event.shiftKey && step) {
      event.preventDefault();
      const to = besideStage(this.board.map((one) => one.stage), cue.stage, step);
      if (to) void this.#move(cue.cue_id, to);
    } else if (!event.shiftKey) {
      const next = cueBeside(this.board, cue.cue_id, event.key, isRightToLeft);
      if (!next) return;
      event.preventDefault();
      this.#point(next, true);
    }
  }

  /** @param {string} id @param {HTMLElement} button */
  #openMenu(id, button) {
    const cue = this.cues.find((one) => one.cue_id === id);
    if (!cue) return;
    const menu = stageMenu(cue, this.board.map((one) => one.stage), (stage) => void this.#move(cue.cue_id, stage));
    this.append(menu);
    menu.addEventListener("toggle", (event) => {
      if (event.newState !== "closed") return;
      menu.remove();
      // This event comes late: the focus may have moved by then.
      const active = document.activeElement;
      if (active === document.body || this.#card(cue.cue_id)?.contains(active)) this.#point(cue.cue_id, true);
    });
    showBeside(menu, button);
  }

  /**
   * Moves a cue at once; if the backend rejects the move, the cue moves back and the page shows the reason.
   * @param {string} id
   * @param {string} stage
   * @param {boolean} [isChoice] resolves a conflict: the stage is sent even if the cue already has it
   * @param {boolean} [isUndo]
   */
  async #move(id, stage, isChoice = false, isUndo = false) {
    const before = this.cues.find((one) => one.cue_id === id);
    if (!before || !this.loader?.value || (before.stage === stage && !isChoice)) return;
    const step = { cueId: id, from: before.stage, to: stage };
    if (!isUndo && before.stage !== stage) this.#history.push(step);
    this.#unanswered.begin(id, stage);
    this.#put(moved(this.cues, id, stage));
    this.#point(id, true);
    try {
      const cue = await this.#send(id, stage).finally(() => this.#unanswered.end(id));
      this.#put(withCue(this.cues, cue));
      this.#sayMoved(cue, isUndo);
    } catch (error) {
      this.#history.drop(step);
      this.#put(withCue(this.cues, before));
      const names = { name: before.prompt, stage: stageName(before.stage) };
      this.#say("bad", t("cues.failed", { ...names, why: problemText(error) }));
      const isOld = error instanceof ApiError &&
        ["conflict", "not_found", "signed_out", "session_ended"].includes(error.code);
      if (isOld) void this.loader?.load();
    }
  }

  /** Sends a move after the earlier ones of its cue. @param {string} id @param {string} stage @returns {Promise<Cue>} */
  #send(id, stage) {
    const path = `/api/cues/${encodeURIComponent(id)}/stage`;
    const sent = (this.#sending.get(id) ?? Promise.resolve()).then(() => call("POST", path, { body: { stage } }));
    /** @type {Promise<unknown>} */
    const settled = sent.catch(() => {}).finally(() => {
      if (this.#sending.get(id) === settled) this.#sending.delete(id);
    });
    this.#sending.set(id, settled);
    return sent;
  }

  /** @param {Cue} cue @param {boolean} isUndo */
  #sayMoved(cue, isUndo) {
    const all = columns(this.cues).find((one) => one.stage === cue.stage)?.cues ?? [];
    const names = { name: cue.prompt, stage: stageName(cue.stage) };
    const place = { n: all.findIndex((one) => one.cue_id === cue.cue_id) + 1, total: all.length };
    if (isUndo) this.#say("ok", t("cues.undone", names));
    else if (cue.pending) this.#say("info", t("cues.kept", names));
    else this.#say("ok", t("cues.moved", { ...names, ...place }));
  }

  async #undo() {
    const last = this.#history.pop(this.cues);
    if (last) await this.#move(last.cueId, last.from, false, true);
    else this.#say("info", t("cues.nothing_to_undo"));
  }

  /** @param {HTMLElement} button */
  async #shuffle(button) {
    try {
      const { cues } = await call("POST", "/api/cues/shuffle", { body: {} });
      this.loader?.take({ ...this.loader.value, cues, source: "network" });
      this.#say("ok", t("cues.shuffled"));
      showDone(button);
    } catch (error) {
      const isOffline = error instanceof ApiError && (error.code === "offline" || error.code === "unavailable");
      this.#say("bad", isOffline ? t("cues.shuffle_offline") : problemText(error));
      if (error instanceof ApiError && error.retryAfterSeconds) {
        holdButton(button, error.retryAfterSeconds, this.signal);
      }
    }
  }

  /** @param {Cue[]} cues */
  #put(cues) {
    if (!this.loader?.value) return;
    this.loader.change({ ...this.loader.value, cues });
    this.show();
  }

  /** @param {"ok" | "bad" | "info"} tone @param {string} text */
  #say(tone, text) {
    const undo = this.#history.moves.length === 0 ? null : plainButton("button button-small", {
      id: "undo",
      "aria-keyshortcuts": "u",
      onclick: () => void this.#undo(),
    }, t("action.undo"));
    say(need(this, "#cues-result", HTMLElement), tone, text, undo);
  }
}

customElements.define("cue-board", CueBoard);
