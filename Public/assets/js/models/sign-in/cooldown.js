// @ts-check
/**
 * A wait that ends at a deadline on the monotonic clock; the wall instant serves a reload only.
 * @typedef {{deadline: number, wall: number, seconds: number}} Cooldown
 * @typedef {{wall: number, seconds: number}} StoredCooldown
 */

/**
 * A cooldown of this many seconds from now.
 * @param {number} seconds
 * @param {number} monotonic now, in milliseconds of `performance.now()`
 * @param {number} wall now, in milliseconds of `Date.now()`
 * @returns {Cooldown}
 */
export function startCooldown(seconds, monotonic, wall) {
  const length = Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
  return { deadline: monotonic + length * 1000, wall: wall + length * 1000, seconds: length };
}

/**
 * The seconds left, with a fraction; 0 when it is over. The clock that is further ahead counts, because the monotonic one stops
 * while a laptop sleeps. Changing the wall clock only makes the page ask the console too early.
 * @param {Cooldown | null} cooldown
 * @param {number} monotonic
 * @param {number} [wall]
 */
export function secondsLeft(cooldown, monotonic, wall = Number.NEGATIVE_INFINITY) {
  if (!cooldown) return 0;
  const left = Math.min(cooldown.deadline - monotonic, cooldown.wall - wall) / 1000;
  return Math.min(cooldown.seconds, Math.max(0, left));
}

/**
 * The cooldown after a reload, from the stored one; a wall clock that jumped never makes it longer than it was.
 * @param {StoredCooldown | null | undefined} stored
 * @param {number} monotonic
 * @param {number} wall
 * @returns {Cooldown | null}
 */
export function restoreCooldown(stored, monotonic, wall) {
  if (!stored || !Number.isFinite(stored.wall) || !Number.isFinite(stored.seconds)) return null;
  const left = Math.min((stored.wall - wall) / 1000, stored.seconds);
  return left > 0 ? startCooldown(left, monotonic, wall) : null;
}

/**
 * The longest wait that the state's cooldowns name, in seconds from now.
 * @param {{retry_at: string}[] | undefined} cooldowns
 * @param {number} wall
 */
export function longestCooldown(cooldowns, wall) {
  return (cooldowns ?? []).reduce((longest, one) => {
    const left = (Date.parse(one.retry_at) - wall) / 1000;
    return left > longest ? left : longest;
  }, 0);
}
