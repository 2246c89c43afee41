// @ts-check
import { ApiError, call, fetchText } from "../../api.js";
import { h, need, showView } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { Loader } from "../common/loader.js";
import { say } from "../common/notice.js";
import { problemText } from "../common/problem-view.js";
import { changesOf, joinToken, shownChanges } from "../../models/team/team.js";
import { LiveElement, loadWords, ready } from "../../page.js";
import { listenToLeases, showLeases } from "./account-leases.js";
import { confirmDeletion } from "../common/confirm-deletion.js";
import { listenToDownload, showOwnerLists } from "./owner-lists.js";
import { listenToWorkspaces, showWorkspaces } from "./workspace-list.js";

/**
 * @typedef {import("../../models/team/team.js").Person} Person
 * @typedef {import("../../models/team/team.js").ListedPerson} ListedPerson
 * @typedef {{me: Person, leases: import("../../models/team/team.js").Lease[],
 *   workspaces: import("../../models/team/team.js").Workspace[], people: ListedPerson[],
 *   changes: import("../../models/team/team.js").Change[]} | null} Team null on a console without people
 */

/** The people of this console: reserved accounts, workspaces, and for owners the roles and the changes. */
export class TeamView extends LiveElement {
  /** @type {Loader<Team> | null} */
  #loader = null;

  async connectedCallback() {
    const { signal } = this;
    const token = joinToken(location.hash);
    // The token must not stay in the history.
    if (token) history.replaceState(history.state, "", location.pathname + location.search);
    showView(this, "loading");
    await ready;
    listenToLeases(this, signal);
    listenToWorkspaces(this, signal);
    listenToDownload(this, signal);
    need(this, "#delete-me", HTMLElement).addEventListener("click", () => void this.#deleteMe(), { signal });
    this.#loader = new Loader(this, {
      read: (given) => readTeam(given),
      show: (team) => this.#show(team),
      isCached: () => false,
      isForAnybody: true,
    }, signal);
    if (token) await this.#join(token);
    this.#loader.start();
  }

  /** Loads everything again, after something was changed. */
  async load() {
    await this.#loader?.load();
  }

  get team() {
    return this.#loader?.value ?? null;
  }

  /** @param {Team} team */
  #show(team) {
    if (!team) return showView(this, "none");
    const { me } = team;
    need(this, "#you", HTMLElement).textContent = t("team.you", { name: me.name, role: t(`team.role.${me.role}`) });
    showLeases(this, team.leases, me);
    showWorkspaces(this, team.workspaces);
    showView(this, "ready");
    const isOwner = me.role === "owner";
    for (const id of ["people", "changes"]) need(this, `#${id}`, HTMLElement).hidden = !isOwner;
    if (isOwner) showOwnerLists(this, team.people, team.changes);
  }

  /** @param {string} token */
  async #join(token) {
    try {
      const { name } = await call("POST", "/api/workspaces/join", { body: { token } });
      const link = h("a", { class: "button button-small", id: "open-recordings", href: "/recordings" }, t("team.open_recordings"));
      this.say("ok", t("team.joined", { name }), link);
    } catch (error) {
      const isVoid = error instanceof ApiError && error.code === "not_found";
      this.say("bad", isVoid ? t("team.link_void") : problemText(error));
    }
  }

  async #deleteMe() {
    await confirmDeletion({
      title: t("team.me_title"),
      why: t("team.me_why"),
      label: t("team.me_confirm"),
      act: async () => {
        await call("DELETE", "/api/person");
        location.assign("/login");
      },
    });
  }

  /**
   * Deletes something of the console once that is confirmed.
   * @param {string} path
   * @param {string} name
   * @param {string} why
   * @param {string} label of the button
   */
  async delete(path, name, why, label) {
    await confirmDeletion({
      title: t("team.delete_title", { name }),
      why,
      label,
      act: () => call("DELETE", path),
      done: () => void this.doing(() => Promise.resolve(t("team.deleted", { name }))),
    });
  }

  /** Runs an action, reports its result, and loads everything again. @param {() => Promise<string>} work returns the result */
  async doing(work) {
    try {
      this.say("ok", await work());
    } catch (error) {
      this.say("bad", problemText(error));
    }
    await this.load();
  }

  /** Reports a completed or failed action. @param {"ok" | "bad"} tone @param {string} text @param {HTMLElement} [action] */
  say(tone, text, action) {
    say(need(this, "#team-result", HTMLElement), tone, text, action);
  }
}

/** @param {AbortSignal} signal @returns {Promise<Team>} */
async function readTeam(signal) {
  try {
    const me = /** @type {Person} */ (await call("GET", "/api/person", { signal }));
    const isOwner = me.role === "owner";
    const [{ leases }, { workspaces }, { persons }, changes] = await Promise.all([
      call("GET", "/api/account-leases", { signal }),
      call("GET", "/api/workspaces", { signal }),
      isOwner ? call("GET", "/api/persons", { signal }) : { persons: [] },
      isOwner ? fetchText(`/api/audit?last=${shownChanges}`) : "",
    ]);
    return { me, leases, workspaces, people: persons, changes: changesOf(changes) };
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    if (error instanceof ApiError) await loadWords("errors").catch(() => {});
    throw error;
  }
}

customElements.define("team-view", TeamView);
