// @ts-check
import { choices, isIdText } from "./filter-fields.js";

/** The fields whose texts the console searches. */
const searched = ["", "path", "host", "error", "endpoint"];

/**
 * The part of a filter that the console applies to saved rows, as parameters of a request; every row that matches the filter is among
 * those that it selects. Empty if there is no such part.
 * @param {import("./filter-syntax.js").Expression} expression
 */
export function savedQuery(expression) {
  const found = new URLSearchParams();
  const terms = expression.type === "and" ? expression.items.filter((item) => item.type === "term") : [];
  for (const { field, value } of terms) {
    const [only, another] = choices(value);
    if (only === undefined || another !== undefined) continue;
    if (field === "method") found.set("method", only);
    else if (field === "status" && /^([1-5]xx|[1-5]\d\d|err(or)?)$/i.test(only)) found.set("status", only.slice(0, 3).toLowerCase());
    else if (field === "drift" || field === "source") found.set(field, only.toLowerCase());
    // The longest text selects most; a star stands for any text, and the console does not search ids.
    else if (field === "" && isIdText(only)) continue;
    else if (searched.includes(field) && !only.includes("*") && only.length > (found.get("q") ?? "").length) found.set("q", only);
  }
  return found.toString();
}
