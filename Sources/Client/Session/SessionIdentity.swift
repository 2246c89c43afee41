import Domain

/// Whose cues a session works on.
struct SessionIdentity: Hashable, Sendable {
  let epoch: UInt64
  /// Stands for the login, over rotations and restarts; a backend's session id need not tell one login from another.
  let loginID: String
  /// Who is signed in, where the backend has said so since the launch.
  let user: User?
}

extension SessionController {
  /// The session that is held now, with its user where that is known; nil where nobody is signed in.
  func identity() -> SessionIdentity? {
    machine.tokens == nil ? nil : SessionIdentity(epoch: machine.epoch, loginID: loginID, user: state.user)
  }
}
