// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, h, loadStyle, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { liveMessage, spacedCode } from "../../models/inbox/messages.js";
import { offersCode } from "../../models/shell/console-state.js";
import { followableLink } from "../../models/sign-in/deep-link.js";
import { session } from "../../page.js";

/** @typedef {import("../../models/inbox/messages.js").InboxMessage} InboxMessage */

/** The message that arrived for a pending sign-in, with its code and its link a press away. */
export class MessageOffer {
  /** @type {InboxMessage | null} */
  message = null;
  #place;
  #acts;
  #searches = 0;

  /**
   * @param {HTMLElement} place
   * @param {{useCode: (code: string) => Promise<void>, openLink: (url: string) => Promise<void>}} acts
   */
  constructor(place, acts) {
    this.#place = place;
    this.#acts = acts;
  }

  /** Finds the newest message to the typed identifier and offers it, unless it was offered before. @param {string} typed */
  async offerNewest(typed) {
    const turn = this.#searches += 1;
    const [message] = await Promise.all([findMessage(typed), loadStyle("inbox")]);
    if (turn !== this.#searches || message?.id === this.message?.id) return;
    this.message = message;
    this.#show();
  }

  /** Presses the first button of the offer. */
  use() {
    this.#place.querySelector("button")?.click();
  }

  /** Takes the message back for good. */
  withdraw() {
    this.#searches += 1;
    this.#place.hidden = true;
  }

  /** Withdraws the message until the next search. */
  forget() {
    this.withdraw();
    this.message = null;
  }

  #show() {
    const { message } = this;
    const link = followableLink(message?.link, location.origin);
    const code = offersCode(session.state) ? message?.code : null;
    this.#place.hidden = !code && !link;
    if (this.#place.hidden) return;
    this.#place.replaceChildren(
      h("h2", { id: "offer-title" }, t("login.offer")),
      h(
        "div",
        { class: "stack-tight" },
        code ? this.#button("offer-code", () => this.#acts.useCode(code), true, codeLabel(code)) : null,
        link ? this.#button("offer-link", () => this.#acts.openLink(link), !code, [t("action.open_link")]) : null,
      ),
    );
    this.#place.setAttribute("aria-labelledby", "offer-title");
    announce(t("login.offer"));
  }

  /** @param {string} id @param {() => Promise<void>} work @param {boolean} isMain @param {(Node | string)[]} label */
  #button(id, work, isMain, label) {
    return plainButton(isMain ? "button button-primary button-large" : "button button-large", { id, work }, ...label);
  }
}

/** The words of the button that uses a code, and its digits. @param {string} code @returns {Node[]} */
const codeLabel = (code) => [
  h("span", {}, t("action.use_code")),
  h("span", { class: "ltr code-digits", "data-secret": "" }, spacedCode(code)),
];

/**
 * The newest message to the typed identifier if its code and link still work, or null. The offer is a convenience: if the inbox
 * cannot be read, there is none, and the code can be typed.
 * @param {string} typed
 */
async function findMessage(typed) {
  try {
    const { messages, server_time: now } = await call("GET", "/api/inbox");
    return liveMessage(messages ?? [], typed, now ? Date.parse(now) : Date.now());
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
