// @ts-check
import { ApiError, call } from "../../api.js";
import { openDialog } from "../common/dialog.js";
import { busy, h, plainButton } from "../../helpers/dom.js";
import { choices, field } from "../../helpers/fields.js";
import { currentWords, dateTime, t } from "../../helpers/i18n.js";
import { copyText } from "../../helpers/copy.js";
import { problemPanel, problemText } from "../common/problem-view.js";
import { verbatimInput } from "../../helpers/verbatim-input.js";
import { actionsOf, joinLink, linkHours, spokenTime } from "../../models/team/team.js";

/**
 * @typedef {import("./team-view.js").TeamView} TeamView
 * @typedef {import("../../models/team/team.js").Workspace} Workspace
 * @typedef {import("../../models/team/team.js").Member} Member
 */

/** Opens a dialog that makes links to a workspace. @param {Workspace} workspace */
export async function openSharing({ workspace_id: id, name }) {
  const hours = h(
    "select",
    { class: "input input-small select", id: "link-hours" },
    ...linkHours.map((n) => h("option", { value: n, selected: n === 24 }, spokenTime(n * 60, currentWords().locale))),
  );
  const make = h("button", { type: "submit", class: "button button-primary", id: "make-link" }, t("team.make_link"));
  const result = h("div", { class: "stack-tight", id: "link-result", role: "status" });
  const failed = (/** @type {unknown} */ error) => result.replaceChildren(h("p", { class: "field-error" }, problemText(error)));
  const work = async () => {
    await call("DELETE", `/api/workspaces/${id}/links`);
    result.replaceChildren(h("p", {}, t("team.links_ended")));
  };
  const end = plainButton("button", { id: "end-links", work, failed }, t("team.end_links"));
  const access = choices(t("team.share_access"), "link-access", [
    { value: "read", label: t("team.may_read"), isChosen: true },
    { value: "write", label: t("team.may_write"), isChosen: false },
  ]);
  const form = h(
    "form",
    { class: "stack", novalidate: true },
    access,
    field(t("team.share_hours"), hours),
    h("div", { class: "row" }, make, end),
    result,
  );
  const dialog = await openDialog("share-workspace", t("team.share_title", { name }), form);
  if (!dialog) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(make, async () => {
      const wanted = form.querySelector("input[name=link-access]:checked");
      const body = { access: wanted instanceof HTMLInputElement ? wanted.value : "read", hours: Number(hours.value) };
      const { token, until } = await call("POST", `/api/workspaces/${id}/links`, { body });
      result.replaceChildren(...linkOf(joinLink(location.origin, token), until));
    }, failed);
  });
}

/** @param {string} link @param {string} until */
function linkOf(link, until) {
  const address = verbatimInput({ id: "workspace-link", readonly: "", "aria-label": t("team.link") });
  address.value = link;
  address.addEventListener("focus", () => address.select());
  const copy = plainButton("button", { id: "copy-link", onclick: () => void copyText(copy, link) }, t("action.copy"));
  return [
    h("div", { class: "row nowrap" }, address, copy),
    h("p", { class: "small muted" }, t("team.link_how", { time: dateTime(until) })),
  ];
}

/** Opens a dialog with the members of a workspace. @param {TeamView} view @param {Workspace} workspace */
export async function openMembers(view, workspace) {
  const title = t("team.members_title", { name: workspace.name });
  const list = h("ul", { class: "line-list device-list", id: "member-list", "aria-label": title });
  const fault = h("p", { class: "field-error", role: "alert" });
  const dialog = await openDialog("members", title, list, fault);
  if (!dialog) return;
  await showMembers(view, workspace, list, fault);
}

/** @param {TeamView} view @param {Workspace} workspace @param {HTMLElement} list @param {HTMLElement} fault */
async function showMembers(view, workspace, list, fault) {
  try {
    const { members } = await call("GET", `/api/workspaces/${workspace.workspace_id}/members`);
    list.replaceChildren(...members.map((/** @type {Member} */ member) => {
      const { name, person_id: id, access } = member;
      const remove = plainButton("button button-small", {
        "aria-label": t("team.remove_named", { name }),
        work: async () => {
          await call("DELETE", `/api/workspaces/${workspace.workspace_id}/members/${id}`);
          fault.textContent = "";
          await showMembers(view, workspace, list, fault);
          await view.load();
        },
        failed: (/** @type {unknown} */ error) => {
          fault.textContent = error instanceof ApiError && error.code === "conflict" ? t("team.last_manager") : problemText(error);
        },
      }, t("team.remove"));
      const isMine = id === view.team?.me.person_id;
      return h(
        "li",
        {},
        h("bdi", { class: "grow" }, name),
        h("span", { class: "badge" }, t(`team.access.${access}`)),
        view.team && actionsOf(workspace, view.team.me.role).remove && !isMine ? remove : null,
      );
    }));
  } catch (error) {
    list.replaceChildren(h("li", {}, problemPanel(error, () => void showMembers(view, workspace, list, fault))));
  }
}
