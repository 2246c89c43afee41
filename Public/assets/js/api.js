// @ts-check
// The only module that calls `fetch`. Every call carries the device's key.

/** @typedef {{device_id: string, device_key: string, name: string}} Device */

const shelf = "understudy.devices";
const tabShelf = "understudy.device";

/** @returns {Device[]} the devices of this origin, the last used first */
function devices() {
  const list = readJSON(localStorage.getItem(shelf) ?? "");
  return Array.isArray(list)
    ? list.filter((one) => typeof one?.device_id === "string" && typeof one.device_key === "string")
    : [];
}

/** The value of a JSON text, or null if it is none. @param {string} text @returns {any} */
export function readJSON(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The replacement of the console's responses. @type {{answer?: typeof fetch, device?: Device}} */
export const standIn = {};

/** Stores the devices of this origin: 20 for each of at most ten people who used it. @param {Device[]} list */
const keep = (list) => localStorage.setItem(shelf, JSON.stringify(list.slice(0, 200)));

/**
 * The stored device of this tab, or null before the first is created. A new tab takes the last used one and
 * keeps it even if other tabs change.
 * @returns {Device | null}
 */
export function tabDevice() {
  const list = devices();
  const id = sessionStorage.getItem(tabShelf);
  const device = list.find((one) => one.device_id === id) ?? list[0] ?? null;
  if (device && device.device_id !== id) sessionStorage.setItem(tabShelf, device.device_id);
  return device;
}

/** The devices whose keys this origin has, the last used first. */
export const heldDevices = devices;

/** The other devices of this browser whose keys this origin has. */
export const otherDevices = () => devices().filter((one) => one.device_id !== tabDevice()?.device_id);

/** Shows this device in this tab from now on. @param {Device} device */
export function showDevice(device) {
  sessionStorage.setItem(tabShelf, device.device_id);
  keep([device, ...devices().filter((one) => one.device_id !== device.device_id)]);
}

/** @param {string} key @returns {Promise<void>} */
const forget = (key) => withLock(() => Promise.resolve(keep(devices().filter((one) => one.device_key !== key))));

/** Creates a device with this name and shows it in this tab. @param {string} name @returns {Promise<Device>} @throws {ApiError} */
export async function makeDevice(name) {
  const device = /** @type {Device} */ (await send("POST", "/api/devices", { body: { name } }));
  showDevice(device);
  return device;
}

/** Forgets the key of a device that the console has deleted. @param {string} [id] this tab's by default @returns {Promise<void>} */
export const dropDevice = (id = tabDevice()?.device_id) =>
  withLock(() => Promise.resolve(keep(devices().filter((one) => one.device_id !== id))));

/** Stores the new name of a device. @param {string} id @param {string} name @returns {Promise<void>} */
export const renameDevice = (id, name) =>
  withLock(() => Promise.resolve(keep(devices().map((one) => (one.device_id === id ? { ...one, name } : one)))));

/** @template Result @param {() => Promise<Result>} work @returns {Promise<Result>} */
const withLock = async (work) => await navigator.locks.request("understudy-device", work);

/** The tab's device, created if there is none; two new tabs create only one. @param {AbortSignal} [signal] @returns {Promise<Device>} */
export async function ensureDevice(signal) {
  if (location.hash.includes("access=")) await access();
  const known = standIn.device ?? tabDevice();
  if (known) return known;
  return withLock(async () => {
    const made = tabDevice();
    if (made) return made;
    const device = /** @type {Device} */ (await send("POST", "/api/devices", { body: { reuse: true }, signal }));
    showDevice(device);
    return device;
  });
}

const recovery = once(() => import("./recovery.js"));

// The address that a console with an access token prints ends in `#access=…`.
const access = once(async () => (await recovery()).present(send));

/**
 * Gives a function that loads a module at its first use and keeps it; after a failure, its next call tries again.
 * @template Module
 * @param {() => Promise<Module>} load
 * @returns {() => Promise<Module>} throws an {@link ApiError} if the console does not respond
 */
export function once(load) {
  /** @type {Promise<Module> | null} */
  let kept = null;
  return () => kept ??= track(load().catch((error) => {
    kept = null;
    // Each engine has its own message for a module that cannot be fetched; any other error is the module's.
    const isLost = error instanceof TypeError && /import|module/i.test(error.message);
    throw isLost ? new ApiError({ status: 0, code: "unreachable" }) : error;
  }));
}

/**
 * Gives a function of a module that is loaded when it is first called, such as one that opens a dialog.
 * @template {Record<string, any>} Module
 * @template {keyof Module} Name
 * @param {() => Promise<Module>} load
 * @param {Name} name
 * @returns {(...given: Parameters<Module[Name]>) => Promise<Awaited<ReturnType<Module[Name]>>>} throws as {@link once} does
 */
export function lazily(load, name) {
  const loaded = once(load);
  return async (...given) => await (await loaded())[name](...given);
}

let running = 0;
let paint = 0;

/**
 * Begins work; returns its end. `<html data-rest>` means that nothing is being fetched, loaded or painted.
 * @returns {() => void}
 */
export function beginWork() {
  const root = globalThis.document?.documentElement;
  root?.removeAttribute("data-rest");
  running += 1;
  return () => {
    running -= 1;
    const mine = paint += 1;
    // Drawn in the next frame, painted before the one after it; a hidden page has no frames.
    const next = root && !document.hidden ? requestAnimationFrame : setTimeout;
    next(() => next(() => root?.toggleAttribute("data-rest", !running && mine === paint)));
  };
}

/** @template Value @param {Promise<Value>} work @returns {Promise<Value>} */
const track = (work) => work.finally(beginWork());

/**
 * @typedef {{body?: unknown, signal?: AbortSignal, key?: string, headers?: Record<string, string>}} Options
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 * @returns {Promise<Response>}
 */
async function exchange(method, path, { body, signal, key, headers }) {
  for (let tries = 0;; tries += 1) {
    const response = await track((standIn.answer ?? fetch)(path, {
      method,
      signal: signal ?? null,
      cache: path.startsWith("/api/") ? "no-store" : "default",
      credentials: "same-origin",
      headers: {
        ...headers,
        ...(key ? { "X-Device-Key": key } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new ApiError({ status: 0, code: signal?.aborted ? "aborted" : "unreachable" });
    }));
    if (response.ok) return response;
    const problem = problemOf(response.status, await response.json().catch(() => null), {
      retryAfter: response.headers.get("Retry-After"),
      requestId: response.headers.get("X-Request-ID"),
    });
    // Nothing was done: the device is on its way to another console.
    if (problem.reason === "moving" && tries < 5) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * (problem.retryAfterSeconds ?? 1)));
      continue;
    }
    if (path.startsWith("/api/")) await explain(problem.code);
    throw problem;
  }
}

/** Loads the words for the code of a failed call before its caller gets it. @type {(code: string) => Promise<void>} */
let explain = () => Promise.resolve();

/** Sets the promise that is awaited before a failed call is reported. @param {typeof explain} load */
export function explainWith(load) {
  explain = load;
}

/** @param {string} method @param {string} path @param {Options} options @returns {Promise<unknown>} */
async function send(method, path, options) {
  const response = await exchange(method, path, options);
  if (response.status === 204) return null;
  try {
    return await track(response.json());
  } catch {
    const code = options.signal?.aborted ? "aborted" : "unexpected_payload";
    throw new ApiError({ status: response.status, code, requestId: response.headers.get("X-Request-ID") ?? undefined });
  }
}

/**
 * @template Result
 * @param {AbortSignal | undefined} signal
 * @param {(device: Device) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function withDevice(signal, work) {
  const device = await ensureDevice(signal);
  try {
    return await recovering(device, () => work(device));
  } catch (error) {
    if (!isUnknown(error, "device")) throw error;
    await forget(device.device_key);
    return work(await ensureDevice(signal));
  }
}

/** @template Result @param {Device} device @param {() => Promise<Result>} work @returns {Promise<Result>} */
async function recovering(device, work) {
  try {
    return await work();
  } catch (error) {
    if (!isUnknown(error, "browser")) throw error;
    const { recover } = await recovery();
    await withLock(() => recover(device, send, devices(), keep, (problem) => isUnknown(problem, "browser")));
    return work();
  }
}

/**
 * Calls the console's API as the tab's device; a device that no longer exists is replaced once.
 * @param {string} method
 * @param {string} path from `/api/`
 * @param {{body?: unknown, signal?: AbortSignal, device?: Device}} [options] `device` calls as another one of this browser
 * @returns {Promise<any>} the body, null for 204
 * @throws {ApiError}
 */
export function call(method, path, { body, signal, device } = {}) {
  if (device) return recovering(device, () => send(method, path, { body, signal, key: device.device_key }));
  return withDevice(signal, (own) => send(method, path, { body, signal, key: own.device_key }));
}

/**
 * Opens the event stream of the tab's device.
 * @param {AbortSignal} signal
 * @param {Record<string, string>} headers
 * @returns {Promise<Response>} the response, with its body unread
 * @throws {ApiError}
 */
export const openStream = (signal, headers) =>
  withDevice(signal, (device) => exchange("GET", "/api/events", { signal, key: device.device_key, headers }));

/** A file of the front end as JSON. @param {string} path from `/assets/` @returns {Promise<any>} */
export const loadAsset = (path) => send("GET", path, {});

/** A text of the console's API, as the tab's device. @param {string} path from `/api/` @returns {Promise<string>} @throws {ApiError} */
export const fetchText = async (path) => (await download("GET", path)).text();

/**
 * A response of the console's API that is not JSON, sent for the tab's device. The caller reads its body.
 * @param {string} method
 * @param {string} path from `/api/`
 * @param {unknown} [body]
 * @returns {Promise<Response>}
 * @throws {ApiError}
 */
export const download = (method, path, body) =>
  withDevice(
    undefined,
    (device) => exchange(method, path, { key: device.device_key, ...(body === undefined ? {} : { body }) }),
  );

/**
 * A failed call, with the members of the console's problem document (RFC 9457). Two codes come from the page itself:
 * `unreachable` if the console does not respond, and `aborted`.
 */
export class ApiError extends Error {
  /**
   * @param {{status: number, code: string, field?: string, retryAfterSeconds?: number, retryAt?: string, requestId?: string,
   *   detail?: string, reason?: string, rowId?: string}} problem
   */
  constructor(problem) {
    super(problem.code);
    this.name = "ApiError";
    /** The HTTP status, or 0 if there was no response. */
    this.status = problem.status;
    this.code = problem.code;
    this.field = problem.field;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.retryAt = problem.retryAt;
    this.requestId = problem.requestId;
    this.detail = problem.detail;
    this.reason = problem.reason;
    /** The row of the network log that shows the failure. */
    this.rowId = problem.rowId;
  }

  /** Whether the same call may succeed later without a change by the person. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/**
 * The error of an unsuccessful response; without a problem document, its code follows from the status.
 * @param {number} status
 * @param {unknown} body the parsed body, or null
 * @param {{retryAfter: string | null, requestId: string | null}} headers
 */
export function problemOf(status, body, headers) {
  const fields = /** @type {Record<string, unknown>} */ (body && typeof body === "object" ? body : {});
  /** @param {unknown} value */
  const string = (value) => (typeof value === "string" && value !== "" ? value : undefined);
  /** @param {unknown} value */
  const number = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined);
  const fromHeader = headers.retryAfter && /^\d{1,6}$/.test(headers.retryAfter)
    ? Number(headers.retryAfter)
    : undefined;
  return new ApiError({
    status,
    code: string(fields.code) ?? (status >= 500 ? "unavailable" : status === 401 ? "proxy_session" : "invalid_request"),
    field: string(fields.field),
    retryAfterSeconds: number(fields.retry_after_seconds) ?? fromHeader,
    retryAt: string(fields.retry_at),
    requestId: string(fields.request_id) ?? headers.requestId ?? undefined,
    detail: string(fields.detail),
    reason: string(fields.reason),
    rowId: string(fields.row_id),
  });
}

/** The catalogue's key of an error. @param {string} code @param {(key: string) => boolean} has whether the catalogue has a key */
export const problemKey = (code, has) => (has(`error.${code}`) ? `error.${code}` : "error.unknown");

/** Whether the device or the browser is unknown to the console. @param {unknown} error @param {"device" | "browser"} which */
export const isUnknown = (error, which) =>
  error instanceof ApiError && error.code === "no_device" && error.reason === `${which}_unknown`;
