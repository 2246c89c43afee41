import BackendFile
import Locking

/// What the requests of a sign-in have captured until it is complete, such as the session that a code belongs to; in memory only.
final class SignInValues: Sendable {
  private let values = Locked<[String: String]>([:])

  /// What a call of the sign-in may use: nothing of another identifier's. A link names none, and a request may have asked for none.
  func values(for identifier: String?) -> [String: String] {
    values.withLock { values in
      let owner = values[FlowValue.identifier.rawValue]
      return identifier == nil || owner == nil || owner == identifier ? values : [:]
    }
  }

  /// Begins another sign-in with what its first call captured.
  func begin(_ captured: CapturedSession) { values.withLock { $0 = captured.values } }

  func clear() { values.withLock { $0 = [:] } }
}
