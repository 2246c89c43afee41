// @ts-check
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { loadWords } from "../../page.js";

/** A link from a request to its place in the timeline. @param {string} id */
export function timelineLink(id) {
  const address = new URLSearchParams({ ...(recording === null ? {} : { recording }), row: id });
  const link = h("a", { href: `/timeline?${address}`, class: "timeline-link small" });
  loadWords("timeline-link").then(() => link.textContent = t("detail.in_timeline"), () => link.remove());
  return link;
}
