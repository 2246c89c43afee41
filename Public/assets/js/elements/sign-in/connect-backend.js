// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, fact, h } from "../../helpers/dom.js";
import { copyButton } from "../../helpers/copy.js";
import { field, fieldFault } from "../../helpers/fields.js";
import { dateTime, remaining, t } from "../../helpers/i18n.js";
import { commandsOf, linesOf, originOf } from "../../models/sign-in/connecting.js";
import { loadWords } from "../../page.js";
import { openDialog } from "../common/dialog.js";
import { problemText } from "../common/problem-view.js";

/** @typedef {import("../../models/sign-in/connecting.js").Facts} Facts */

/** Opens a dialog that explains how to use another backend, and checks the typed one. */
export async function openConnecting() {
  await Promise.all([loadWords("connect"), loadWords("errors")]);
  const url = h("input", {
    class: "input",
    id: "connect-url",
    type: "url",
    inputmode: "url",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "ltr",
    placeholder: "https://staging.example",
    "aria-describedby": "connect-url-error",
  });
  const fault = h("p", { class: "field-error", id: "connect-url-error", role: "alert" });
  const check = h("button", { type: "submit", class: "button button-primary", id: "connect-check" }, t("connect.check"));
  const result = h("div", { class: "stack-tight", id: "connect-result" });
  const commands = h("div", { class: "stack-tight", id: "connect-commands" });
  const form = h(
    "form",
    { class: "stack", novalidate: true },
    h("p", { class: "muted" }, t("connect.lead")),
    field(t("connect.url"), url, fault),
    h("div", { class: "row" }, check),
  );
  showCommands(commands, null);
  const dialog = await openDialog("connect-dialog", t("login.connect"), form, result, commands);
  if (!dialog) return;
  url.focus();
  let asking = new AbortController();
  dialog.addEventListener("close", () => asking.abort());
  url.addEventListener("input", () => {
    asking.abort();
    fieldFault(url, "");
    // The result belongs to another address.
    result.replaceChildren();
    showCommands(commands, null);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const origin = originOf(url.value);
    if (!origin) return fieldFault(url, t("connect.url_bad"));
    fieldFault(url, "");
    void busy(check, async () => {
      const { signal } = asking = new AbortController();
      const facts = await call("POST", "/api/backend/inspection", { body: { url: origin }, signal });
      if (signal.aborted) return;
      showFacts(result, facts);
      showCommands(commands, facts);
      announce(t(`connect.outcome.${facts.outcome}`));
    }, (error) => {
      if (error instanceof ApiError && error.code === "aborted") return;
      const isBad = error instanceof ApiError && error.field === "url";
      fieldFault(url, isBad ? t("connect.url_bad") : problemText(error));
    });
  });
}

/** @param {Element} place @param {Facts} facts */
function showFacts(place, facts) {
  const lines = linesOf(facts).map(({ tone, key, calls = [], seconds = 0 }) =>
    h(
      "p",
      { class: "notice", "data-tone": tone },
      h("span", { class: "grow" }, t(key, { time: remaining(seconds) })),
      calls.length > 0 ? h("code", { dir: "ltr", class: "small" }, calls.join(", ")) : null,
    )
  );
  const certificate = facts.certificate;
  place.replaceChildren(...lines, certificate ? certificateList(certificate) : "");
}

/** @param {import("../../models/sign-in/connecting.js").Certificate} certificate */
function certificateList({ subject, issuer, valid_until: until, pin }) {
  /** @param {string} name @param {string | undefined} value @param {...(Node | null)} more */
  const line = (name, value, ...more) => value ? fact(t(name), h("span", { dir: "auto" }, value), ...more) : null;
  return h(
    "dl",
    { class: "facts-list" },
    line("connect.subject", subject),
    line("connect.issuer", issuer),
    line("connect.until", until && dateTime(Date.parse(until))),
    line("connect.pin", pin, pin ? copyButton(() => `--pin ${pin}`, t("connect.copy_pin")) : null),
  );
}

/** @param {Element} place @param {Facts | null} facts */
function showCommands(place, facts) {
  const commands = commandsOf(facts).map((text) =>
    h(
      "div",
      { class: "row nowrap" },
      h("code", { class: "grow", dir: "ltr" }, text),
      copyButton(() => text, t("copy.value", { name: text })),
    )
  );
  place.replaceChildren(
    h("p", { id: "connect-how" }, t("connect.command")),
    ...commands,
    facts?.certificate?.pin ? h("p", { class: "small muted" }, t("connect.pin_hint")) : "",
  );
}
