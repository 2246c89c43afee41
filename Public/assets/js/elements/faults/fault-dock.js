// @ts-check
import { openDialog } from "../common/dialog.js";
import { h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";

/** Whether the faults fit next to the log. */
const wide = matchMedia("(width >= 64rem)");

/** The dock that is open, if any. @returns {HTMLElement | null} */
export const openDock = () => document.querySelector("main > .fault-dock");

/**
 * Opens the faults: next to the log if they fit, so that hits are visible; otherwise in a drawer.
 * @param {() => HTMLElement} make creates the panel
 */
export async function dock(make) {
  const log = document.querySelector("main > network-console");
  if (log && wide.matches) return beside(log, make);
  const dialog = await openDialog("faults", t("fault.title"), make());
  dialog?.classList.add("drawer");
}

/** @param {Element} log @param {() => HTMLElement} make */
function beside(log, make) {
  const lifetime = new AbortController();
  const before = document.activeElement;
  const opener = document.getElementById("open-faults");
  const pane = h(
    "section",
    { id: "faults", class: "fault-dock", "aria-labelledby": "faults-title", tabindex: "-1" },
    h(
      "div",
      { class: "dialog-head spread" },
      h("h2", { id: "faults-title" }, t("fault.title")),
      plainButton("button button-quiet button-icon", { "aria-label": t("fault.close"), onclick: close }, icon("close")),
    ),
    make(),
  );
  function close() {
    lifetime.abort();
    const hadFocus = pane.contains(document.activeElement);
    pane.remove();
    opener?.removeAttribute("aria-expanded");
    if (!hadFocus) return;
    const next = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : opener;
    next?.focus();
  }
  pane.addEventListener("close", close);
  pane.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  });
  wide.addEventListener("change", () => {
    close();
    void dock(make);
  }, { signal: lifetime.signal });
  log.after(pane);
  opener?.setAttribute("aria-expanded", "true");
  pane.focus();
}
