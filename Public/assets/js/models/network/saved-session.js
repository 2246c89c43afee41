// @ts-check
/**
 * A session that an exported page carries: rows as `GET /api/network/{id}` returns them, oldest first, the timeline, the fault
 * rules, the explanation of its end, the versions, and the words of the pages by language and section.
 * @typedef {{rows: {id: string, seq: number, started_at: string}[], happenings: unknown[], rules: unknown[], explanation: unknown,
 *   about: {understudy: string, backend: string, embedded: boolean, created_at: string, rows: number, dropped: number},
 *   words: Record<string, Record<string, import("../../helpers/i18n.js").Catalogue>>}} SavedSession `about.rows` are left out
 */

/**
 * The response of a console that has the session as a recording; undefined for an unknown path.
 * @param {SavedSession} session
 * @param {string} path
 * @returns {unknown}
 */
export function answerOf({ rows, happenings, rules, explanation, about, words }, path) {
  const { pathname, searchParams } = new URL(path, "https://viewer.invalid");
  const [root = "", kind = "", name = "", what = "", id = ""] = pathname.slice(1).split("/").map(decodeURIComponent);
  if (root === "assets") return words[name]?.[what.replace(".json", "")];
  if (kind === "state") {
    const session = { state: "signed_out", since: about.created_at };
    return { session, device_id: "", name: "", version: about.understudy, backend: { url: about.backend, embedded: about.embedded } };
  }
  if (what === "timeline") return { entries: happenings };
  if (what === "explain") return explanation;
  if (what === "faults") return { faults: rules };
  if (what !== "network") return undefined;
  if (id === "export") return rows;
  if (id) return rows.find((row) => row.id === id);
  const after = Number(searchParams.get("after") ?? 0);
  const events = rows.filter(({ seq }) => seq > after);
  return { events, next: events.at(-1)?.seq ?? after, capacity: Math.max(rows.length, 1), dropped: about.dropped };
}

/** When the session ended, as text: its last row began, or it was exported. @param {SavedSession} session */
export const endOf = ({ rows, about }) => rows.at(-1)?.started_at ?? about.created_at;
