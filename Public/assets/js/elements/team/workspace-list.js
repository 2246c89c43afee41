// @ts-check
import { call, lazily } from "../../api.js";
import { busy, h, need, plainButton } from "../../helpers/dom.js";
import { setInvalid } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { isDisplayName } from "../../models/shell/device-list.js";
import { actionsOf } from "../../models/team/team.js";

/**
 * @typedef {import("./team-view.js").TeamView} TeamView
 * @typedef {import("../../models/team/team.js").Workspace} Workspace
 */

const openSharing = lazily(() => import("./share-workspace.js"), "openSharing");
const openMembers = lazily(() => import("./share-workspace.js"), "openMembers");

/** Lets the form make a workspace. @param {TeamView} view @param {AbortSignal} signal */
export function listenToWorkspaces(view, signal) {
  const [name, fault] = [need(view, "#workspace-name", HTMLInputElement), need(view, "#workspace-fault", HTMLElement)];
  const say = (/** @type {string} */ text) => {
    fault.textContent = text;
    setInvalid(name, text !== "");
  };
  name.addEventListener("input", () => say(""), { signal });
  need(view, "#make-workspace", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(need(view, "#add-workspace", HTMLElement), async () => {
      const wanted = name.value.trim();
      if (!isDisplayName(wanted)) {
        say(t("team.name_bad"));
        return name.focus();
      }
      await call("POST", "/api/workspaces", { body: { name: wanted } });
      name.value = "";
      view.say("ok", t("team.made", { name: wanted }));
      await view.load();
    }, (error) => say(problemText(error)));
  }, { signal });
}

/** Lists the workspaces of the person. @param {TeamView} view @param {Workspace[]} workspaces */
export function showWorkspaces(view, workspaces) {
  need(view, "#workspace-list", HTMLElement).replaceChildren(...workspaces.map((one) => line(view, one)));
}

/** @param {TeamView} view @param {Workspace} workspace */
function line(view, workspace) {
  const offered = actionsOf(workspace, view.team?.me.role ?? "viewer");
  const name = workspace.name;
  return h(
    "li",
    { "data-workspace": workspace.workspace_id },
    h(
      "a",
      { class: "grow", href: `/recordings?workspace=${workspace.workspace_id}` },
      h("bdi", {}, workspace.is_own ? t("team.own") : name),
    ),
    workspace.is_own ? null : h("span", { class: "badge" }, t(`team.access.${workspace.access}`)),
    offered.share ? button("share", t("team.share"), t("team.share_title", { name }), () => openSharing(workspace)) : null,
    offered.members ? button("members", t("team.members"), t("team.members_named", { name }), () => openMembers(view, workspace)) : null,
    offered.leave ? button("leave", t("team.leave"), t("team.leave_named", { name }), () => leave(view, workspace)) : null,
    offered.delete
      ? button("delete", t("team.delete"), t("team.delete_named", { name }), () => remove(view, workspace), "button-danger")
      : null,
  );
}

/** @param {string} action @param {string} text @param {string} label @param {() => Promise<void>} work @param {string} [kind] */
const button = (action, text, label, work, kind = "") =>
  plainButton(`button button-small ${kind}`.trim(), { "data-act": action, "aria-label": label, work }, text);

/** @param {TeamView} view @param {Workspace} workspace */
const leave = (view, { workspace_id: id, name }) =>
  view.doing(async () => {
    await call("DELETE", `/api/workspaces/${id}/members/${view.team?.me.person_id}`);
    return t("team.left", { name });
  });

/** @param {TeamView} view @param {Workspace} workspace */
const remove = (view, { workspace_id: id, name }) =>
  view.delete(`/api/workspaces/${id}`, name, t("team.delete_why"), t("team.delete_confirm"));
