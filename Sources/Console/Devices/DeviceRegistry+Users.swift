import Domain

extension DeviceRegistry {
  /// The maximum number of sleeping devices with a cached user; one more clears the cache.
  private static let restingUserLimit = 10_000

  /// The browser's signed-in devices, each with the user's masked identifier; nil if this console does not know it.
  ///
  /// Wakes no device: after a restart, only the devices that were used since have an identifier.
  func signedIn(browserID: String, backendID: String) async throws -> [String: String?] {
    var users: [String: String?] = [:]
    for id in try await store.signedInDevices(browserID: browserID, backendID: backendID) {
      let user: String? = if let device = awake[id] { await device.maskedUser() } else { restingUsers[id] }
      users.updateValue(user, forKey: id)
    }
    return users
  }

  /// Caches the signed-in user of a device that goes to sleep, unless the device may wake on another console.
  func keepUser(of device: Device) async {
    guard !placement.isShared else { return }
    if restingUsers.count >= Self.restingUserLimit { restingUsers = [:] }
    restingUsers[device.id] = await device.maskedUser()
  }
}
