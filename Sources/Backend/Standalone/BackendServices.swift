import Logging
import Storage

/// What the handlers of calls depend on.
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

  /// Takes over how another backend over the same database set the clock and the rate limits.
  func catchUp() async throws {
    guard isShared else { return }
    let (time, mode) = try await storage.read { transaction in
      (try BackendClock.Setting(transaction), try StoredValue.limitsMode.text(transaction))
    }
    clock.keep(time)
    if let mode = mode.flatMap({ LimitsMode(rawValue: $0) }) { limits.mode = mode } else { limits.reset() }
  }
}

/// Who may sign in.
package enum RegistrationMode: String, Sendable, CaseIterable {
  /// Any valid identifier; its first sign-in creates the account.
  case open
  /// Only identifiers that have an account; others get the same answer but no message.
  case closed
}
