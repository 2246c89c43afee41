// @ts-check
import { call } from "../../api.js";
import { h } from "../../helpers/dom.js";
import { field } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { session } from "../../page.js";

/** @typedef {import("../../models/team/team.js").Workspace} Workspace */

/** The workspaces of the person who uses the page; none on a console without people. @returns {Promise<Workspace[]>} */
export async function loadWorkspaces() {
  await session.known;
  return session.state?.persons ? (await call("GET", "/api/workspaces")).workspaces : [];
}

/** How the page calls a workspace. @param {Workspace} workspace */
export const workspaceName = (workspace) => (workspace.is_own ? t("recordings.own") : workspace.name);

/**
 * A labeled choice of the workspaces in which recordings can be kept; null if there is nothing to choose.
 * @param {Workspace[]} workspaces
 * @param {string | undefined} chosen the id of one
 */
export function workspaceField(workspaces, chosen) {
  const writable = workspaces.filter((one) => one.access !== "read");
  if (writable.length < 2) return null;
  const select = h(
    "select",
    { class: "input select", id: "workspace-choice" },
    ...writable.map((one) =>
      h("option", { value: one.workspace_id, selected: one.workspace_id === chosen }, `\u2068${workspaceName(one)}\u2069`)
    ),
  );
  return { select, field: field(t("recordings.workspace"), select) };
}
