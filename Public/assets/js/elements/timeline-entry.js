// @ts-check
import { h } from "../helpers/dom.js";
import { dateTime, milliseconds, preciseTime, remaining, t } from "../helpers/i18n.js";
import { reasonText } from "../helpers/problem-view.js";
import { rowAddress, stateName } from "./timeline-graph.js";

/** @typedef {import("../models/timeline.js").Entry} Entry */

/** An entry as a row of the table, with what led to it. @param {{entry: Entry, since: number | null}} one `since` is the time since the entry before */
export function entryRow({ entry, since }) {
  const what = headline(entry);
  const time = preciseTime(entry.at);
  return h(
    "tr",
    { role: "row", "data-seq": entry.seq, "data-row": entry.row_id, "data-kind": entry.kind, tabindex: "-1" },
    h(
      "td",
      { role: "cell", class: "entry-time nums" },
      h("time", { datetime: entry.at, title: dateTime(entry.at) }, time),
      since === null ? null : h("span", { class: "faint entry-since" }, t("timeline.since", { time: span(since) })),
    ),
    h(
      "td",
      { role: "cell", class: "entry-kind" },
      h("span", { class: "badge", "data-tone": tone(entry) }, t(`timeline.kind.${entry.kind}`)),
    ),
    h(
      "td",
      { role: "cell", class: "entry-what" },
      h("span", { class: "entry-name" }, what),
      ...details(entry).map((text) => h("span", { class: "small muted entry-detail" }, text)),
    ),
    h(
      "td",
      { role: "cell", class: "entry-request" },
      entry.row_id
        ? h(
          "a",
          { href: rowAddress(entry.row_id), "aria-label": t("timeline.open_of", { what, time }) },
          t("timeline.open"),
        )
        : h("span", { class: "faint" }, "–"),
    ),
  );
}

/** What an entry says in a few words. @param {Entry} entry */
export function headline({ kind, from, to, name }) {
  if (kind === "session") return t("timeline.change", { from: stateName(from), to: stateName(to) });
  if (kind === "fault") return t("timeline.fault", { name: name ?? "–" });
  return t(`timeline.event.${name}`);
}

/** What else is known of an entry. @param {Entry} entry @returns {(string | Node)[]} */
function details({ kind, from, to, name, reason }) {
  if (kind !== "analytics") {
    if (!reason) return [];
    return [
      reason === "user"
        ? t("timeline.reason.user")
        : kind === "fault"
        ? h("code", { class: "ltr" }, reason)
        : reasonText(reason),
    ];
  }
  /** @type {(string | Node)[]} */
  const found = [h("code", { class: "ltr" }, name ?? "")];
  if (name?.startsWith("auth.login")) found.push(t(`timeline.method.${to}`));
  else if (from || to) found.push(t("timeline.change", { from: value(from), to: value(to) }));
  if (reason === "user") found.push(t("timeline.reason.user"));
  else if (reason) found.push(name === "auth.login_failed" ? t(`timeline.category.${reason}`) : reasonText(reason));
  return found;
}

/** A setting's value: a switch, or a language as it is. @param {string | undefined} text */
const value = (text) => text === "on" ? t("timeline.on") : text === "off" ? t("timeline.off") : text ?? "–";

/** @param {Entry} entry */
const tone = ({ kind, to, name }) => {
  if (kind === "fault") return "violet";
  if (kind === "analytics") return name === "auth.login_failed" ? "warn" : "";
  return to === "authenticated" ? "ok" : to === "refreshing" ? "info" : to === "error" ? "warn" : "";
};

/** A span of time, short. @param {number} duration milliseconds */
const span = (duration) => (duration < 60_000 ? milliseconds(duration) : remaining(duration / 1000));
