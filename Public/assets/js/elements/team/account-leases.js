// @ts-check
import { call } from "../../api.js";
import { busy, h, need, plainButton } from "../../helpers/dom.js";
import { fieldFault } from "../../helpers/fields.js";
import { currentWords, dateTime, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { leaseMinutes, spokenTime } from "../../models/team/team.js";

/**
 * @typedef {import("./team-view.js").TeamView} TeamView
 * @typedef {import("../../models/team/team.js").Lease} Lease
 */

/** Lets the form take an account. @param {TeamView} view @param {AbortSignal} signal */
export function listenToLeases(view, signal) {
  const { locale } = currentWords();
  need(view, "#lease-minutes", HTMLSelectElement).replaceChildren(
    ...leaseMinutes.map((minutes) => h("option", { value: minutes, selected: minutes === 60 }, spokenTime(minutes, locale))),
  );
  const input = need(view, "#lease-identifier", HTMLInputElement);
  input.addEventListener("input", () => fieldFault(input, ""), { signal });
  need(view, "#take-account", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(need(view, "#take", HTMLElement), () => take(view, input));
  }, { signal });
}

/** @param {TeamView} view @param {HTMLInputElement} input */
async function take(view, input) {
  const minutes = Number(need(view, "#lease-minutes", HTMLSelectElement).value);
  try {
    const { identifier, until } = await call("POST", "/api/account-leases", { body: { identifier: input.value.trim(), minutes } });
    input.value = "";
    view.say("ok", t("team.took", { name: identifier, time: dateTime(until) }));
    await view.load();
  } catch (error) {
    fieldFault(input, problemText(error));
  }
}

/** Lists the accounts that are taken. @param {TeamView} view @param {Lease[]} leases @param {{role: string}} me */
export function showLeases(view, leases, me) {
  const list = need(view, "#lease-list", HTMLElement);
  list.replaceChildren(...leases.map((lease) => line(view, lease, lease.is_mine || me.role === "owner")));
  if (leases.length === 0) list.append(h("li", { class: "muted" }, t("team.no_accounts")));
}

/** @param {TeamView} view @param {Lease} lease @param {boolean} isOffered whether it can be released */
function line(view, { lease_id: id, identifier, person, until, is_mine: isMine }, isOffered) {
  const time = dateTime(until);
  const button = plainButton("button button-small", {
    "aria-label": t("team.give_back_named", { name: identifier }),
    work: () =>
      view.doing(async () => {
        await call("DELETE", `/api/account-leases/${id}`);
        return t("team.gave_back", { name: identifier });
      }),
  }, t("team.give_back"));
  return h(
    "li",
    { "data-lease": identifier },
    h("span", { class: "grow" }, h("bdi", { dir: "ltr" }, identifier)),
    h(
      "span",
      { class: "small muted", dir: "auto" },
      isMine ? t("team.yours_until", { time }) : t("team.taken_until", { name: person, time }),
    ),
    isOffered ? button : null,
  );
}
