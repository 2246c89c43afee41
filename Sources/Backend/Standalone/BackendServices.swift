import GRDB
import Logging
import Storage

/// What the handlers of calls depend on.
struct BackendServices: Sendable {
  let database: DatabaseQueue
  /// Writes to it.
  let writer: GroupedWriter
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
  let audit: AuditLog
}
