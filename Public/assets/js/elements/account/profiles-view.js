// @ts-check
import { ApiError, call } from "../../api.js";
import { busy, h, need, plainButton, setDisabled, showDone, showView } from "../../helpers/dom.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { folded } from "../../models/shell/language.js";
import { Loader } from "../common/loader.js";
import { say } from "../common/notice.js";
import { holdButton, problemText, rowLink } from "../common/problem-view.js";
import { languagesWithoutProfile, profileName } from "../../models/account/account-facts.js";
import { LiveElement, ready, session } from "../../page.js";

/** @typedef {import("../../models/account/account-facts.js").Profile} Profile */
/** @typedef {{profiles: Profile[], active_profile_id?: string | null, source?: string}} Profiles */

/** The profiles of the account: which one is active, a switch to another, and a new one for a language that has none. */
class ProfilesView extends LiveElement {
  /** @type {Loader<Profiles> | null} */
  #loader = null;

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    this.#filter.addEventListener("input", () => this.show(), { signal });
    need(this, "#clear-filter", HTMLElement).addEventListener("click", () => {
      this.#filter.value = "";
      this.show();
      this.#filter.focus();
    }, { signal });
    need(this, "#new-profile", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const button = need(this, "#create-profile", HTMLElement);
      void busy(button, () => this.#create(button));
    }, { signal });
    await ready;
    this.#loader = new Loader(this, {
      read: (given) => call("GET", "/api/profiles", { signal: given }),
      show: () => this.show(),
      isCached: (value) => value.source === "cache",
      feature: "profiles",
    }, signal);
    session.addEventListener("change", () => this.show(), { signal });
    this.#loader.start();
  }

  get #filter() {
    return need(this, "#profile-filter", HTMLInputElement);
  }

  get account() {
    return { config: session.state?.config ?? null };
  }

  show() {
    const value = this.#loader?.value;
    if (!value) return;
    const { account } = this;
    const wanted = folded(this.#filter.value.trim());
    const shown = value.profiles.filter((one) =>
      folded(`${profileName(one, account)} ${one.language_code}`).includes(wanted)
    );
    showView(this, value.profiles.length === 0 ? "empty" : shown.length === 0 ? "none" : "ready");
    need(this, "#profile-tools", HTMLElement).hidden = value.profiles.length === 0;
    need(this, "#profile-count", HTMLElement).textContent = t("profiles.count", { n: value.profiles.length });
    need(this, "#profiles-none", HTMLElement).textContent = t("profiles.none", {
      n: value.profiles.length,
      filter: this.#filter.value.trim(),
    });
    const focused = document.activeElement?.getAttribute("data-profile");
    const list = need(this, "#profile-list", HTMLElement);
    list.replaceChildren(...shown.map((one) => this.#line(one, one.profile_id === value.active_profile_id)));
    if (focused) list.querySelector(`[data-profile="${CSS.escape(focused)}"]`)?.closest("button")?.focus();
    this.#showNew(value.profiles);
  }

  /** @param {Profile} profile @param {boolean} isActive */
  #line(profile, isActive) {
    const name = profileName(profile, this.account);
    const button = plainButton("button button-small", {
      "data-profile": profile.profile_id,
      "aria-label": t("profiles.use_named", { name }),
      work: () => this.#use(profile, button),
    }, t("profiles.use"));
    return h(
      "li",
      { "aria-current": isActive ? "true" : null },
      h(
        "span",
        { class: "stack-none grow" },
        h("bdi", { class: "profile-name", lang: profile.language_code }, name),
        h(
          "span",
          { class: "small muted" },
          h("bdi", { class: "mono" }, profile.language_code),
          profile.created_at ? ` · ${t("profiles.created_at", { date: dateTime(profile.created_at) })}` : null,
        ),
      ),
      isActive ? h("span", { class: "badge", "data-tone": "ok" }, t("profiles.active")) : button,
    );
  }

  /** @param {Profile[]} profiles */
  #showNew(profiles) {
    const open = languagesWithoutProfile(profiles, this.account);
    const select = need(this, "#new-language", HTMLSelectElement);
    const chosen = select.value;
    select.replaceChildren(
      ...open.map(({ code, name }) => h("option", { value: code, lang: code }, name)),
    );
    if (open.some((one) => one.code === chosen)) select.value = chosen;
    need(this, "#new-profile", HTMLElement).hidden = open.length === 0;
    need(this, "#all-made", HTMLElement).hidden = open.length > 0;
  }

  /** @param {Profile} profile @param {HTMLElement} button */
  async #use(profile, button) {
    await this.#attempt(button, async () => {
      const active = await call("POST", "/api/profiles/active", { body: { profile_id: profile.profile_id } });
      this.#done(active, t("profiles.switched", { name: profileName(profile, this.account) }), profile.profile_id);
    });
  }

  /** @param {HTMLElement} button */
  async #create(button) {
    const select = need(this, "#new-language", HTMLSelectElement);
    const name = select.selectedOptions[0]?.textContent ?? select.value;
    await this.#attempt(button, async () => {
      const profile = await call("POST", "/api/profiles", { body: { language_code: select.value } });
      this.#done(profile, t("profiles.created", { name }));
      showDone(button);
    });
  }

  /** @param {Profile} profile @param {string} text @param {string} [active] the id that became active */
  #done(profile, text, active) {
    const before = this.#loader?.value;
    const profiles = (before?.profiles ?? []).filter((one) => one.profile_id !== profile.profile_id);
    const at = before?.profiles.findIndex((one) => one.profile_id === profile.profile_id) ?? -1;
    profiles.splice(at < 0 ? profiles.length : at, 0, profile);
    this.#loader?.take({ profiles, active_profile_id: active ?? before?.active_profile_id ?? null, source: "network" });
    this.#say("ok", text);
    void this.#loader?.load();
  }

  /** @param {HTMLElement} button @param {() => Promise<void>} work */
  async #attempt(button, work) {
    try {
      await work();
    } catch (error) {
      this.#say("bad", problemText(error), rowLink(error));
      if (!(error instanceof ApiError)) throw error;
      if (error.retryAfterSeconds) holdButton(button, error.retryAfterSeconds, this.signal);
      if (error.code === "signed_out") await session.load();
      setDisabled(button, error.retryAfterSeconds !== undefined);
    }
  }

  /** @param {"ok" | "bad"} tone @param {string} text @param {HTMLElement | null} [action] */
  #say(tone, text, action) {
    say(need(this, "#profiles-result", HTMLElement), tone, text, action);
  }
}

customElements.define("profiles-view", ProfilesView);
