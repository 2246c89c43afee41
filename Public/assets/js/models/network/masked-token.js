// @ts-check
/**
 * What the console knows of a JSON Web Token that a mask stands for; times are seconds since 1970.
 * @typedef {{mask: string, alg?: string, kid?: string, iat?: number, nbf?: number, exp?: number, claims: string[]}} MaskedToken
 */

/**
 * The tokens whose masks stand in a text.
 * @param {string} text
 * @param {MaskedToken[] | undefined} tokens
 */
export const tokensIn = (text, tokens = []) =>
  text.includes("‹") ? tokens.filter(({ mask }) => text.includes(`:${mask}›`)) : [];

/** What a token is for, by the name of the value. @param {string} name @returns {"access" | "refresh" | "identity" | "other"} */
export function useOf(name) {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (plain.includes("refresh")) return "refresh";
  if (/^(id|identity)(token|jwt)$/.test(plain)) return "identity";
  return /access|^authorization$/.test(plain) ? "access" : "other";
}

/**
 * When a token was issued, how long it is valid, and what was left of that at a time; negative after its end. In milliseconds.
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

/** What else is known, as the token spells it. @param {MaskedToken} token */
export const factsOf = ({ alg, kid, claims }) =>
  [alg, kid && `kid ${kid}`, claims.join(", ")].filter(Boolean).join(" · ");
