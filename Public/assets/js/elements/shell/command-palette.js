// @ts-check
import { announce, h, need } from "../../helpers/dom.js";
import { openDialog } from "../common/dialog.js";
import { t } from "../../helpers/i18n.js";
import { otherDevices, showDevice } from "../../api.js";
import { armPreset, isOffered, speak } from "./commands.js";
import { bindings, keyCaps } from "../../models/shell/bindings.js";
import { matching } from "../../models/shell/palette.js";
import { addresses } from "../../models/shell/pages.js";
import { loadWords, pageLanguages, session } from "../../page.js";
import { lackedBy } from "../../models/faults/fault-groups.js";
import { presetIds } from "../faults/fault-words.js";
import { actionsElsewhere, actionsHere } from "./page-actions.js";

/** @typedef {import("../../models/shell/palette.js").Entry & {act: () => void}} Offer */

const actions = [
  "faults",
  "present",
  "theme",
  "shortcuts",
  "help",
  "devices",
  "copy_link",
  "refresh",
  "relaunch",
  "single_keys",
];

/** @param {import("./page-actions.js").PageAction} action @returns {Offer} */
const offerOf = (action) => ({ ...action, group: "action" });

/** The offers of the other available pages. @param {Offer[]} known @returns {Promise<Offer[]>} */
async function otherOffers(known) {
  const others = Object.keys(addresses).filter(isOffered).map((name) => addresses[name] ?? "");
  const found = await actionsElsewhere(others.filter((address) => address !== location.pathname));
  return found.filter((one) => known.every((other) => other.id !== one.id)).map(offerOf);
}

/** Everything that can be done from here. @param {(command: string) => Promise<void>} run @returns {Offer[]} */
function offers(run) {
  /** @param {string} command @param {"page" | "action"} group @returns {Offer} */
  const offer = (command, group) => ({
    id: command,
    group,
    words: t(`command.${command}`),
    keys: bindings.find((one) => one.command === command)?.keys,
    act: () => void run(command),
  });
  return [
    ...Object.keys(addresses).filter(isOffered).map((name) => offer(name, "page")),
    ...actionsHere().map(offerOf),
    ...actions.filter(isOffered).map((name) => offer(name, "action")),
    ...presetIds().filter((id) => !lackedBy(id, session.state?.config?.hidden ?? [])).map((id) => {
      const name = t(`fault.preset.${id}`);
      return /** @type {Offer} */ ({
        id: `fault-${id}`,
        group: "fault",
        words: t("command.arm", { name }),
        act: () => void armPreset(id, name),
      });
    }),
    ...otherDevices().map((device) => /** @type {Offer} */ ({
      id: `device-${device.device_id}`,
      group: "device",
      words: t("command.use_device", { name: device.name }),
      act: () => {
        showDevice(device);
        location.reload();
      },
    })),
    ...pageLanguages.filter((one) => one.code !== document.documentElement.lang).map((
      language,
    ) => /** @type {Offer} */ ({
      id: `language-${language.code}`,
      group: "language",
      words: t("command.use_language", { name: language.name }),
      act: () => speak(language.code),
    })),
  ];
}

/**
 * Opens the palette, a combobox over a list that the arrow keys walk through, or closes it if it is open.
 * @param {(command: string) => Promise<void>} run
 * @param {() => string} [typed] what was typed before the palette was there, with a line break for Enter
 */
export async function openPalette(run, typed) {
  await loadWords("faults");
  let all = offers(run);
  const others = otherOffers(all);
  /** @type {Offer[]} */
  let shown = [];
  let active = 0;
  const input = h("input", {
    class: "input",
    id: "palette-input",
    type: "text",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    autofocus: true,
    "aria-label": t("palette.find"),
    placeholder: t("palette.find"),
    "aria-controls": "palette-list",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
  });
  const list = h("ul", {
    id: "palette-list",
    role: "listbox",
    class: "palette-list",
    "aria-label": t("palette.title"),
  });
  const none = h("p", { class: "muted palette-none", hidden: true });
  const dialog = await openDialog("palette", t("palette.title"), input, list, none);
  if (!dialog) return;

  /** @param {number} index */
  const point = (index) => {
    active = Math.max(0, Math.min(shown.length - 1, index));
    for (const [at, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(at === active));
    }
    const option = list.children[active];
    option?.scrollIntoView({ block: "nearest" });
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  };
  const show = () => {
    shown = /** @type {Offer[]} */ (matching(all, input.value));
    list.replaceChildren(...shown.map((offer) => optionOf(offer, () => choose(offer))));
    list.hidden = shown.length === 0;
    none.hidden = shown.length > 0;
    none.textContent = shown.length ? "" : t("palette.none", { filter: input.value });
    point(0);
  };
  /** @param {Offer | undefined} offer */
  const choose = (offer) => {
    if (!offer) return;
    dialog.close();
    offer.act();
  };
  input.addEventListener("input", () => {
    show();
    announce(shown.length ? t("palette.results", { n: shown.length }) : none.textContent ?? "");
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (event.isComposing || (!step && event.key !== "Enter")) return;
    event.preventDefault();
    if (step) point(active + step);
    else choose(shown[active]);
  });
  const [text = "", ...entered] = typed?.().split("\n") ?? [];
  input.value = text;
  if (entered.length) all = [...all, ...await others];
  show();
  if (entered.length && shown.length) return choose(shown[0]);
  need(dialog, "#palette-input", HTMLInputElement).focus();
  // Until this function ends, the keys are buffered for it.
  void others.then((more) => {
    const pointed = shown[active];
    all = [...all, ...more];
    show();
    // The pointed-at entry stays pointed at.
    point(pointed ? shown.indexOf(pointed) : 0);
  });
}

/** @param {Offer} offer @param {() => void} choose */
function optionOf(offer, choose) {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return h(
    "li",
    { role: "option", id: `palette-${offer.id}`, "aria-selected": "false", onclick: choose },
    h("span", { class: "grow" }, offer.words),
    h("span", { class: "badge" }, t(`palette.group.${offer.group}`)),
    offer.keys
      ? h("span", { class: "keys", dir: "ltr" }, ...keyCaps(offer.keys, isMac).flat().map((cap) => h("kbd", {}, cap)))
      : null,
  );
}
