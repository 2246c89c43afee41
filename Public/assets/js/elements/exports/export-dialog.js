// @ts-check
import { download } from "../../api.js";
import { announce, busy, h, isPressable, plainButton, setDisabled } from "../../helpers/dom.js";
import { choices } from "../../helpers/fields.js";
import { openDialog } from "../common/dialog.js";
import { byteSize, t } from "../../helpers/i18n.js";
import { logPath } from "../../helpers/log-source.js";
import { problemText } from "../common/problem-view.js";
import { scopeChoices } from "../common/scope-choices.js";
import { saveFile } from "../../helpers/save-file.js";
import { exportFacts, exportKeys, ExportWish, fileName, formats } from "../../models/exports/exports.js";
import { loadWords } from "../../page.js";

const names = { zip: "Zip", har: "HAR 1.2", json: "JSON" };

/**
 * Opens the export of the rows in `ids` (selected by hand), of those in `shown` (matching the filter; null for all), or of all
 * `total` of them.
 * @param {{ids?: Iterable<string> | null, shown?: Iterable<string> | null, total?: number}} rows
 */
export async function openExport(rows) {
  await loadWords("exports");
  const wish = new ExportWish(rows, logPath());
  const save = plainButton("button button-primary", { id: "save-export" }, t("export.save"));
  const outcome = h("p", { id: "export-outcome", role: "status" });
  const changed = () => {
    outcome.textContent = wish.count ? "" : t("export.empty");
    setDisabled(save, wish.count === 0);
  };
  const dialog = await openDialog(
    "export-dialog",
    t("export.title"),
    scopeChoices("export-scope", wish, changed),
    choices(
      t("export.format"),
      "export-format",
      formats.map((format) => ({
        value: format,
        label: names[format],
        hint: t(exportKeys[format]),
        isChosen: wish.format === format,
        choose: () => {
          wish.format = format;
          changed();
        },
      })),
    ),
    h("p", { class: "small muted" }, t("export.safety")),
    outcome,
    h("div", { class: "row" }, save),
  );
  if (!dialog) return;
  changed();
  save.focus();
  save.addEventListener("click", () => {
    if (!isPressable(save)) return;
    outcome.removeAttribute("data-tone");
    outcome.className = "muted";
    outcome.textContent = t("export.working");
    void busy(save, () => saveExport(wish, outcome));
  });
}

/** Fetches the file and passes it to the browser. @param {ExportWish} wish @param {HTMLElement} outcome */
async function saveExport(wish, outcome) {
  const { method, path, body } = wish.request;
  try {
    const response = await download(method, path, body);
    const blob = await response.blob();
    const name = fileName(response.headers.get("Content-Disposition"), wish.format);
    saveFile(blob, name);
    const facts = exportFacts(response.headers);
    outcome.className = "notice";
    outcome.dataset.tone = "ok";
    outcome.textContent = [
      t("export.done", { n: facts.rows, name, size: byteSize(blob.size) }),
      t("export.masked", { n: facts.masks }),
      t("export.searched", { n: facts.secrets }),
    ].join(" ");
  } catch (error) {
    outcome.className = "notice";
    outcome.dataset.tone = "bad";
    outcome.textContent = problemText(error);
  }
  announce(outcome.textContent ?? "");
}
