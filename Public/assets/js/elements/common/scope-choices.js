// @ts-check
import { choices } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { exportKeys } from "../../models/exports/exports.js";

/**
 * The choice of rows: the selected ones, those that the filter shows, or all of them.
 * @param {string} name of the choice @param {import("../../models/exports/exports.js").ExportWish} wish takes what is chosen
 * @param {() => void} changed
 */
export const scopeChoices = (name, wish, changed) =>
  choices(
    t("export.rows"),
    name,
    wish.scopes.map(({ scope, n }) => ({
      value: scope,
      label: t(exportKeys[scope], { n }),
      isChosen: wish.scope === scope,
      choose: () => {
        wish.scope = scope;
        changed();
      },
    })),
  );
