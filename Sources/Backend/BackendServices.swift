import GRDB
import Logging
import Synchronization

/// What the calls work with.
struct BackendServices: Sendable {
  let database: DatabaseQueue
  let clock: BackendClock
  let delivery: MessageDelivery
  let linkBase: LinkBase
  let limits: LimitsSetting
  let registration: RegistrationMode
  /// What codes are hashed with.
  let codeKey: [UInt8]
  let log: Logger
}

/// The limits mode in force, and the one to go back to.
final class LimitsSetting: Sendable {
  private let launched: LimitsMode
  private let current: Mutex<LimitsMode>

  /// Begins in a mode.
  init(_ mode: LimitsMode) {
    launched = mode
    current = Mutex(mode)
  }

  /// The mode in force.
  var mode: LimitsMode {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Goes back to the mode of the launch.
  func reset() { mode = launched }
}
