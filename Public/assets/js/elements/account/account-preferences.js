// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { say } from "../common/notice.js";
import { problemText, rowLink } from "../common/problem-view.js";
import { hasFeature, languageName, showsDeveloperTools } from "../../models/account/account-facts.js";
import { LiveElement, session } from "../../page.js";

/** @typedef {import("../../models/account/account-facts.js").Account} Account */

/**
 * The account's settings: its language, with its profile, the switches, and the values for developers.
 *
 * A switch has an id `x`, and the place `x-result` for its result. `data-setting` is its member of `settings`. A change posts the
 * member `data-field` to `data-path`, and then says the words `data-on` or `data-off`.
 */
export class AccountPreferences extends LiveElement {
  /** Takes the account from the response to a change. @type {(account: Account) => void} */
  changed = () => {};
  /** @type {Account | null} */
  #account = null;

  connectedCallback() {
    const { signal } = this;
    this.#language.addEventListener("change", () => void this.#speak(), { signal });
    for (const input of this.#switches) input.addEventListener("change", () => void this.#turn(input), { signal });
  }

  get #language() {
    return need(this, "#account-language", HTMLSelectElement);
  }

  get #analytics() {
    return need(this, "#analytics", HTMLInputElement);
  }

  /** @returns {NodeListOf<HTMLInputElement>} */
  get #switches() {
    return this.querySelectorAll("input[data-setting]");
  }

  /** Shows the account's choices. @param {Account} account */
  show(account) {
    this.#account = account;
    const languages = account.config?.supported_languages ?? [];
    const current = account.active_profile?.language_code ?? account.settings?.preferred_language_code ?? "";
    const codes = languages.map((one) => one.code);
    const options = current && !codes.includes(current) ? [...codes, current] : codes;
    this.#language.replaceChildren(
      ...options.map((code) => h("option", { value: code, lang: code }, languageName(code, account))),
    );
    this.#language.value = current;
    need(this, "#language-none", HTMLElement).hidden = languages.length > 0;
    const mayOptOut = hasFeature(account, "analytics_opt_out");
    for (const input of this.#switches) input.checked = account.settings?.[input.dataset.setting ?? ""] !== false;
    this.#analytics.setAttribute("aria-disabled", String(!mayOptOut));
    need(this, "#analytics-why", HTMLElement).textContent = t(
      mayOptOut ? "settings.analytics_why" : "settings.analytics_fixed",
    );
    this.#showDeveloper(account);
  }

  async #speak() {
    const code = this.#language.value;
    const name = this.#account ? languageName(code, this.#account) : code;
    await this.#change(
      "/api/account/language",
      { language_code: code },
      "#language-result",
      t("settings.language_saved", { name }),
    );
  }

  /** @param {HTMLInputElement} input */
  async #turn(input) {
    const wanted = input.checked;
    if (input.getAttribute("aria-disabled") === "true") {
      input.checked = !wanted;
      announce(t("settings.analytics_fixed"));
      return;
    }
    const { path = "", field = "", on = "", off = "" } = input.dataset;
    await this.#change(path, { [field]: wanted }, `#${input.id}-result`, t(wanted ? on : off));
  }

  // The control changes at once; if the change is rejected, it moves back, and the reason is shown below.
  /** @param {string} path @param {object} body @param {string} place @param {string} done */
  async #change(path, body, place, done) {
    const result = need(document, place, HTMLElement);
    try {
      const account = await call("POST", path, { body });
      say(result, "ok", done);
      this.changed(account);
    } catch (error) {
      say(result, "bad", problemText(error), rowLink(error));
      if (this.#account) this.show(this.#account);
      if (error instanceof ApiError && error.code === "signed_out") await session.load();
    }
  }

  /** @param {Account} account */
  #showDeveloper(account) {
    const card = need(this, "#developer-card", HTMLElement);
    const state = session.state;
    card.hidden = !state || !showsDeveloperTools(account);
    if (!state || card.hidden) return;
    const features = Object.entries(account.config?.features ?? {});
    /** @param {boolean} wanted */
    const named = (wanted) =>
      features.filter(([, isOn]) => isOn === wanted).map(([name]) => name).join(", ") || t("developer.none");
    const facts = [
      ["developer.backend", state.backend.url],
      ["developer.backend_id", state.backend.id],
      ["developer.device_id", state.device_id],
      ["developer.version", state.version],
      ["developer.features", named(true)],
      ["developer.features_off", named(false)],
      ["developer.margin", t("unit.s", { value: account.config?.session?.refresh_margin_seconds ?? 120 })],
      ["developer.capacity", t("rows.count", { n: account.config?.network_log?.capacity ?? 0 })],
      ["developer.hosts", account.config?.auth?.trusted_link_hosts?.join(", ") || t("developer.none")],
    ];
    need(this, "#developer-facts", HTMLElement).replaceChildren(
      ...facts.map(([key, value]) =>
        h(
          "div",
          {},
          h("dt", {}, t(key ?? "")),
          h("dd", { class: "mono", dir: "ltr", "data-secret": key === "developer.device_id" }, value ?? ""),
        )
      ),
    );
  }
}

customElements.define("account-preferences", AccountPreferences);
