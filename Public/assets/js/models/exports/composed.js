// @ts-check
/** How many composed requests are remembered. */
const limit = 10;
const key = "understudy.composed";

/**
 * The ids of the rows that this device's composed requests made, the latest first. The rows themselves stay in the log, where
 * their secrets are masked; nothing else of them is stored.
 * @param {Storage} storage
 * @param {string} device
 * @returns {string[]}
 */
export function composedRows(storage, device) {
  const ids = all(storage)[device];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, limit) : [];
}

/** Remembers the row of a composed request. @param {Storage} storage @param {string} device @param {string} id */
export function remember(storage, device, id) {
  const others = Object.entries(all(storage)).filter(([name]) => name !== device).slice(-limit);
  const ids = [id, ...composedRows(storage, device).filter((one) => one !== id)].slice(0, limit);
  try {
    storage.setItem(key, JSON.stringify({ ...Object.fromEntries(others), [device]: ids }));
  } catch {
    // Without room the request is not remembered.
  }
}

/** @param {Storage} storage @returns {Record<string, unknown>} */
function all(storage) {
  try {
    const held = JSON.parse(storage.getItem(key) ?? "{}");
    return held && typeof held === "object" && !Array.isArray(held) ? held : {};
  } catch {
    return {};
  }
}
