// @ts-check Sends a file. `fetch` does not report how much of a body was sent, so this is the only other way to the console.
import { ApiError, ensureDevice, problemOf, readJSON } from "./api.js";

/**
 * Sends a file to the console's API as the tab's device.
 * @param {string} path from `/api/`
 * @param {Blob} file
 * @param {string} type
 * @param {{signal: AbortSignal, sent: (part: number) => void}} options `sent` hears which part was sent, 0 … 1
 * @returns {Promise<any>} the response's body
 * @throws {ApiError}
 */
export async function upload(path, file, type, { signal, sent }) {
  const { device_key: key } = await ensureDevice(signal);
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    /** @param {string} code */
    const fail = (code) => reject(new ApiError({ status: 0, code }));
    request.upload.addEventListener("progress", (event) => event.lengthComputable && sent(event.loaded / event.total));
    request.addEventListener("load", () => {
      const body = readJSON(request.responseText);
      if (request.status >= 200 && request.status < 300) return resolve(body);
      const [retryAfter, requestId] = ["Retry-After", "X-Request-ID"].map((name) => request.getResponseHeader(name));
      reject(problemOf(request.status, body, { retryAfter: retryAfter ?? null, requestId: requestId ?? null }));
    });
    request.addEventListener("error", () => fail("unreachable"));
    request.addEventListener("abort", () => fail("aborted"));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", path);
    request.setRequestHeader("X-Device-Key", key);
    request.setRequestHeader("Content-Type", type);
    if (signal.aborted) return fail("aborted");
    request.send(file);
  });
}
