import GRDB
import Logging
import Locking

/// What the calls work with.
struct BackendServices: Sendable {
  /// All data.
  let database: DatabaseQueue
  /// The backend's time.
  let clock: BackendClock
  /// Where messages go.
  let delivery: MessageDelivery
  /// Where links lead.
  let linkBase: LinkBase
  /// How often messages may be sent.
  let limits: LimitsSetting
  /// Who may sign in.
  let registration: RegistrationMode
  /// What codes are hashed with.
  let codeKey: [UInt8]
  /// Where events go, without secrets.
  let log: Logger
  /// Where what happens to accounts and sessions is written.
  let audit: AuditLog
}

/// The limits mode in force, and the one to go back to.
final class LimitsSetting: Sendable {
  private let launched: LimitsMode
  private let current: Locked<LimitsMode>

  /// Begins in a mode.
  init(_ mode: LimitsMode) {
    launched = mode
    current = Locked(mode)
  }

  /// The mode in force.
  var mode: LimitsMode {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Goes back to the mode of the launch.
  func reset() { mode = launched }
}
