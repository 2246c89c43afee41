// @ts-check
import { currentWords, t } from "../../helpers/i18n.js";

/**
 * The name of a rule: in the page's language for a preset whose words are loaded, else as the user named it.
 * @param {{name: string, preset?: string}} fault
 */
export function faultName({ name, preset }) {
  const key = `fault.preset.${preset}`;
  return preset && currentWords().has(key) ? t(key) : name;
}
