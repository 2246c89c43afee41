// @ts-check
/** @typedef {{token: string, state: string | null}} DeepLink */

/**
 * The token and state of a fragment or a query; the fragment comes first, as it is the one that is not sent.
 * @param {string} hash with or without `#`
 * @param {string} query with or without `?`
 * @returns {DeepLink | null}
 */
export function readDeepLink(hash, query) {
  for (const part of [hash.replace(/^#/, ""), query.replace(/^\?/, "")]) {
    const fields = new URLSearchParams(part);
    const token = fields.get("token");
    if (token && /^[\x21-\x7e]{8,512}$/.test(token)) return { token, state: fields.get("state") || null };
  }
  return null;
}

/** The token and state of a whole link, or null when it is none. @param {string} address @returns {DeepLink | null} */
export function parseDeepLink(address) {
  try {
    const url = new URL(address);
    return readDeepLink(url.hash, url.search);
  } catch {
    return null;
  }
}

/**
 * The address of a message's link when this page may offer it as one: http or https, and of this origin.
 * @param {string | undefined} link
 * @param {string} origin
 * @returns {string | null}
 */
export function followableLink(link, origin) {
  if (!link) return null;
  try {
    const url = new URL(link);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && url.origin === origin && !url.username && !url.password ? url.href : null;
  } catch {
    return null;
  }
}
