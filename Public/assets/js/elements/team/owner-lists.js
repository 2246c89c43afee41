// @ts-check
import { call, download } from "../../api.js";
import { busy, h, need, plainButton } from "../../helpers/dom.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { saveFile } from "../../helpers/save-file.js";

/**
 * @typedef {import("./team-view.js").TeamView} TeamView
 * @typedef {import("../../models/team/team.js").ListedPerson} ListedPerson
 * @typedef {import("../../models/team/team.js").Change} Change
 */

/**
 * Shows an owner all people's roles, and the last changes.
 * @param {TeamView} view @param {ListedPerson[]} people @param {Change[]} changes
 */
export function showOwnerLists(view, people, changes) {
  const focused = document.activeElement?.id;
  need(view, "#person-list", HTMLElement).replaceChildren(...people.map((one) => line(view, one)));
  if (focused?.startsWith("role-")) document.getElementById(focused)?.focus();
  need(view, "#change-rows", HTMLElement).replaceChildren(...changes.map(({ at, person, action, client, status }) =>
    h(
      "tr",
      {},
      h("td", { class: "nums" }, dateTime(at)),
      h("td", {}, person ? h("bdi", {}, person) : t("team.gone")),
      h("td", { class: "mono call", dir: "ltr" }, action),
      h("td", { class: "nums" }, status ? String(status) : "–"),
      h("td", {}, h("bdi", { class: "mono" }, client)),
    )
  ));
}

/** Lets the button save the newest entries of the change log. @param {TeamView} view @param {AbortSignal} signal */
export function listenToDownload(view, signal) {
  const button = need(view, "#download-changes", HTMLElement);
  button.addEventListener("click", () =>
    void busy(button, async () => {
      saveFile(await (await download("GET", "/api/audit?last=10000")).blob(), "changes.jsonl");
    }, (error) => view.say("bad", problemText(error))), { signal });
}

/** @param {TeamView} view @param {ListedPerson} person */
function line(view, person) {
  const { person_id: id, name, role, is_fixed: isFixed, seen_at: seen } = person;
  const select = h(
    "select",
    { class: "input input-small select", id: `role-${id}`, "aria-label": t("team.role_of", { name }) },
    ...["viewer", "tester", "owner"].map((one) => h("option", { value: one, selected: one === role }, t(`team.role.${one}`))),
  );
  select.addEventListener("change", () => void setRole(view, person, select));
  const remove = plainButton("button button-small button-danger", {
    "aria-label": t("team.delete_named", { name }),
    onclick: () => void removePerson(view, person),
  }, t("team.delete"));
  const isMe = id === view.team?.me.person_id;
  return h(
    "li",
    { "data-person": name },
    h(
      "div",
      { class: "grow" },
      h("bdi", {}, name),
      h("p", { class: "small muted" }, t("team.seen", { time: dateTime(seen) })),
    ),
    isFixed ? h("span", { class: "small muted" }, t("team.fixed")) : select,
    isMe ? null : remove,
  );
}

/** @param {TeamView} view @param {ListedPerson} person @param {HTMLSelectElement} select */
async function setRole(view, { person_id: id, name, role }, select) {
  try {
    const changed = await call("PATCH", `/api/persons/${id}`, { body: { role: select.value } });
    view.say("ok", t("team.role_changed", { name, role: t(`team.role.${changed.role}`) }));
  } catch (error) {
    select.value = role;
    view.say("bad", problemText(error));
  }
  await view.load();
}

/** @param {TeamView} view @param {ListedPerson} person */
const removePerson = (view, { person_id: id, name }) =>
  view.delete(`/api/persons/${id}`, name, t("team.person_why"), t("team.person_confirm"));
