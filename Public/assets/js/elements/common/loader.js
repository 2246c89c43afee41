// @ts-check
import { events } from "../../events.js";
import { delay, h, need, plainButton, showView } from "../../helpers/dom.js";
import { moment, t } from "../../helpers/i18n.js";
import { problemPanel, problemText, rowLink, streamProblem } from "./problem-view.js";
import { asksAgain } from "../../models/shell/asking-again.js";
import { isSignedIn, lacks } from "../../models/shell/console-state.js";
import { ApiError, lazily, tabDevice } from "../../api.js";
import { rememberPage, session } from "../../page.js";

const hiddenPanel = lazily(() => import("./why-hidden.js"), "hiddenPanel");

/**
 * Loads the content of a signed-in device's view and keeps it current: a skeleton first, a panel if loading failed, a notice over
 * old content, retries, and the sign-in page when the session is over.
 * @template Value
 */
export class Loader {
  #view;
  #parts;
  /** @type {Value | null} */
  value = null;
  /** @type {unknown} */
  #error = null;
  asOf = 0;
  #inARow = { failures: 0, waits: 0 };
  #turn = 0;
  #isWaiting = false;
  /** When to load again, in milliseconds of `performance.now()`. */
  #askAt = 0;
  /** Whether the value was changed after the current load began. */
  #isOvertaken = false;
  #hasLeft = false;
  /** Whether the view shows that the backend cannot fill it. */
  #isHidden = false;

  /**
   * @param {HTMLElement} view has children with `data-view` `loading`, `error` and those that `show` chooses; a `.stale` notice
   * @param {{read: (signal: AbortSignal) => Promise<Value>, show: (value: Value) => void, isCached: (value: Value) => boolean,
   *   staleText?: (asOf: string, error: unknown) => string, leavesAtSignOut?: () => boolean, isForAnybody?: boolean,
   *   isOfEvents?: boolean, feature?: import("../../models/shell/missing-calls.js").Feature}} parts `isForAnybody` if no sign-in is
   *   required, `isOfEvents` if every event may change the value, `feature` if the view needs calls that the backend may lack
   * @param {AbortSignal} signal
   */
  constructor(view, parts, signal) {
    this.#view = view;
    this.#parts = parts;
    this.signal = signal;
    showView(view, "loading");
  }

  /** Loads once the state is known, and again whenever the stream is live again. */
  start() {
    const { signal } = this;
    session.addEventListener("change", () => this.#stateChanged(), { signal });
    let before = events.status.state;
    events.addEventListener("status", () => {
      const { state } = events.status;
      if (state === "live" && before !== "live" && this.asOf) {
        // Only events can have been missed before the first opening.
        if (before !== "connecting" || this.#parts.isOfEvents) void this.load();
      }
      before = state;
      this.showNotice();
    }, { signal });
    // Don't wait for the state if the view does not need it or the device was signed in a moment ago.
    if (!session.state && !session.error && (this.#parts.isForAnybody || session.wasSignedIn)) void this.load();
    else this.#stateChanged();
  }

  #stateChanged() {
    const state = session.state;
    if (state && !isSignedIn(state) && !this.#parts.isForAnybody) {
      // Only once: a second call would abort the first navigation.
      if (!this.#hasLeft && (this.#parts.leavesAtSignOut?.() ?? true)) {
        this.#hasLeft = true;
        rememberPage();
        location.replace("/login");
      }
      return;
    }
    if (!state) {
      if (session.error) this.#fail(session.error);
    } else if (this.#isLacking) void this.#showHidden();
    else if (this.#isHidden) this.#showAgain();
    else if (!this.asOf && !this.#turn) void this.load();
    else this.showNotice();
  }

  /** Loads again, perhaps in another way; of several loads only the last one counts. */
  async load(read = this.#parts.read) {
    if (this.#isHidden) return;
    const turn = this.#turn += 1;
    this.#isOvertaken = false;
    try {
      const [value] = await Promise.all([read(this.signal), session.known]);
      // The load may have begun before the state showed that the backend lacks the calls.
      if (turn !== this.#turn || this.#isHidden) return;
      // The response may be older than the change.
      if (this.#isOvertaken) return void this.load(read);
      this.take(value);
    } catch (error) {
      if (turn !== this.#turn || (error instanceof ApiError && error.code === "aborted")) return;
      if (error instanceof ApiError && error.code === "signed_out") await session.load();
      else this.#fail(error);
    }
  }

  /** Shows the value of a response. @param {Value} value */
  take(value) {
    if (this.#hasLeft) return;
    this.change(value);
    this.#error = null;
    this.#inARow = { failures: 0, waits: 0 };
    this.asOf = Date.now();
    this.#parts.show(value);
    this.showNotice();
  }

  /** Keeps a changed value; the read under way may be older. @param {Value} value */
  change(value) {
    this.#isOvertaken = true;
    this.value = value;
  }

  /** Whether the backend has no calls for the view. */
  get #isLacking() {
    return this.#parts.feature !== undefined && lacks(session.state, this.#parts.feature);
  }

  /** Shows, in place of the view, why the backend cannot provide its data. */
  async #showHidden() {
    if (!this.#parts.feature) return;
    this.#isHidden = true;
    const panel = await hiddenPanel(this.#parts.feature);
    if (!this.#isHidden) return;
    need(this.#view, '[data-view="error"]', HTMLElement).replaceChildren(panel);
    this.#hideFilled(true);
    showView(this.#view, "error");
  }

  /** Fills the view, for which the backend has the calls by now. */
  #showAgain() {
    this.#isHidden = false;
    this.#hideFilled(false);
    showView(this.#view, "loading");
    void this.load();
  }

  /** @param {boolean} isHidden */
  #hideFilled(isHidden) {
    for (const one of this.#view.querySelectorAll("[data-filled]")) one.toggleAttribute("hidden", isHidden);
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#isLacking) return void this.#showHidden();
    this.#error = error;
    if (error instanceof ApiError && error.isPassing) void this.#retryLater(error);
    if (this.value) return this.showNotice();
    need(this.#view, '[data-view="error"]', HTMLElement).replaceChildren(problemPanel(error, () => {
      showView(this.#view, "loading");
      this.#inARow = { failures: 0, waits: 0 };
      void (session.state ? this.load() : session.load());
    }));
    showView(this.#view, "error");
  }

  // While the backend is unreachable, the page retries less and less often.
  /** @param {ApiError} error */
  async #retryLater(error) {
    const isWait = error.reason === "backend_wait";
    this.#inARow[isWait ? "waits" : "failures"] += 1;
    const pause = asksAgain(this.#inARow, error);
    if (pause === null) return;
    this.#askAt = Math.max(this.#askAt, performance.now() + pause);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    while (!this.signal.aborted && this.#askAt > performance.now()) await delay(this.#askAt - performance.now(), this.signal);
    await untilVisible(this.signal);
    this.#isWaiting = false;
    if (this.signal.aborted || !this.#error || !session.state) return;
    if (!isWait) return void this.load();
    // All tabs wait alike; one of the visible ones retries.
    await navigator.locks.request(`understudy-again-${tabDevice()?.device_id}`, { ifAvailable: true }, async (lock) => {
      if (lock) await this.load();
    });
  }

  /** Whether the value may be old: the last load failed or came from the cache, or the console is not answering. */
  get #isStale() {
    return Boolean(this.value && (this.#error ?? session.error ?? streamProblem() ?? this.#parts.isCached(this.value)));
  }

  // Content stays while the backend is unreachable; the notice shows its age.
  showNotice() {
    const notice = need(this.#view, ".stale", HTMLElement);
    this.#view.toggleAttribute("data-stale", this.#isStale);
    notice.hidden = !this.#isStale;
    if (notice.hidden) return;
    const error = this.#error ?? session.error ?? streamProblem();
    // The device's value may have been old when it responded.
    const { synced_at: syncedAt } = /** @type {{synced_at?: string}} */ (this.value ?? {});
    const time = moment(syncedAt ?? (this.asOf || session.asOf));
    const text = this.#parts.staleText?.(time, error) ??
      `${error ? problemText(error) : t("state.cached")} ${t("state.as_of", { time })}`;
    if (notice.firstChild?.textContent === text) return;
    notice.replaceChildren(
      h("span", { class: "grow" }, text),
      rowLink(error) ?? "",
      plainButton("button button-small", { onclick: () => {
        this.#inARow = { failures: 0, waits: 0 };
        void this.load();
      } }, t("state.retry")),
    );
  }
}

/**
 * Resolves once the page is visible, or when aborted.
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function untilVisible(signal) {
  return new Promise((resolve) => {
    const settle = () => {
      if (!signal.aborted && document.hidden) return;
      document.removeEventListener("visibilitychange", settle);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    document.addEventListener("visibilitychange", settle);
    signal.addEventListener("abort", settle);
    settle();
  });
}
