import Domain

/// The login and user of the current session.
struct SessionIdentity: Hashable, Sendable {
  let epoch: UInt64
  /// Identifies the login over token rotations and restarts; a backend's session id need not distinguish logins.
  let loginID: String
  /// The user, if the backend has returned one since the launch.
  let user: User?
}

extension SessionController {
  /// The identity of the current session; nil if no user is signed in.
  func identity() -> SessionIdentity? {
    machine.tokens == nil ? nil : SessionIdentity(epoch: machine.epoch, loginID: loginID, user: state.user)
  }
}
