// @ts-check
/**
 * The fields of a backend file's sign-in calls, as `GET /api/state` lists them.
 * @typedef {{call: string, fields: string[]}} SignInCall
 * @typedef {"link" | "code" | "password"} WayKind
 * @typedef {{kind: WayKind, request: string[] | null, complete: string[]}} Way `request` sends a message; without it, a way has one step
 */

/** The calls of each way to sign in: the one that sends a message, and the one that signs in. @type {Record<WayKind, [string, string]>} */
const calls = {
  link: ["request_magic_link", "login_with_magic_token"],
  code: ["request_login_code", "login_with_code"],
  password: ["", "login_with_password"],
};

/** The field that a code of a failed call concerns, if the response does not name it. @type {Record<string, string>} */
const faulty = {
  invalid_identifier: "identifier",
  password_invalid: "password",
  login_code_invalid: "code",
  login_link_invalid: "link",
  link_malformed: "link",
  link_untrusted: "link",
};

/** The ways to sign in, in the order of the file. @param {SignInCall[]} signIn @returns {Way[]} */
export function waysOf(signIn) {
  /** @param {string} name */
  const fieldsOf = (name) => signIn.find(({ call }) => call === name)?.fields ?? null;
  /** @param {WayKind} kind */
  const place = (kind) => signIn.findIndex(({ call }) => calls[kind].includes(call));
  return /** @type {WayKind[]} */ (Object.keys(calls))
    .flatMap((kind) => {
      const [request, complete] = calls[kind].map(fieldsOf);
      return complete ? [{ kind, request: request ?? null, complete }] : [];
    })
    .toSorted((one, other) => place(one.kind) - place(other.kind));
}

/**
 * The fields that a step asks for, in order; the second step does not ask for known values again.
 * @param {Way} way
 * @param {boolean} isSent whether the message was sent
 * @param {string[]} known the fields that have a value
 */
export const fieldsOfStep = ({ request, complete }, isSent, known) =>
  request && !isSent ? request : complete.filter((name) => !request || !known.includes(name));

/**
 * The member of a call's body for each field. If the request of the message asks for an identifier, the second step sends it too,
 * because the request's captured values belong to it.
 * @param {Way} way
 * @param {boolean} isSent
 * @param {Record<string, string>} values
 */
export function bodyOf({ kind, request, complete }, isSent, values) {
  const isRequest = request !== null && !isSent;
  const asked = isRequest ? request : complete;
  const isNamed = kind !== "link" && request?.includes("identifier") === true;
  const names = isNamed && !isRequest ? [...new Set(["identifier", ...asked])] : asked;
  return Object.fromEntries(names.map((name) => [name === "link" ? "url" : name, values[name] ?? ""]));
}

/** The path of the call that a step makes. @param {Way} way @param {boolean} isSent */
export function pathOf({ kind, request }, isSent) {
  if (kind === "password") return "/api/login/password";
  const path = kind === "link" ? "/api/login/magic-link" : "/api/login/code";
  if (request && !isSent) return path;
  return `${path}/${kind === "link" ? "complete" : "verify"}`;
}

/**
 * The shown field that a failed call concerns: the one in the response, else the one of its code.
 * @param {{code: string, field?: string}} problem
 * @param {string[]} shown
 */
export function faultyField({ code, field }, shown) {
  const named = field === "url" || field === "token" ? "link" : field;
  return [named, faulty[code]].find((name) => name !== undefined && shown.includes(name)) ?? shown.at(-1) ?? null;
}
