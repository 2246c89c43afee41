// @ts-check

/**
 * @typedef {object} Certificate
 * @property {string} subject
 * @property {string} issuer
 * @property {string} [valid_until]
 * @property {string} [pin]
 * @property {string} [problem] why it is not trusted
 */

/**
 * The console's facts about a backend.
 * @typedef {object} Facts
 * @property {string} url
 * @property {string} outcome
 * @property {Certificate} [certificate]
 * @property {number} [clock_ahead_seconds]
 * @property {string[]} missing the contract's calls that it lacks
 */

/**
 * A line of the result: its words' key, and their values.
 * @typedef {{tone: "ok" | "warn" | "bad", key: string, calls?: string[], seconds?: number}} Line
 */

/** The longest difference of the clocks, in seconds, that tokens and signatures usually bear. */
const tolerance = 60;

/** The https origin that a person typed, with or without a scheme; null for anything else. @param {string} text */
export function originOf(text) {
  const trimmed = text.trim();
  const absolute = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(absolute) ? new URL(absolute) : null;
  const isOrigin = url?.protocol === "https:" && url.pathname === "/" && !url.search && !url.hash && !url.username &&
    !url.password && !trimmed.endsWith("?") && !trimmed.endsWith("#");
  return isOrigin ? url.origin : null;
}

/** The lines of a result. @param {Facts} facts @returns {Line[]} */
export function linesOf({ outcome, certificate, clock_ahead_seconds: ahead = 0, missing }) {
  const answers = outcome === "answers";
  /** @type {Line[]} */
  const lines = [{ tone: answers ? "ok" : "bad", key: `connect.outcome.${outcome}` }];
  if (certificate?.problem) lines.push({ tone: "bad", key: `connect.certificate.${certificate.problem}` });
  if (Math.abs(ahead) > tolerance) lines.push({ tone: "warn", key: "connect.clock", seconds: Math.abs(ahead) });
  if (answers) {
    lines.push(
      missing.length > 0 ? { tone: "warn", key: "connect.missing", calls: missing } : { tone: "ok", key: "connect.complete" },
    );
  }
  return lines;
}

/** The commands to use a backend; without facts, an example. @param {Facts | null} facts */
export function commandsOf(facts) {
  const lacksCalls = facts !== null && facts.missing.length > 0;
  const start = ["understudy serve --backend", facts?.url ?? "https://staging.example"];
  if (facts?.certificate?.problem === "unknown_authority") start.push("--ca authority.pem");
  if (lacksCalls) start.push("--backend-file backend.yaml");
  return [...(lacksCalls ? ["understudy backend-file new > backend.yaml"] : []), start.join(" ")];
}
