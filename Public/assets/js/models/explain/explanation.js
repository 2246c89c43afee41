// @ts-check
/**
 * Why a session ended, as `GET /api/explain` returns it. Rows are named by their number in the log.
 * @typedef {{row?: number, rows?: number[], count?: number, text?: string, time?: string, date?: string, span_ms?: number,
 *   status?: number, token?: "access" | "refresh" | "identity"}} Value exactly one of them
 * @typedef {Record<string, Value>} Values
 * @typedef {{kind: string, rows: number[], say: string, at?: string, sentence: string, values: Values}} Finding
 * @typedef {{row: number, at: string, what: "issued" | "sent" | "replaced" | "refused" | "lost"}} Use
 * @typedef {{row: number, at: string, method: string, path: string, status?: number}} Evidence
 * @typedef {{kind: string, kept: boolean, rows: number[], say: string, at: string, promised?: Value, measured?: Value,
 *   fault_id?: string, sentence: string, values: Values}} ClientPromise
 * @typedef {{verdict: "signed_out" | "session_kept" | "unknown", findings: Finding[], families: {first_row: number, uses: Use[]}[],
 *   missing: string[], lacks: {sentence: string, values: Values}[], evidence: Evidence[],
 *   promises?: ClientPromise[]}} Explanation `promises` only of the device's own log
 */

/** The kinds of mistakes that end no session. */
const mistakes = new Set(["sent_after_sign_out", "token_used_after_refusal", "retry_after_ignored"]);

/** When the last session ended, or undefined. @param {Explanation} explanation */
export const endOf = ({ findings }) =>
  findings.filter(({ kind, at }) => at && !mistakes.has(kind)).map(({ at }) => at ?? "").toSorted().at(-1);

/** The largest difference between the end of a session in the log and the console's time of it, in milliseconds. */
const nearness = 60_000;

/** The finding of a session that was lost at about this time, or undefined. @param {Explanation} explanation @param {string} since */
export function findingOf({ findings }, since) {
  /** @param {Finding} finding */
  const distance = ({ at = "" }) => Math.abs(Date.parse(at) - Date.parse(since));
  return findings.filter((one) => !mistakes.has(one.kind) && one.kind !== "user_signed_out" && distance(one) <= nearness)
    .toSorted((one, other) => distance(other) - distance(one)).at(-1);
}

/** The tone of a verdict. @param {Explanation} explanation */
export function toneOf({ verdict, findings }) {
  if (verdict === "session_kept") return "ok";
  return verdict === "unknown" || findings.every(({ kind }) => kind === "user_signed_out") ? "info" : "warn";
}

/** The rows of the findings in order, each with its distance from the one before in milliseconds. @param {Explanation} explanation */
export const evidenceOf = ({ evidence }) =>
  evidence.map((row, index) => {
    const before = evidence[index - 1];
    return { ...row, since: before ? Date.parse(row.at) - Date.parse(before.at) : null };
  });

/** The uses of a family by time; a request comes before its response. @param {{uses: Use[]}} family */
export const usesOf = ({ uses }) => uses.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));

/** The tone of a use. @type {Record<Use["what"], string>} */
export const useTones = { issued: "ok", sent: "", replaced: "ok", refused: "bad", lost: "warn" };

// Characters that no text of a log has: they stand for the values of a sentence while its language puts them in order.
const [open, close] = ["\uE000", "\uE001"];

/**
 * The parameters with which a sentence gets its words; `parts` splits it again.
 * @param {Values} values
 * @returns {Record<string, string | number>}
 */
export const marks = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, { count }]) =>
      count === undefined ? [name, `${open}${Object.keys(values).indexOf(name)}${close}`] : ["n", count]
    ),
  );

/**
 * The texts of a sentence and the values between them.
 * @param {string} text made with `marks`
 * @param {Values} values
 * @returns {(string | Value)[]}
 */
export function parts(text, values) {
  const all = Object.values(values);
  return text.split(new RegExp(`${open}(\\d+)${close}`)).map((part, index) => index % 2 ? all[Number(part)] ?? {} : part)
    .filter((part) => part !== "");
}

/**
 * A length of time with one unit, as in the engine's sentences.
 * @param {number} duration milliseconds
 * @returns {{value: number, unit: "millisecond" | "second" | "minute" | "hour" | "day"}}
 */
export function inOneUnit(duration) {
  if (duration < 1000) return { value: duration, unit: "millisecond" };
  const [size, unit] = /** @type {const} */ ([[1000, "second"], [60_000, "minute"], [3_600_000, "hour"], [86_400_000, "day"]])
    .find(([, name]) => duration < limits[name]) ?? [86_400_000, "day"];
  const tenths = Math.round(duration / size * 10) / 10;
  return { value: tenths >= 10 ? Math.round(tenths) : tenths, unit };
}

/** From which length on the next unit is used, in milliseconds. */
const limits = { second: 60_000, minute: 5_400_000, hour: 172_800_000, day: Infinity };
