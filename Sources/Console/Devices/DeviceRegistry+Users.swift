import Domain

extension DeviceRegistry {
  /// For how many sleeping devices it is kept who is signed in; one more forgets all.
  private static let restingUserLimit = 10_000

  /// The browser's devices on which somebody is signed in, each with the masked identifier; nil if that is not known here.
  ///
  /// No device wakes for it: after a restart, only the devices that were used since have an identifier.
  func signedIn(browserID: String, backendID: String) async throws -> [String: String?] {
    var users: [String: String?] = [:]
    for id in try await store.signedInDevices(browserID: browserID, backendID: backendID) {
      let user: String? = if let device = awake[id] { await device.maskedUser() } else { restingUsers[id] }
      users.updateValue(user, forKey: id)
    }
    return users
  }

  /// Keeps who is signed in on a device that goes to sleep, unless it may wake on another console.
  func keepUser(of device: Device) async {
    guard !placement.isShared else { return }
    if restingUsers.count >= Self.restingUserLimit { restingUsers = [:] }
    restingUsers[device.id] = await device.maskedUser()
  }
}
