import Locking

/// How often messages may be sent to an identifier, whether it has an account or not.
package enum LimitsMode: String, Encodable, Sendable, CaseIterable {
  /// 60 s apart, 5 an hour.
  case prod
  /// 5 s apart.
  case relaxed
  /// No limit.
  case off

  /// The shortest time between two messages, in milliseconds.
  var spacing: Int64 {
    switch self {
    case .prod: 60_000
    case .relaxed: 5_000
    case .off: 0
    }
  }

  /// The most messages in an hour; nil for no limit.
  var hourlyCap: Int? { self == .prod ? SendLimit.sendsPerHour : nil }

  /// The cooldown in the response of `GET /rpc/app_config`, in seconds.
  var cooldownSeconds: Int { Int(spacing / 1000) }
}

/// The current limits mode and the configured one.
final class LimitsSetting: Sendable {
  private let configured: LimitsMode
  private let current: Locked<LimitsMode>

  init(_ mode: LimitsMode) {
    configured = mode
    current = Locked(mode)
  }

  var mode: LimitsMode {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Restores the configured mode.
  func reset() { mode = configured }
}
