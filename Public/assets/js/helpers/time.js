// @ts-check
/**
 * Calls back now and at every second until told to stop, also after the tab slept; what is left is always counted from a
 * deadline by the callee, never by decrementing.
 * @param {() => void} tick
 * @param {AbortSignal} signal
 */
export function everySecond(tick, signal) {
  tick();
  const timer = setInterval(tick, 1000);
  const awake = () => {
    if (document.visibilityState === "visible") tick();
  };
  document.addEventListener("visibilitychange", awake, { signal });
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Resolves after this many milliseconds, or at once when aborted. @param {number} duration @param {AbortSignal} [signal] @returns {Promise<void>} */
export function delay(duration, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, duration);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
  });
}
