// @ts-check
import { h, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { fromCurl } from "../../models/exports/curl.js";

/** @typedef {import("../../models/exports/composer.js").Draft} Draft */

/**
 * Reads a pasted curl command and fills a draft with it; reports the options that the draft leaves out.
 * @param {string} backend the origin that requests go to
 * @param {(draft: Draft) => void} fill
 */
export function curlImport(backend, fill) {
  const text = h("textarea", {
    class: "input mono", id: "compose-curl", rows: 4, dir: "ltr", spellcheck: "false", autocomplete: "off",
    "aria-describedby": "compose-curl-note", "data-secret": "", placeholder: "curl https://… -H '…' --json '…'",
  });
  const note = h("div", { class: "small", id: "compose-curl-note", role: "status" });
  const take = () => {
    const read = fromCurl(text.value);
    text.setAttribute("aria-invalid", String(!read));
    if (!read) return note.replaceChildren(h("p", { class: "field-error" }, t("compose.curl_wrong")));
    fill(read.draft);
    note.replaceChildren(
      h("p", {}, t("compose.curl_taken")),
      read.missing.length ? h("p", {}, t("compose.curl_missing", { options: read.missing.join(", ") })) : "",
      read.isFirst ? h("p", {}, t("compose.curl_first")) : "",
      read.origin === backend ? "" : h("p", {}, t("compose.curl_host", { host: read.origin, backend })),
      read.draft.auth ? h("p", {}, t("compose.curl_auth")) : "",
      read.left.length ? h("p", {}, t("compose.curl_left"), " ", h("bdi", { class: "mono", dir: "ltr" }, read.left.join(", "))) : "",
    );
  };
  // Pasted text is in the field after the event.
  text.addEventListener("paste", () => setTimeout(take));
  return h(
    "details",
    { class: "composer-more", id: "compose-import" },
    h("summary", {}, t("compose.curl")),
    h("label", { class: "small muted", for: "compose-curl" }, t("compose.curl_hint")),
    text,
    h("div", {}, plainButton("button button-small", { id: "take-curl", onclick: take }, t("compose.curl_take"))),
    note,
  );
}
