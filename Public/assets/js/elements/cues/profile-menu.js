// @ts-check
import { call, lazily } from "../../api.js";
import { busy, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { profileName } from "../../models/account/account-facts.js";
import { session } from "../../page.js";

/** @typedef {import("../../models/account/account-facts.js").Profile} Profile */

const openMenu = lazily(() => import("../common/menu.js"), "openMenu");

/** The button that names the active profile, with a menu that switches to another. */
export class ProfileMenu {
  #button;
  #parts;

  /**
   * @param {HTMLElement} button
   * @param {{switched: (name: string) => void, failed: (error: unknown) => void}} parts
   */
  constructor(button, parts) {
    this.#button = button;
    this.#parts = parts;
    button.addEventListener("click", () => void busy(button, () => this.#open()));
  }

  /** @param {Profile} profile */
  #name(profile) {
    return profileName(profile, { config: session.state?.config ?? null });
  }

  /**
   * Shows which profile's cues the board has.
   * @param {Profile | null | undefined} profile null if the device has not loaded it yet
   */
  show(profile) {
    const name = profile ? this.#name(profile) : "";
    if (name) this.#button.setAttribute("aria-label", t("cues.profile_named", { name }));
    this.#button.replaceChildren(h("span", {}, t("cues.profile")), h("bdi", { class: "truncate" }, name));
    this.#button.hidden = false;
  }

  async #open() {
    try {
      const { profiles = [], active_profile_id: active } = await call("GET", "/api/profiles");
      await openMenu(t("cues.profile"), [
        ...profiles.map((/** @type {Profile} */ one) => ({
          label: this.#name(one),
          isChecked: one.profile_id === active,
          id: one.profile_id,
          act: () => one.profile_id === active || busy(this.#button, () => this.#use(one)),
        })),
        null,
        { label: t("cues.profiles"), id: "profiles", act: () => location.assign("/profiles") },
      ], this.#button);
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  /** @param {Profile} profile */
  async #use(profile) {
    try {
      this.show(await call("POST", "/api/profiles/active", { body: { profile_id: profile.profile_id } }));
      this.#parts.switched(this.#name(profile));
    } catch (error) {
      this.#parts.failed(error);
    }
  }
}
