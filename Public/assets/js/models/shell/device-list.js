// @ts-check
/**
 * @typedef {{device_id: string, name: string, signed_in?: boolean, signed_in_as?: string}} KnownDevice
 * @typedef {{device_id: string, device_key: string, name: string}} HeldDevice
 * A line of the switcher; `held` is null if this browser no longer has the key, `user` is masked and empty if it is not known.
 * @typedef {{id: string, name: string, held: HeldDevice | null, isShown: boolean, isSignedIn: boolean, user: string}} ListedDevice
 */

/**
 * The console's devices of this browser, this tab's first, those without a key last; the rest keep their order.
 * @param {KnownDevice[]} known
 * @param {HeldDevice[]} held
 * @param {string | undefined} own the id of this tab's device
 * @returns {ListedDevice[]}
 */
export function listedDevices(known, held, own) {
  /** @param {ListedDevice} one */
  const rank = (one) => (one.isShown ? 0 : one.held ? 1 : 2);
  return known
    .map((one) => ({
      id: one.device_id,
      name: one.name,
      held: held.find((key) => key.device_id === one.device_id) ?? null,
      isShown: one.device_id === own,
      isSignedIn: one.signed_in === true,
      user: one.signed_in_as ?? "",
    }))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a trimmed text may name a device or a workspace: 1 to 60 characters, none of which is hidden. @param {string} name */
export const isDisplayName = (name) => {
  const length = Array.from(name).length;
  return length > 0 && length <= 60 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u.test(name);
};

/**
 * The devices that may have requested a link: those of this browser with the latest requests, newest first, without this one.
 * @param {Record<string, number>} asked when each device last asked, in milliseconds
 * @param {HeldDevice[]} others
 * @param {number} now milliseconds
 * @returns {{device: HeldDevice, at: number}[]}
 */
export const devicesThatRequestedLinks = (asked, others, now) =>
  others
    .map((device) => ({ device, at: asked[device.device_id] ?? 0 }))
    .filter((one) => one.at > 0 && now - one.at < 3_600_000)
    .toSorted((a, b) => b.at - a.at);
