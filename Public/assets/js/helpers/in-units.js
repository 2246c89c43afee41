// @ts-check
import { currentWords } from "./i18n.js";

/**
 * A length of time in its two largest units: `16 min`, `1 day 2 hr`. Signs are placed as the language does.
 * @param {number} seconds
 * @param {"auto" | "always"} [sign] whether a plus sign is shown
 */
export function inUnits(seconds, sign = "auto") {
  let rest = Math.max(0, Math.floor(seconds));
  /** @type {string[]} */
  const parts = [];
  for (const [unit, size] of /** @type {const} */ ([["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]])) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (!count || parts.length > 1) continue;
    const signDisplay = parts.length ? "auto" : sign;
    const [short, narrow] = /** @type {const} */ (["short", "narrow"]).map((unitDisplay) =>
      new Intl.NumberFormat(currentWords().locale, { style: "unit", unit, unitDisplay, signDisplay }).format(count)
    );
    // Arabic and Hebrew have words for one day and for two, which have no place for a sign.
    parts.push((signDisplay === "always" && !short?.includes("+") ? narrow : short) ?? "");
  }
  return parts.join(" ");
}
