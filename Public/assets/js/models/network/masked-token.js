// @ts-check
/**
 * The console's facts about the JSON Web Token behind a mask; times are seconds since 1970.
 * @typedef {{mask: string, alg?: string, kid?: string, iat?: number, nbf?: number, exp?: number, claims: string[]}} MaskedToken
 */

/**
 * The tokens whose masks are in a text.
 * @param {string} text
 * @param {MaskedToken[] | undefined} tokens
 */
export const tokensIn = (text, tokens = []) =>
  text.includes("‹") ? tokens.filter(({ mask }) => text.includes(`:${mask}›`)) : [];

/** A token's purpose, by the name of the value. @param {string} name @returns {"access" | "refresh" | "identity" | "other"} */
export function useOf(name) {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (plain.includes("refresh")) return "refresh";
  if (/^(id|identity)(token|jwt)$/.test(plain)) return "identity";
  return /access|^authorization$/.test(plain) ? "access" : "other";
}

/**
 * When a token was issued, how long it is valid, and its remaining time at an instant; negative after its end. In milliseconds.
 * @param {MaskedToken} token
 * @param {string} when RFC 3339
 * @returns {{issued?: number, valid?: number, left?: number}}
 */
export function lifeOf({ iat, nbf, exp }, when) {
  const start = iat ?? nbf;
  const end = exp === undefined ? undefined : exp * 1000;
  const issued = start === undefined ? undefined : start * 1000;
  return {
    ...(issued === undefined ? {} : { issued }),
    ...(end === undefined || issued === undefined || end < issued ? {} : { valid: end - issued }),
    ...(end === undefined ? {} : { left: end - Date.parse(when) }),
  };
}

/** Further facts, as the token spells them. @param {MaskedToken} token */
export const factsOf = ({ alg, kid, claims }) =>
  [alg, kid && `kid ${kid}`, claims.join(", ")].filter(Boolean).join(" · ");
