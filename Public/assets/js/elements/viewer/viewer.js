// @ts-check
// The viewer of an export: the network log and the timeline of the pages, over the session that the page carries.
import { saved } from "./saved-session.js";
import { once } from "../../api.js";
import { showExplanation } from "../common/explanation-panel.js";
import { speak } from "../shell/commands.js";
import { h, isTyping, need } from "../../helpers/dom.js";
import { dateTime, translate } from "../../helpers/i18n.js";
import { loadWords, pageLanguages, ready } from "../../page.js";
import { NetworkConsole } from "../network/network-console.js";
// The modules that the log loads on demand, and that the viewer includes.
import "../exports/compare-first.js";
import "../common/token-families.js";
import "../network/column-editor.js";
import "../network/grid-filter.js";
import "../network/network-detail.js";
import "../network/network-tools.js";
import "../network/reveal-row.js";
import "../common/row-compare.js";
import "../network/row-menu.js";
import "../../helpers/pseudo.js";
import { TimelineAxis } from "../timeline/timeline-axis.js";

const names = ["network", "timeline"];
const timeline = once(() => import("../timeline/timeline-view.js"));

/** @param {string} name */
const tab = (name) => need(document, `#show-${name}`, HTMLElement);
/** @param {string} name */
const panel = (name) => need(document, `#view-${name}`, HTMLElement);
const log = need(document, "network-console", NetworkConsole);

/** Shows one of the views and hides the other. @param {string} chosen */
async function show(chosen) {
  for (const name of names) {
    tab(name).setAttribute("aria-selected", String(name === chosen));
    tab(name).tabIndex = name === chosen ? 0 : -1;
    panel(name).hidden = name !== chosen;
  }
  log.hidden = chosen !== "network";
  if (chosen !== "timeline") return;
  await loadWords("timeline");
  translate(panel("timeline"));
  await timeline();
}

/** Shows a row in one of the views. @param {string} name @param {string} id */
async function reveal(name, id) {
  await show(name);
  if (name === "network") log.openWanted(id);
  else need(document, "timeline-axis", TimelineAxis).reveal(id);
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
  if (!link) return;
  event.preventDefault();
  const { pathname, searchParams } = new URL(link.getAttribute("href") ?? "", "https://viewer.invalid");
  void reveal(pathname.slice(1), searchParams.get("row") ?? "");
});
document.addEventListener("show-row", (event) => {
  event.preventDefault();
  void reveal("network", /** @type {CustomEvent} */ (event).detail);
});
// Before the log sees the key, which then puts the focus into its filter.
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !isTyping(event)) void show("network");
}, { capture: true });
for (const name of names) tab(name).addEventListener("click", () => void show(name));
need(document, "#views", HTMLElement).addEventListener("keydown", (event) => {
  const at = names.findIndex((name) => tab(name) === event.target);
  const other = names[{ ArrowLeft: 1 - at, ArrowRight: 1 - at, Home: 0, End: 1 }[event.key] ?? -1];
  if (!other) return;
  event.preventDefault();
  void show(other);
  tab(other).focus();
});

await ready;
if (saved.explanation) void showExplanation(log);
const { backend, understudy, created_at: created, rows: left } = saved.about;
const facts = [backend, `Understudy ${understudy}`, dateTime(created), ...(left ? [`rows.json: +${left}`] : [])];
need(document, "#facts", HTMLElement).append(...facts.flatMap((fact, at) => [at ? " · " : "", h("bdi", {}, fact)]));
const { lang } = document.documentElement;
const languages = need(document, "#language", HTMLSelectElement);
languages.append(...pageLanguages.map(({ code, name }) => h("option", { value: code, lang: code }, name)));
languages.value = lang;
languages.addEventListener("change", () => speak(languages.value));
