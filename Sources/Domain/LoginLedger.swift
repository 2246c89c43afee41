package import FoundationEssentials

/// Stores a device's data about the login messages that it requested; survives a restart.
package struct LoginLedger: Sendable {
  /// Reserves the identifier, or messages without one, until the instant, atomically; if it is already reserved, returns when to
  /// retry.
  package var reserve: @Sendable (_ identifier: Identifier?, _ until: Date) async -> Date?
  /// Sets when the next message for the identifier can be requested.
  package var setRetryAt: @Sendable (_ identifier: Identifier?, _ retryAt: Date) async -> Void
  /// Creates and stores a link `state`.
  package var makeState: @Sendable () async -> String
  /// Compares a link's `state` with those that this device created.
  package var recognize: @Sendable (_ state: String) async -> Recognition

  /// How a `state` compares with those that a device created.
  package enum Recognition: Sendable {
    /// It is one of them, begins one of them, or neither.
    case whole, beginning, unknown
  }

  package init(
    reserve: @escaping @Sendable (Identifier?, Date) async -> Date?,
    setRetryAt: @escaping @Sendable (Identifier?, Date) async -> Void,
    makeState: @escaping @Sendable () async -> String,
    recognize: @escaping @Sendable (String) async -> Recognition
  ) {
    self.reserve = reserve
    self.setRetryAt = setRetryAt
    self.makeState = makeState
    self.recognize = recognize
  }
}
