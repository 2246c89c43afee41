// @ts-check
// A banner above a page that shows a recording. It also explains why the recorded session ended.
import { call } from "../../api.js";
import { h, loadStyle, plainButton } from "../../helpers/dom.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { showExplanation } from "./explanation-panel.js";
import { showFailure, showToast } from "./notice.js";
import { comparePage, live } from "../../models/recordings/comparison.js";
import { loadWords, session } from "../../page.js";

/** @typedef {import("../../models/recordings/recordings.js").Recording} Recording */

/** Describes the recording, with a link to the live page. @param {HTMLElement} view @param {string} [text] of the link */
export async function showBanner(view, text = "") {
  await Promise.all([loadWords("recordings"), loadStyle("recordings")]);
  const about = h("span", { class: "grow", dir: "auto" }, t("recordings.showing"));
  const all = h("a", { class: "button button-small", href: "/recordings" }, t("recordings.all"));
  view.prepend(h(
    "p",
    { class: "notice recording-banner", "data-tone": "info", id: "recording-banner", role: "status" },
    about,
    all,
    // The timeline has a banner too, but only calls are compared.
    location.pathname === "/network" && recording !== null
      ? h("a", {
        class: "button button-small",
        id: "compare-live",
        "data-action": "compare_live",
        href: comparePage(recording, live),
      }, t("recordings.compare_live"))
      : null,
    h("a", { class: "button button-small", id: "to-live", href: location.pathname }, text || t("recordings.live")),
  ));
  // Without it, the rows are there.
  if (location.pathname === "/network") void showExplanation(view).catch(() => {});
  const { recordings } = await call("GET", "/api/recordings");
  const one = recordings.find((/** @type {Recording} */ known) => known.id === recording);
  if (one) about.textContent = sentence(one);
  if (location.pathname === "/network") await offerRules(all);
}

/** Offers the rules of the recording, if it has any, in front of another control. @param {HTMLElement} next */
async function offerRules(next) {
  const path = `/api/recordings/${recording}/faults`;
  const { faults } = await call("GET", path).catch(() => ({ faults: [] }));
  if (faults.length === 0) return;
  const work = async () => {
    await call("POST", path);
    await session.load();
    showToast(t("recordings.rules_armed", { n: faults.length }));
  };
  const text = t("recordings.arm_rules", { n: faults.length });
  next.before(plainButton("button button-small", { id: "arm-recorded", work, failed: showFailure }, text));
}

/** @param {Recording} recording */
function sentence({ title, created_at: at, device_name: device, note }) {
  const said = device
    ? t("recordings.of_device", { title, time: dateTime(at), device })
    : t("recordings.of", { title, time: dateTime(at) });
  return note ? `${said} ${note}` : said;
}
