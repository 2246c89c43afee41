// @ts-check
import { ApiError, call } from "../../api.js";
import { events } from "../../events.js";
import { copyText } from "../../helpers/copy.js";
import { announce, everySecond, h, icon, isTyping, need, plainButton, showView } from "../../helpers/dom.js";
import { clockTime, dateTime, moment, remaining, t } from "../../helpers/i18n.js";
import { problemPanel, problemText, streamProblem } from "../common/problem-view.js";
import { isSignedIn, offersCode } from "../../models/shell/console-state.js";
import { followableLink } from "../../models/sign-in/deep-link.js";
import { keepSelected, newestFirst, pendingOf, scanSteps, spacedCode } from "../../models/inbox/messages.js";
import { endOf, isDead } from "../../models/inbox/message-end.js";
import { LiveElement, pendingLoginKey, ready, session } from "../../page.js";
import { keepChosen } from "../common/chosen-message.js";

/** @typedef {import("../../models/inbox/messages.js").InboxMessage} InboxMessage */

/** The embedded backend's messages: a list next to the open message with its code and link. */
class InboxView extends LiveElement {
  /** @type {InboxMessage[]} */
  #messages = [];
  /** @type {string | null} */
  #selected = new URLSearchParams(location.search).get("message");
  /** @type {unknown} */
  #error = null;
  #asOf = 0;
  /** Since when the session has its current state. @type {string | undefined} */
  #since = session.state?.session.since;
  #loads = 0;
  /** How far the backend's clock is ahead, in milliseconds. */
  #offset = 0;

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    await ready;
    events.addEventListener("inbox", () => void this.#load(), { signal });
    events.addEventListener("gap", () => void this.#load(), { signal });
    let wasLive = events.status.state === "live";
    events.addEventListener("status", () => {
      const isLive = events.status.state === "live";
      if (isLive && !wasLive) void this.#load();
      wasLive = isLive;
      this.#showNotice();
    }, { signal });
    session.addEventListener("change", () => {
      // A sign-in uses up a message, and the backend's clock expires it.
      const since = `${session.state?.session.since} ${session.state?.backend.clock_ahead_seconds}`;
      if (since !== this.#since && this.#asOf) void this.#load();
      this.#since = since;
      this.#showNotice();
      this.#showMessage();
    }, { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    everySecond(() => this.#tick(), signal);
    await this.#load();
  }

  async #load() {
    const turn = this.#loads += 1;
    try {
      const answer = await call("GET", "/api/inbox", { signal: this.signal });
      if (turn !== this.#loads) return;
      const before = this.#asOf ? new Set(this.#messages.map((one) => one.id)) : null;
      this.#messages = newestFirst(answer.messages ?? []);
      if (answer.server_time) this.#offset = Date.parse(answer.server_time) - Date.now();
      this.#error = null;
      this.#asOf = Date.now();
      const fresh = before ? this.#messages.filter((one) => !before.has(one.id)).length : 0;
      if (fresh) announce(t("inbox.arrived", { n: fresh }));
      const hasFocus = this.contains(document.activeElement);
      if (fresh && !hasFocus) this.#selected = this.#messages[0]?.id ?? null;
      this.show();
    } catch (error) {
      if (error instanceof ApiError && error.code === "aborted") return;
      this.#error = error;
      if (this.#asOf) this.#showNotice();
      else {
        need(this, "#inbox-error", HTMLElement).replaceChildren(problemPanel(error, () => void this.#load()));
        showView(this, "error");
      }
    }
  }

  #showNotice() {
    const notice = need(this, "#inbox-notice", HTMLElement);
    const error = this.#error ?? streamProblem();
    notice.hidden = !error || !this.#asOf;
    if (notice.hidden) return;
    notice.replaceChildren(
      h("span", { class: "grow" }, `${problemText(error)} ${t("state.as_of", { time: moment(this.#asOf) })}`),
      plainButton("button button-small", { onclick: () => void this.#load() }, t("state.retry")),
    );
  }

  show() {
    this.#showNotice();
    if (!this.#messages.length) {
      showView(this, "empty");
      return;
    }
    showView(this, "ready");
    this.#selected = keepSelected(this.#messages, this.#selected);
    const list = need(this, "#inbox-list", HTMLElement);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.message : undefined;
    list.replaceChildren(...this.#messages.map((message) => this.#listItem(message)));
    if (focused) list.querySelector(`[data-message="${CSS.escape(focused)}"]`)?.closest("button")?.focus();
    this.#showMessage();
  }

  /** @param {InboxMessage} message */
  #listItem(message) {
    const now = Date.now() + this.#offset;
    const end = endOf(message, now);
    const isOpen = message.id === this.#selected;
    return h(
      "li",
      {},
      plainButton(
        isDead(message, now) ? "message message-dead" : "message",
        {
          "data-message": message.id,
          "aria-current": isOpen ? "true" : null,
          onclick: () => this.open(message.id),
        },
        h(
          "span",
          { class: "spread" },
          h(
            "span",
            { class: "badge", "data-tone": message.code && !message.link ? "info" : "ok" },
            kindName(message.kind),
          ),
          h("time", { class: "small faint nums", datetime: message.delivered_at }, clockTime(message.delivered_at)),
        ),
        h("span", { class: "message-subject truncate" }, h("bdi", {}, message.subject)),
        h(
          "span",
          { class: "small muted truncate" },
          h("bdi", {}, message.to),
          end ? ` · ${t(`inbox.mark.${end}`)}` : null,
        ),
      ),
    );
  }

  /** @param {string} id */
  open(id) {
    this.#selected = id;
    for (const button of this.querySelectorAll("[data-message]")) {
      if (button.getAttribute("data-message") === id) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    this.#showMessage();
  }

  #showMessage() {
    const reader = need(this, "#inbox-reader", HTMLElement);
    const message = this.#messages.find((one) => one.id === this.#selected);
    const code = offersCode(session.state) ? message?.code : null;
    const shown = `${message?.id} ${Boolean(code)} ${message?.state}`;
    if (!message || reader.dataset.shown === shown) return this.#tick();
    reader.dataset.shown = shown;
    const link = followableLink(message.link, location.origin);
    reader.replaceChildren(
      h("h2", {}, h("bdi", {}, message.subject)),
      h(
        "p",
        { class: "small muted" },
        t("inbox.to"),
        " ",
        h("bdi", {}, message.to),
        " · ",
        h("time", { datetime: message.delivered_at }, dateTime(message.delivered_at)),
      ),
      h("p", { class: "small", id: "inbox-expiry" }),
      h(
        "div",
        { class: "row", id: "inbox-actions" },
        link ? this.#linkButton(message.id, link) : null,
        code ? this.#useButton(message, link === null) : null,
        code ? this.#copyButton(code) : null,
      ),
      h(
        "div",
        { class: "row" },
        message.link ? this.#scanButton(message) : null,
        h("p", { class: "small", id: "scan-result", role: "status" }),
      ),
      ...(message.link && !link
        ? [h("p", { class: "small" }, t("inbox.foreign_link"), " ", h("code", { class: "ltr" }, message.link))]
        : []),
      h("pre", { class: "message-text", dir: "auto", tabindex: "0", "aria-label": t("inbox.text") }, message.text),
    );
    this.#tick();
  }

  /** Opens the link as mail scanners do and shows the effect. @param {InboxMessage} message */
  #scanButton(message) {
    const work = async () => {
      const result = need(this, "#scan-result", HTMLElement);
      try {
        const scan = await call("POST", `/api/inbox/${encodeURIComponent(message.id)}/scan`, { body: {} });
        if (!result.isConnected) return;
        result.textContent = t(scan.unchanged ? "inbox.scan_good" : "inbox.scan_bad", { steps: scanSteps(scan) });
        result.className = scan.unchanged ? "small tone-ok" : "small tone-bad";
      } catch (error) {
        result.textContent = problemText(error);
        result.className = "small tone-bad";
      }
    };
    return plainButton("button button-small", { id: "scan-link", work }, t("inbox.scan"));
  }

  /** The link, whose page skips its question. @param {string} id @param {string} link */
  #linkButton(id, link) {
    const button = h(
      "a",
      { class: "button button-primary button-large", id: "open-link", href: link },
      t("action.open_link"),
    );
    button.addEventListener("click", (event) => {
      // Another tab asks, as for a link from elsewhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      keepChosen(id);
    });
    return button;
  }

  /** Leads to the sign-in page, which uses the code. @param {InboxMessage} message @param {boolean} isMain */
  #useButton(message, isMain) {
    const onclick = () => {
      keepChosen(message.id);
      const [stored, now] = [sessionStorage.getItem(pendingLoginKey), Date.now()];
      sessionStorage.setItem(pendingLoginKey, pendingOf(message, stored, now + this.#offset, now));
      location.assign("/login");
    };
    const style = isMain ? "button button-primary button-large" : "button button-large";
    return plainButton(style, { id: "use-code", onclick }, t("action.use_code"));
  }

  /** @param {string} code */
  #copyButton(code) {
    const button = plainButton(
      "button button-large",
      { id: "copy-code", onclick: () => void copyText(button, code) },
      icon("copy"),
      h("span", { class: "copy-label" }, t("inbox.copy_code")),
      h("span", { class: "ltr code-digits" }, spacedCode(code)),
    );
    return button;
  }

  #tick() {
    const message = this.#messages.find((one) => one.id === this.#selected);
    const place = this.querySelector("#inbox-expiry");
    if (!message || !place) return;
    const now = Date.now() + this.#offset;
    const end = endOf(message, now);
    const left = (Date.parse(message.expires_at) - now) / 1000;
    // Without the clock's offset, that moment would be in the future.
    const moved = (session.state?.backend.clock_ahead_seconds ?? 0) * 1000;
    const isAhead = end === "expired" && Date.parse(message.expires_at) > now - moved;
    place.textContent = isAhead
      ? t("inbox.expired_by_clock")
      : end === "expired"
      ? t("inbox.expired_at", { time: dateTime(message.expires_at) })
      : end
      ? t(`inbox.note.${end}`)
      : t("inbox.expires_in", { time: remaining(left) });
    place.className = end ? "small tone-warn" : "small muted";
    // A scanner's visit proves nothing about a message that did not work before.
    const isOver = isDead(message, now);
    this.querySelector("#scan-link")?.toggleAttribute("hidden", isOver);
    if (isOver) this.querySelector("#scan-result")?.replaceChildren();
    // The sign-in page has nothing to do for a device that is signed in.
    this.querySelector("#use-code")?.toggleAttribute("hidden", session.state ? isSignedIn(session.state) : false);
    need(this, "#inbox-reader", HTMLElement).toggleAttribute("data-dead", isOver);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (isTyping(event) || !this.#messages.length) return;
    if (event.key === "c") {
      return need(this, "#inbox-reader", HTMLElement).querySelector("button#copy-code")?.dispatchEvent(
        new MouseEvent("click"),
      );
    }
    if (event.key !== "j" && event.key !== "k") return;
    const at = this.#messages.findIndex((one) => one.id === this.#selected);
    const next = this.#messages[Math.min(this.#messages.length - 1, Math.max(0, at + (event.key === "j" ? 1 : -1)))];
    if (!next) return;
    event.preventDefault();
    this.open(next.id);
    need(this, `[data-message="${CSS.escape(next.id)}"]`, HTMLButtonElement).focus();
  }
}

/** @param {string} kind */
const kindName = (kind) => (["magic_link", "login_code"].includes(kind) ? t(`inbox.kind.${kind}`) : kind);

customElements.define("inbox-view", InboxView);
