import Logging
import Storage

/// The dependencies of the calls' handlers.
struct BackendServices: Sendable {
  let storage: any StorageEngine
  /// Whether other backends use the same database.
  let isShared: Bool
  let clock: BackendClock
  let delivery: MessageDelivery
  let linkBase: LinkBase
  let limits: LimitsSetting
  let registration: RegistrationMode
  let dialect: BackendDialect
  /// The HMAC key that sign-in codes are hashed with.
  let codeKey: [UInt8]
  /// Receives errors, without secrets.
  let log: Logger
  let audit: AccountAuditLog

  /// Applies the clock and the rate limits that another backend of the same database has set.
  func catchUp() async throws {
    guard isShared else { return }
    let (time, mode) = try await storage.read { transaction in
      (try BackendClock.Setting(transaction), try StoredValue.limitsMode.text(transaction))
    }
    clock.keep(time)
    if let mode = mode.flatMap({ LimitsMode(rawValue: $0) }) { limits.mode = mode } else { limits.reset() }
  }
}

/// The identifiers that may sign in.
package enum RegistrationMode: String, Sendable, CaseIterable {
  /// Any valid identifier; its first sign-in creates the account.
  case open
  /// Only identifiers that have an account; others get the same response but no message.
  case closed
}
