// @ts-check
// Gets a browser its cookies: with the access token, and later with the keys of its devices. Loaded when first needed.
/**
 * @typedef {import("./api.js").Device} Device
 * @typedef {(method: string, path: string, options: import("./api.js").Options) => Promise<any>} Send
 */

/**
 * Presents the access token in the address and removes it from there; if it fails, the next call reports it.
 * @param {Send} send
 */
export async function present(send) {
  const token = new URLSearchParams(location.hash.slice(1)).get("access");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  await send("POST", "/api/access", { body: { token } }).catch(() => {});
}

/**
 * Proves the keys of this browser's devices, so that the console sets a new cookie; drops keys of devices that no longer exist.
 * Only one tab may call this at a time.
 * @param {Device} device the device of the failed call
 * @param {Send} send
 * @param {Device[]} held
 * @param {(list: Device[]) => void} keep
 * @param {(error: unknown) => boolean} isUnknown whether an error says that the browser is unknown
 * @returns {Promise<void>}
 */
export async function recover(device, send, held, keep, isUnknown) {
  try {
    await send("GET", "/api/devices", { key: device.device_key });
    return; // Another tab was first.
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
  // The console accepts 20 keys at a time; a person may have more devices, whose keys stay.
  const proved = [device, ...held.filter((one) => one.device_key !== device.device_key)].slice(0, 20);
  const answer = await send("POST", "/api/browser", { body: { device_keys: proved.map((one) => one.device_key) } });
  const unknown = Array.isArray(answer?.unknown) ? answer.unknown : [];
  const gone = proved.filter((_, index) => unknown.includes(index)).map((one) => one.device_key);
  keep(held.filter((one) => !gone.includes(one.device_key)));
}
